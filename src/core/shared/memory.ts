/*
 * Everything that outlives a call. `README.md` has the same rows, with the origin of each memory's contents and what a caller
 * can change in it; `test/memories.test.ts` compares them and searches the sources for memories without a row.
 */

/** Who shares a memory's entries. Nothing passes from one owner to another. */
type Owner = 'call' | 'conversation' | 'model' | 'server' | 'key' | 'scope' | 'application object';

interface Bounds {
  readonly owner: Owner;
  /** Maximum number of entries. */
  readonly entries: number;
  /** Maximum estimated size of all entries. @default the entries are small */
  readonly bytes?: number;
  /** Time in milliseconds for which an entry is kept. @default as long as the memory */
  readonly time?: number;
}

export const MEMORIES = {
  'failed turns': { owner: 'call', entries: 100, bytes: 8_000_000, time: 120_000 },
  'paused turns': { owner: 'call', entries: 200, bytes: 32_000_000, time: 60_000 },
  'tool outputs': { owner: 'call', entries: 32, bytes: 32_000_000, time: 60_000 },
  models: { owner: 'model', entries: 1000 },
  rejections: { owner: 'conversation', entries: 32 },
  'other models': { owner: 'model', entries: 32 },
  'reasoning servers': { owner: 'server', entries: 500 },
  'tool search': { owner: 'model', entries: 1000 },
  cooldowns: { owner: 'key', entries: 1000 },
  signatures: { owner: 'key', entries: 8000, bytes: 4_000_000 },
  'kept outputs': { owner: 'scope', entries: 1000, bytes: 64_000_000, time: 3_600_000 },
} as const satisfies Record<string, Bounds>;

export type MemoryName = keyof typeof MEMORIES;

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly expires: number;
}

/** A map with the bounds of its row. The entry that was set or read first makes room for a new one. */
export class Memory<Key, Value> {
  readonly #bounds: Bounds;
  readonly #entries = new Map<Key, Entry<Value>>();
  #bytes = 0;
  #hasTimer = false;

  readonly #onDropped: ((value: Value) => void) | undefined;

  /** @param onDropped Called with a value for which a bound leaves no room or time. */
  constructor(name: MemoryName, onDropped?: (value: Value) => void) {
    this.#bounds = MEMORIES[name];
    this.#onDropped = onDropped;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expires <= Date.now()) return this.#drop(key);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps a value. One that exceeds the bound of the memory alone is not kept. */
  set(key: Key, value: Value, bytes = 0): void {
    this.delete(key);
    const { entries, bytes: room = Infinity, time } = this.#bounds;
    if (bytes > room) return this.#onDropped?.(value);
    this.#entries.set(key, { value, bytes, expires: time === undefined ? Infinity : Date.now() + time });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= entries && this.#bytes <= room) break;
      this.#drop(oldest);
    }
    if (time !== undefined && !this.#hasTimer) this.#expireIn(time);
  }

  delete(key: Key): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  /** The keys and values of the entries, the oldest first. */
  entries(): [Key, Value][] {
    return this.#current().map(([key, { value }]) => [key, value]);
  }

  /** The keys of the entries, the oldest first. */
  keys(): Key[] {
    return this.#current().map(([key]) => key);
  }

  /** The values of the entries, the oldest first. */
  values(): Value[] {
    return this.#current().map(([, { value }]) => value);
  }

  #current(): [Key, Entry<Value>][] {
    const now = Date.now();
    return [...this.#entries].filter(([, { expires }]) => expires > now);
  }

  #drop(key: Key): undefined {
    const { value } = this.#entries.get(key) as Entry<Value>;
    this.delete(key);
    this.#onDropped?.(value);
  }

  /** Removes expired entries later. The timer keeps no process alive. */
  #expireIn(milliseconds: number): void {
    this.#hasTimer = true;
    const timer: unknown = setTimeout(() => {
      const now = Date.now();
      for (const [key, { expires }] of this.#entries) if (expires <= now) this.#drop(key);
      const next = Math.min(...[...this.#entries.values()].map(entry => entry.expires));
      this.#hasTimer = false;
      if (next !== Infinity) this.#expireIn(next - now);
    }, milliseconds);
    if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as NodeJS.Timeout).unref();
  }
}

/** Estimates the bytes that a value keeps in memory: its texts, its bytes, and a share for each object. */
export function estimateSize(value: unknown): number {
  const seen = new Set<object>();
  const remaining: unknown[] = [value];
  let size = 0;
  while (remaining.length > 0) {
    const next = remaining.pop();
    if (typeof next === 'string') size += next.length;
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    size += ArrayBuffer.isView(next) ? next.byteLength : 64;
    if (ArrayBuffer.isView(next)) continue;
    // A list may have more values than a call can have arguments.
    for (const inner of Object.values(next) as unknown[]) remaining.push(inner);
  }
  return size;
}

import { createHash } from 'node:crypto';

/**
 * Stores JSON without repetition. Requests of a conversation repeat its history, and responses repeat the tools of their
 * request. Long parts of a value are stored once per conversation under their hash, and the value refers to them. Arrays
 * are divided into runs of a fixed length, so that a history that grows shares all runs but the last.
 */
export interface PieceStore {
  put(hash: string, json: string): void;
  get(hash: string): string | undefined;
}

/** Shorter JSON is not worth a reference. */
const MIN_LENGTH = 160;

const RUN_LENGTH = 16;

/** Replaces long parts of a value by references. */
export function packJson(value: unknown, { put }: Pick<PieceStore, 'put'>): unknown {
  function refer(packed: unknown): unknown {
    const json = JSON.stringify(packed);
    if (json === undefined || json.length < MIN_LENGTH) return packed;
    const hash = createHash('sha256').update(json).digest('base64url').slice(0, 22);
    put(hash, json);
    return { $piece: hash };
  }

  function pack(entry: unknown): unknown {
    if (typeof entry === 'string') return refer(entry);
    if (Array.isArray(entry)) {
      if (entry.length <= RUN_LENGTH) return refer(entry.map(pack));
      const runs = Array.from({ length: Math.ceil(entry.length / RUN_LENGTH) }, (_, index) =>
        refer(entry.slice(index * RUN_LENGTH, (index + 1) * RUN_LENGTH).map(pack)),
      );
      return { $runs: runs };
    }
    if (typeof entry !== 'object' || entry === null) return entry;
    return Object.fromEntries(
      // A property that looks like a reference receives another `$`.
      Object.entries(entry).map(([name, inner]) => [name.replace(/^\$/, '$$$$'), pack(inner)]),
    );
  }
  return pack(value);
}

/**
 * Returns the value that `packJson` received.
 *
 * @throws Error if a piece is missing.
 */
export function unpackJson(packed: unknown, { get }: Pick<PieceStore, 'get'>): unknown {
  function unpack(entry: unknown): unknown {
    if (Array.isArray(entry)) return entry.map(unpack);
    if (typeof entry !== 'object' || entry === null) return entry;
    if ('$piece' in entry) {
      const json = get(String(entry.$piece));
      if (json === undefined) throw new Error(`Expected the piece ${String(entry.$piece)} in the database.`);
      return unpack(JSON.parse(json));
    }
    if ('$runs' in entry) return (entry.$runs as unknown[]).flatMap(run => unpack(run) as unknown[]);
    return Object.fromEntries(
      Object.entries(entry).map(([name, inner]) => [name.replace(/^\$\$/, '$$'), unpack(inner)]),
    );
  }
  return unpack(packed);
}

import type { CoreCall } from '../core/call.js';
import type { Part } from '../core/part.js';
import { type CoreModel, sourceOf } from '../core/source.js';
import { messageOf } from '../core/shared/errors.js';
import { isPlainObject, toStableJson } from '../core/shared/json.js';

/* What the conformance suites use: the faults that they report, and a model with scripted responses. */

/** Collects faults, each once. */
export class Faults {
  readonly #found = new Set<string>();

  constructor(private readonly subject: string) {}

  add(fault: string): void {
    this.#found.add(fault);
  }

  expectEqual(promise: string, received: unknown, expected: unknown): void {
    const [left, right] = [toStableJson(received), toStableJson(expected)];
    if (left !== right) this.add(`${promise}: expected ${right}, received ${left}`);
  }

  /** Returns the result, or undefined if there is none. */
  async attempt<Result>(promise: string, run: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await run();
    } catch (error) {
      this.add(`${promise}: it throws ${messageOf(error)}`);
      return undefined;
    }
  }

  throwAny(): void {
    if (this.#found.size === 0) return;
    const found = [...this.#found];
    const more = found.length > 20 ? `\n… and ${found.length - 20} more` : '';
    throw new Error(
      `${this.subject} breaks ${found.length} promises:\n- ${found.slice(0, 20).join('\n- ')}${more}`,
    );
  }
}

/** Checks that blocks start, end and do not overlap with themselves, and that `finish` is last. */
export function checkOrder(
  parts: readonly { readonly type: string; readonly id?: string }[],
  faults: Faults,
): void {
  const open = new Set<string>();
  for (const { type, id = '' } of parts) {
    const [, kind = '', event] = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(type) ?? [];
    const block = `${kind} ${id}`;
    if (event === 'start') open.add(block);
    else if (event !== undefined && !open.has(block))
      faults.add(`emits \`${type}\` of a block that is not open`);
    if (event === 'end') open.delete(block);
  }
  for (const block of open)
    faults.add(`does not end the block of ${block.split(' ')[0] ?? ''}: \`-end\` is missing`);
  const finishes = parts.filter(part => part.type === 'finish').length;
  if (finishes !== 1) faults.add(`emits ${finishes} parts \`finish\`, expected one`);
  else if (parts.at(-1)?.type !== 'finish') faults.add('emits parts after `finish`');
}

/** A call of the scripted model. */
export const CALL = {
  type: 'tool-call',
  toolCallId: 'call_1',
  toolName: 'search',
  input: '{"query": "x"}',
} satisfies Part;

export const scripted = (options: {
  modelId: string;
  parts: readonly Part[];
  onRequest?: ((request: CoreCall) => void) | undefined;
}): CoreModel => ({
  provider: 'test',
  modelId: options.modelId,
  supportedUrls: {},
  async open(request) {
    options.onRequest?.(request);
    return sourceOf(options.parts);
  },
});

const USAGE = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

export function partsOf(
  chunks: readonly string[],
  options: { call: boolean; finishReason: 'stop' | 'length' },
): Part[] {
  const reason = options.call ? 'tool-calls' : options.finishReason;
  const parts = [
    { type: 'stream-start', warnings: [] },
    ...(options.call
      ? [
          { type: 'reasoning-start', id: 'r' },
          { type: 'reasoning-delta', id: 'r', delta: 'I think.' },
          { type: 'reasoning-end', id: 'r' },
        ]
      : []),
    { type: 'text-start', id: 't' },
    ...chunks.filter(delta => delta !== '').map(delta => ({ type: 'text-delta', id: 't', delta })),
    { type: 'text-end', id: 't' },
    ...(options.call ? [CALL] : []),
    { type: 'finish', finishReason: { unified: reason, raw: reason }, usage: USAGE },
  ];
  parts.forEach(freeze);
  return parts as Part[];
}

/** Freezes a value, so that an adapter that changes it throws. */
export function freeze(value: unknown): void {
  if (Array.isArray(value)) value.forEach(freeze);
  else if (isPlainObject(value)) Object.values(value).forEach(freeze);
  if (typeof value === 'object') Object.freeze(value);
}

/** Returns a call whose prompt and tools cannot be changed. */
export function frozen(call: CoreCall): CoreCall {
  freeze(call.prompt);
  freeze(call.tools);
  return Object.freeze({ ...call });
}

/** Cuts a text into chunks of one to seven characters. */
export function randomChunks(text: string, seed: number): string[] {
  const chunks: string[] = [];
  let state = seed;
  for (let at = 0; at < text.length;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const length = 1 + ((state >>> 16) % 7);
    chunks.push(text.slice(at, at + length));
    at += length;
  }
  return chunks;
}

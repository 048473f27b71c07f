import { toStableJson } from '../shared/json.js';

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
      this.add(`${promise}: it throws ${error instanceof Error ? error.message : String(error)}`);
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
  const finishes = parts.filter(({ type }) => type === 'finish').length;
  if (finishes !== 1) faults.add(`emits ${finishes} parts \`finish\`, expected one`);
  else if (parts.at(-1)?.type !== 'finish') faults.add('emits parts after `finish`');
}

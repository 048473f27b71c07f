import * as z from 'zod/v4';
import { untilAborted } from '../shared/abort.js';
import { toHash } from '../shared/hash.js';
import { toStableJson } from '../shared/json.js';
import type { ToolInvocation, ToolOutput } from '../tools/tool-source.js';
import { createTimeLimit } from './time-limit.js';
import { InvalidArgumentError, type SharedV2ProviderOptions } from '@ai-sdk/provider';

/** Where finished calls are kept beyond the life of a process. A `Keyv` fits, and so does a `Map`. */
export interface ToolResultStore {
  /** The value of a key, or a promise of it; undefined or null where there is none. */
  get(key: string): unknown;
  /** Keeps a value that JSON can hold. What it returns is awaited before the turn goes on. */
  set(key: string, value: unknown): unknown;
}

/** The finished calls of one round. Both functions reject on abort alone. */
export interface StoredResults {
  /** The output of a call that has been run before. */
  find(call: ToolInvocation): Promise<ToolOutput | undefined>;
  /** Keeps what a call gave. It must have been looked for before. */
  keep(call: ToolInvocation, output: ToolOutput): Promise<void>;
}

export interface CallResultsOptions {
  readonly store: ToolResultStore;
  readonly turnId: string;
  /** Messages in the prompt: the steps of a host share their turn id, and each begins with round 1. */
  readonly position: number;
  readonly round: number;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
  /** How long the store may take, in milliseconds. A client that reconnects for ever must not hold the turn. */
  readonly timeout?: number;
}

const storedSchema = z.object({
  toolName: z.string(),
  input: z.record(z.string(), z.unknown()),
  output: z.object({
    type: z.enum(['text', 'json', 'content', 'error-text', 'error-json']),
    value: z.unknown(),
  }) as unknown as z.ZodType<ToolOutput>,
});

/**
 * Keeps each call under its id, and under its contents as well: a model that is asked again gives a repeated call
 * another id.
 */
export function createStoredResults(options: CallResultsOptions): StoredResults {
  const { store, turnId, position, round, signal, warn, timeout: patience = 5000 } = options;
  /** How often the round brought a call with these contents: two alike are two calls. */
  const occurrences = new Map<string, number>();
  const keys = new Map<string, readonly string[]>();

  return {
    async find(call) {
      const candidates = toKeys(call);
      keys.set(call.toolCallId, candidates);
      const values = await attempt('be read', candidates, async key => store.get(key));
      for (const value of values) {
        const { data } = storedSchema.safeParse(value);
        if (data !== undefined && toContents(data) === toContents(call)) return data.output;
      }
      return undefined;
    },

    async keep({ toolCallId, toolName, input }, output) {
      const value = { toolName, input, output };
      await attempt('be written', keys.get(toolCallId) ?? [], async key => store.set(key, value));
    },
  };

  function toKeys(call: ToolInvocation): string[] {
    const contents = toContents(call);
    const occurrence = (occurrences.get(contents) ?? 0) + 1;
    occurrences.set(contents, occurrence);
    return [
      JSON.stringify([turnId, position, round, call.toolCallId]),
      JSON.stringify([turnId, position, round, call.toolName, toHash(contents), occurrence]),
    ];
  }

  /** What the store gives for all the keys; nothing where it fails, which must not fail the turn. */
  async function attempt(
    action: string,
    names: readonly string[],
    operation: (key: string) => Promise<unknown>,
  ): Promise<readonly unknown[]> {
    const message = `it did not answer within ${patience} ms`;
    const limit = createTimeLimit(signal, { milliseconds: patience, message });
    try {
      return await untilAborted(Promise.all(names.map(operation)), limit.signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const reason = error instanceof Error ? error.message : String(error);
      warn(
        `The result store could not ${action}: ${reason}. Calls of this turn may run again if it is resumed.`,
      );
      return [];
    } finally {
      limit.release();
    }
  }
}

const toContents = ({ toolName, input }: Pick<ToolInvocation, 'toolName' | 'input'>): string =>
  toStableJson([toolName, input]);

/**
 * The name a host gives a turn, `providerOptions.kelivo.turnId`, under which another process can take it up.
 *
 * @throws InvalidArgumentError when it is not a text.
 */
export function turnIdOf(providerOptions: SharedV2ProviderOptions | undefined): string | undefined {
  const turnId: unknown = providerOptions?.kelivo?.turnId;
  if (turnId === undefined || turnId === null) return undefined;
  if (typeof turnId === 'string' && turnId !== '') return turnId;
  const argument = 'providerOptions.kelivo.turnId';
  throw new InvalidArgumentError({
    argument,
    message: `Expected \`${argument}\` to be a text that is not empty, got ${JSON.stringify(turnId)}. Correct it or leave it out.`,
  });
}

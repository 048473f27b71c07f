import { InvalidArgumentError, type SharedV2ProviderOptions } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import { untilAborted } from '../shared/abort.js';
import { toHash } from '../shared/hash.js';
import { toStableJson } from '../shared/json.js';
import { once } from '../shared/settings.js';
import type { ToolInvocation, ToolOutput } from '../tools/tool-source.js';
import { createTimeLimit } from './time-limit.js';

/** Stores finished calls beyond the life of a process. A `Keyv` or a `Map` is one. */
export interface ToolResultStore {
  /** Returns the value of a key or a promise of it; undefined or null if there is none. */
  get(key: string): unknown;
  /** Stores a JSON value. The returned value is awaited before the turn continues. */
  set(key: string, value: unknown): unknown;
}

/**
 * Returns `providerOptions.kelivo.turnId`, under which another process can resume the turn.
 *
 * @throws InvalidArgumentError if it is not a non-empty string.
 */
export function turnIdOf(providerOptions: SharedV2ProviderOptions | undefined): string | undefined {
  const turnId: unknown = providerOptions?.kelivo?.turnId;
  if (turnId === undefined || turnId === null) return undefined;
  if (typeof turnId === 'string' && turnId !== '') return turnId;
  const argument = 'providerOptions.kelivo.turnId';
  throw new InvalidArgumentError({
    argument,
    message: `Expected \`${argument}\` to be a non-empty string, got ${JSON.stringify(turnId)}. Correct it or omit it.`,
  });
}

/** The stored results of one round. Both functions reject only on abort. */
export interface StoredResults {
  /** Returns the output of a call that ran before. */
  find(call: ToolInvocation): Promise<ToolOutput | undefined>;
  /** Stores the output of a call. `find` must have been called for it before. */
  keep(call: ToolInvocation, output: ToolOutput): Promise<void>;
}

export interface StoredResultsOptions {
  readonly store: ToolResultStore;
  readonly turnId: string;
  /** Number of messages in the prompt. The steps of a host share their turn id, and each begins with round 1. */
  readonly position: number;
  readonly round: number;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
  /** Time limit of one store operation in milliseconds. A client that reconnects forever must not block the turn. */
  readonly timeout?: number;
}

const storedSchema = once(() => {
  const outputSchema = z.object({
    type: z.enum(['text', 'json', 'content', 'error-text', 'error-json']),
    value: z.unknown(),
    mcp: z.record(z.string(), z.unknown()).optional(),
  });
  return z.object({
    toolName: z.string(),
    input: z.record(z.string(), z.unknown()),
    output: z.custom<ToolOutput>(output => outputSchema.safeParse(output).success),
  });
});

/**
 * Stores each call under its id and under its contents: when a request is repeated, the model assigns a new id to the
 * same call.
 */
export function createStoredResults(options: StoredResultsOptions): StoredResults {
  const { store, turnId, position, round, signal, warn, timeout = 5000 } = options;
  /** Number of calls with the same contents in the round. Two identical calls are two calls. */
  const occurrences = new Map<string, number>();
  const keys = new Map<string, readonly string[]>();

  return {
    async find(call) {
      const candidates = toKeys(call);
      keys.set(call.toolCallId, candidates);
      const values = await access('read', candidates, async key => store.get(key));
      for (const value of values) {
        const { data } = storedSchema().safeParse(value);
        if (data !== undefined && toContents(data) === toContents(call)) return data.output;
      }
      return undefined;
    },

    async keep({ toolCallId, toolName, input }, output) {
      const value = { toolName, input, output };
      await access('written', keys.get(toolCallId) ?? [], async key => store.set(key, value));
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

  /** Runs an operation for all keys. A store that fails causes a warning and no results, but does not fail the turn. */
  async function access(
    action: 'read' | 'written',
    names: readonly string[],
    operation: (key: string) => Promise<unknown>,
  ): Promise<readonly unknown[]> {
    const message = `it did not respond within ${timeout} ms`;
    const limit = createTimeLimit(signal, { milliseconds: timeout, message });
    try {
      return await untilAborted(Promise.all(names.map(operation)), limit.signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const reason = error instanceof Error ? error.message : String(error);
      warn(
        `The result store could not be ${action}: ${reason}. Calls of this turn may run again if it is resumed.`,
      );
      return [];
    } finally {
      limit.release();
    }
  }
}

const toContents = ({ toolName, input }: Pick<ToolInvocation, 'toolName' | 'input'>): string =>
  toStableJson([toolName, input]);

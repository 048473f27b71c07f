import type { LanguageModelV2CallOptions, LanguageModelV2Usage } from '@ai-sdk/provider';
import { opaqueItemOf } from '../parts/opaque-items.js';
import type { Warn } from './events.js';
import type { RoundSummary } from './round.js';

/** Compacts the conversation between rounds. */
export interface Compaction {
  /** Returns true if the next request has to compact the conversation. */
  isDue(round: number, usage: LanguageModelV2Usage): boolean;
  /** Reads the response to such a request. Returns true if it contains nothing but the compaction. */
  read(round: number, summary: Pick<RoundSummary, 'content'>): boolean;
  /** Ends the compacting after a request that failed. */
  fail(round: number, error: unknown): void;
}

/** A model that does not compact ignores the trigger, and its response is an ordinary round. */
export function createCompaction(threshold: number | undefined, warn: Warn): Compaction {
  let isOn = threshold !== undefined;
  let lastRound: number | undefined;

  return {
    isDue(round, { inputTokens = 0, outputTokens = 0 }) {
      if (!isOn || threshold === undefined || inputTokens + outputTokens <= threshold) return false;
      if (lastRound === undefined || lastRound !== round) return true;
      // Each further round would need another request, which does not help either.
      end(
        round,
        `the conversation has more tokens than \`compactThreshold\` (${threshold}) even after a compaction`,
      );
      return false;
    },

    read(round, { content }) {
      const isCompacted = content.some(
        part => part.type === 'reasoning' && opaqueItemOf(part.providerMetadata)?.type === 'compaction',
      );
      if (!isCompacted) end(round, 'the model does not support it');
      else lastRound = round;
      return isCompacted && content.every(({ type }) => type === 'reasoning');
    },

    fail(round, error) {
      end(round, error instanceof Error ? error.message : String(error));
    },
  };

  function end(round: number, reason: string): void {
    isOn = false;
    warn(round, `The conversation is not compacted: ${reason.replace(/\.$/, '')}.`);
  }
}

/** Adds the trigger to a request. Models of other packages ignore it. */
export function withCompactionTrigger(options: LanguageModelV2CallOptions): LanguageModelV2CallOptions {
  const { providerOptions } = options;
  return {
    ...options,
    providerOptions: {
      ...providerOptions,
      kelivo: { ...providerOptions?.kelivo, compactionTrigger: true },
    },
  };
}

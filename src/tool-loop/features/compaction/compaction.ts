import { messageOf } from '../../../shared/errors.js';
import { itemOf } from '../../../core/custom.js';
import type { CreateFeature, Interlude } from '../feature.js';

export interface CompactionOptions {
  /**
   * Compacts the conversation between two rounds when the tokens of a round, input and output, exceed this number: a request
   * with `compactionTrigger` precedes the next round. Models that do not support it give a warning, and the turn goes on.
   * Requires a server with compaction. `contextManagement` lets the server decide instead.
   * @default the conversation is not compacted
   */
  compactThreshold?: number;
}

/**
 * Compacts the conversation between rounds. A model that does not compact ignores the trigger, and its response is an
 * ordinary round.
 */
export const createCompaction: CreateFeature<CompactionOptions> = (
  { warn },
  { compactThreshold: threshold },
) => {
  if (threshold === undefined) return undefined;
  let isOn = true;
  let lastRound: number | undefined;

  function end(round: number, reason: string): void {
    isOn = false;
    warn(round, `The conversation is not compacted: ${reason.replace(/\.$/, '')}.`);
  }

  const interlude: Interlude = {
    read(round, content) {
      const isCompacted = content.some(part => itemOf(part)?.type === 'compaction');
      if (!isCompacted) end(round, 'the model does not support it');
      else lastRound = round;
      return isCompacted && content.every(({ type }) => type === 'reasoning' || type === 'custom');
    },
    fail: (round, error) => end(round, messageOf(error)),
  };

  return {
    between({ number, finish: { usage } }) {
      const { total: input = 0 } = usage.inputTokens;
      const { total: output = 0 } = usage.outputTokens;
      if (!isOn || input + output <= threshold) return undefined;
      if (lastRound === undefined || lastRound !== number) return interlude;
      // Each further round would need another request, which does not help either.
      end(
        number,
        `the conversation has more tokens than \`compactThreshold\` (${threshold}) even after a compaction`,
      );
      return undefined;
    },
  };
};

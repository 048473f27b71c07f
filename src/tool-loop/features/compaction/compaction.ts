import { messageOf } from '../../../core/shared/errors.js';
import { itemOf } from '../../../core/custom.js';
import { fromLanguageModel } from '../../../core/versions/language-model.js';
import type { AnyLanguageModel } from '../../../core/versions/specification.js';
import { type Prices, withPrices } from '../../context/prices.js';
import type { CreateFeature, Interlude } from '../feature.js';
import { hasOutput } from '../../context/history.js';
import { createSummaries } from './summary.js';

export interface CompactionOptions {
  /**
   * Compacts the conversation between two rounds when the tokens of a round, input and output, exceed this number: a request
   * with `compactionTrigger` precedes the next round. Models that do not support it give a warning, and the turn goes on.
   * Requires a server with compaction, or `compaction`. `contextManagement` lets the server decide instead.
   * @default the conversation is not compacted
   */
  compactThreshold?: number;
  /**
   * Decides who compacts the conversation at `compactThreshold`. `server`: the server of the model. `model`: the model itself
   * writes a summary, whatever its server, also before the first round of a turn, whose tokens are estimated. `{ model, prompt }`:
   * another model, or other instructions. The summary replaces all but the system messages, the messages of the user
   * that wait for an answer, and the newest rounds.
   * @default 'server'
   */
  compaction?: 'server' | 'model' | { readonly model?: AnyLanguageModel; readonly prompt?: string };
}

/**
 * Compacts the conversation between rounds. A model that does not compact ignores the trigger, and its response is an
 * ordinary round.
 */
export const createCompaction: CreateFeature<CompactionOptions & { readonly prices?: Prices }> = (
  context,
  { compactThreshold: threshold, compaction = 'server', prices },
) => {
  if (threshold === undefined) return undefined;
  if (compaction !== 'server') {
    const { model, prompt: instructions } = compaction === 'model' ? {} : compaction;
    const read = model && fromLanguageModel(model);
    const other = read && (prices === undefined ? read : withPrices(read, prices));
    return createSummaries(context, threshold, other, instructions);
  }
  const { warn } = context;
  let isOn = true;
  let lastRound: number | undefined;

  function end(round: number, reason: string): void {
    isOn = false;
    warn(round, `The conversation is not compacted: ${reason.replace(/\.$/, '')}.`);
  }

  const interlude: Interlude = {
    purpose: { isCompaction: true },
    read(round, content) {
      const isCompacted = content.some(part => itemOf(part)?.type === 'compaction');
      if (!isCompacted) end(round, UNSUPPORTED);
      else lastRound = round;
      return isCompacted && !hasOutput(content);
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

const UNSUPPORTED =
  'the model does not support it. Set `compaction` of the tool loop to "model", so that it writes a summary';

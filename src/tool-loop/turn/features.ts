import { createOutputReader } from '../context/output-reader.js';
import { toOutputLimits } from '../calls/outputs.js';
import type { ReadableOutputs } from '../context/read-output.js';
import type { Prices } from '../context/prices.js';
import type { CreateBuiltIn } from '../context/built-in-tools.js';
import { type BudgetOptions, createBudget } from '../features/budget/budget.js';
import { type ClearingOptions, createClearing } from '../features/clear-outputs/clear-outputs.js';
import { type CompactionOptions, createCompaction } from '../features/compaction/compaction.js';
import { createKeeping, type KeepingOptions } from '../features/kept-outputs/kept-outputs.js';
import type { CreateFeature, FeatureContext, TurnFeature } from '../features/feature.js';
import { type ControlOptions, createRoundControl } from '../features/round-control/round-control.js';
import { createLimits, type LimitOptions } from '../features/limits/limits.js';
import { createOutputLimits } from '../features/output-limits/output-limits.js';
import { createRepeatedCalls, type RepeatedCallOptions } from '../features/repeated-calls/repeated-calls.js';
import { createTurnSteering } from '../features/steering/steering.js';
import { createToolSearch, type ToolSearchOptions } from '../features/tool-search/tool-search.js';

/** The options for features that a call may have as well. */
export type CallFeatureOptions = ControlOptions & BudgetOptions;

/** The options of the application for the features of its turns. */
export type FeatureOptions = CallFeatureOptions &
  RepeatedCallOptions &
  ToolSearchOptions &
  KeepingOptions &
  ClearingOptions &
  CompactionOptions;

/** With the options that the loop has without a feature: it reports costs, reads kept outputs, and a host limits its own loop. */
type GivenOptions = FeatureOptions &
  LimitOptions & {
    readonly prices?: Prices;
    readonly maxToolOutputChars?: Parameters<typeof toOutputLimits>[0];
  };

/**
 * The features of a turn, in the order in which their hooks are called:
 *
 * 1. The limits of rounds, calls and repeats, which decide first about calls and about how a turn ends.
 * 2. Messages of the user that have arrived, so that the application sees them when it changes the request, and so that a
 *    condition can end a turn that would go on for them.
 * 3. The application, which changes requests and ends turns.
 * 4. The search for tools, which decides what each request offers.
 * 5. The keeping of outputs that are too long, which changes no request, and the cutting of those that nothing has kept.
 * 6. The removal of old outputs, which reads the request as it will be sent.
 * 7. The compaction, which summarizes what the others have left. That of a server is a request between two rounds.
 * 8. The budget, which only adds a limit.
 */
const FEATURES: readonly CreateFeature<GivenOptions>[] = [
  createLimits,
  createRepeatedCalls,
  createTurnSteering,
  createRoundControl,
  createToolSearch,
  createKeeping,
  createOutputLimits,
  createClearing,
  createCompaction,
  createBudget,
];

/**
 * Adds the features that a turn uses to a list. If one of them cannot be created, those before are in it, to be ended.
 *
 * @returns The tools that the loop offers for them.
 */
export function addFeatures(
  features: TurnFeature[],
  context: Omit<FeatureContext, 'reader' | 'maxChars'>,
  options: GivenOptions,
): readonly CreateBuiltIn[] {
  const sources: ReadableOutputs[] = [];
  const maxChars = toOutputLimits(options.maxToolOutputChars);
  const reader = createOutputReader(sources, maxChars);
  for (const create of FEATURES) {
    const feature = create({ ...context, reader, maxChars }, options);
    if (feature === undefined) continue;
    features.push(feature);
    if (feature.outputs !== undefined) sources.push(feature.outputs);
  }
  return sources.length > 0 ? [reader.create] : [];
}

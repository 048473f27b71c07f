import type { ToolOutput } from '../../tools/tool-source.js';
import { charsOf, limitOutput } from '../calls/outputs.js';
import type { LongOutput, TurnFeature } from '../features/feature.js';

interface LimitOptions extends LongOutput {
  readonly features: readonly Pick<TurnFeature, 'keep'>[];
  readonly warn: (round: number, message: string) => void;
}

/** Returns an output as the model receives it: as it is, as a feature has kept it, or cut. Rejects on abort. */
export async function toLimitedOutput(
  output: ToolOutput,
  { features, warn, ...long }: LimitOptions,
): Promise<ToolOutput> {
  const limited = limitOutput(output, long);
  // Of an output whose texts are not too long, only media were replaced.
  if (limited === output || charsOf(output) <= long.maxChars) return limited;
  const keepers = features.filter(({ keep }) => keep !== undefined);
  for (const feature of keepers) {
    const kept = await feature.keep?.(output, long);
    if (kept !== undefined) return kept;
  }
  if (keepers.length === 0)
    warn(
      long.round,
      `Outputs of the tool "${long.toolName}" have more than ${long.maxChars} characters and were cut. Set ` +
        '`keepToolOutputs` of the tool loop, so that the model can read the rest, or `maxToolOutputChars`.',
    );
  return limited;
}

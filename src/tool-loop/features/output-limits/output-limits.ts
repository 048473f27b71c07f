import { isTooLong, limitOutput, toOutputLimits } from '../../calls/outputs.js';
import type { CreateFeature } from '../feature.js';

/*
 * Outputs that are too long for a request, and that no feature has kept.
 */

/** Cuts the texts of outputs, and leaves out media that are too large. */
export const createOutputLimits: CreateFeature<{
  readonly maxToolOutputChars?: Parameters<typeof toOutputLimits>[0];
  readonly keepToolOutputs?: unknown;
}> = ({ warn }, { maxToolOutputChars, keepToolOutputs = false }) => {
  const maxCharsOf = toOutputLimits(maxToolOutputChars);
  return {
    output(output, { tool: { name }, round }) {
      // Cutting its text could remove the id with which the model reads the rest.
      if (output.kept !== undefined) return undefined;
      const limit = { maxChars: maxCharsOf(name) };
      const limited = limitOutput(output, limit);
      if (limited !== output && keepToolOutputs === false && isTooLong(output, limit))
        warn(
          round,
          `Outputs of the tool "${name}" have more than ${limit.maxChars} characters and were cut. Set ` +
            '`keepToolOutputs` of the tool loop, so that the model can read the rest, or `maxToolOutputChars`.',
        );
      return limited;
    },
  };
};

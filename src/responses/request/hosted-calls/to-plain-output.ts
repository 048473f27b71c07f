import type { LanguageModelV2ToolResultPart } from '@ai-sdk/provider';
import { toToolOutput } from '../to-tool-output.js';

/** What a tool gave as text, and whether it failed or was refused. */
export function toPlainOutput(
  part: LanguageModelV2ToolResultPart,
  options: { warn: (message: string) => void },
): { text: string; isError: boolean } {
  const output = toToolOutput(part, options);
  const text =
    typeof output === 'string'
      ? output
      : output.flatMap(content => (content.type === 'input_text' ? [content.text] : [])).join('\n');
  // `ai` 6 and 7 have a third type for a call that the user did not allow.
  const type: string = part.output.type;
  return { text, isError: type.startsWith('error-') || type === 'execution-denied' };
}

import type {
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
  LanguageModelV2FunctionTool,
  LanguageModelV2Middleware,
  LanguageModelV2Prompt,
} from '@ai-sdk/provider';
import { transformParts } from '../../parts/transform.js';
import { isContinuation } from '../../tool-calls/call-pairing.js';
import { appendToSystem, appendToUser } from './messages.js';
import type { ToolPrompt } from './tool-prompt.js';
import { writeHistory } from './written-history.js';

/**
 * Creates a middleware that writes tools, calls and results into the prompt, for endpoints that reject `tools`. The calls
 * are read back by a middleware around it, which sees the original request.
 */
export const toolPromptMiddleware = (toolPrompt: ToolPrompt): LanguageModelV2Middleware => ({
  middlewareVersion: 'v2',
  async wrapGenerate({ params, model }) {
    const { changed, warnings } = writeRequest(params, toolPrompt);
    const result = await model.doGenerate(changed);
    return { ...result, warnings: [...result.warnings, ...warnings] };
  },
  async wrapStream({ params, model }) {
    const { changed, warnings } = writeRequest(params, toolPrompt);
    const result = await model.doStream(changed);
    if (warnings.length === 0) return result;
    const stream = transformParts(result.stream, {
      part: (part, emit) =>
        emit(part.type === 'stream-start' ? { ...part, warnings: [...part.warnings, ...warnings] } : part),
    });
    return { ...result, stream };
  },
});

/** Returns true if a JSON response is requested in the prompt, because the endpoint could not enforce it and allow calls. */
export const writesAnswerFormat = ({
  tools = [],
  toolChoice,
  responseFormat,
}: LanguageModelV2CallOptions): boolean =>
  responseFormat?.type === 'json' &&
  toolChoice?.type !== 'none' &&
  tools.some(tool => tool.type === 'function');

function writeRequest(
  params: LanguageModelV2CallOptions,
  toolPrompt: ToolPrompt,
): { changed: LanguageModelV2CallOptions; warnings: LanguageModelV2CallWarning[] } {
  const { tools = [], toolChoice, responseFormat, ...rest } = params;
  // The order is fixed, so that the servers' prompt caches match the beginning of later requests.
  const functions = tools
    .filter((tool): tool is LanguageModelV2FunctionTool => tool.type === 'function')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const warnings = tools
    .filter(tool => tool.type !== 'function')
    .map((tool): LanguageModelV2CallWarning => ({
      type: 'unsupported-tool',
      tool,
      details: 'Tools of the provider cannot be written into the prompt (`toolPrompting`).',
    }));
  let prompt = writeHistory(params.prompt, toolPrompt, { keepOrphans: isContinuation(params) });
  if (functions.length > 0) prompt = appendToSystem(prompt, toolPrompt.tools(functions));
  const isWritten = writesAnswerFormat(params);
  if (isWritten) prompt = appendToSystem(prompt, toAnswerFormat(responseFormat));
  const choice = functions.length > 0 ? toChoice(toolChoice) : undefined;
  if (choice !== undefined) prompt = withFinalInstruction(prompt, choice);
  return {
    changed: { ...rest, prompt, ...(responseFormat !== undefined && !isWritten && { responseFormat }) },
    warnings,
  };
}

/** The choice follows the conversation, because it may differ in each round. */
function withFinalInstruction(prompt: LanguageModelV2Prompt, text: string): LanguageModelV2Prompt {
  const messages = [...prompt];
  if (messages.at(-1)?.role !== 'user') return appendToSystem(prompt, text);
  appendToUser(messages, [{ type: 'text', text }]);
  return messages;
}

function toChoice(choice: LanguageModelV2CallOptions['toolChoice']): string | undefined {
  switch (choice?.type) {
    case 'required':
      return 'Call at least one of the tools in this response.';
    case 'tool':
      return `Call the tool "${choice.toolName}" in this response.`;
    case 'none':
      return 'Do not call tools in this response. Answer with the information that you have.';
    default:
      return undefined;
  }
}

function toAnswerFormat(format: LanguageModelV2CallOptions['responseFormat']): string {
  const { schema, name, description } = format?.type === 'json' ? format : {};
  const subject = [name, description].filter(text => text !== undefined).join(': ');
  return (
    'Calls of tools come first. Write the final answer as JSON, without code fences and without other text' +
    (subject === '' ? '.' : ` (${subject}).`) +
    (schema === undefined ? '' : ` It must match this JSON Schema:\n${JSON.stringify(schema)}`)
  );
}

import type { CoreCall } from '../../core/call.js';
import type { FunctionTool, Prompt, ResponseFormat, ToolChoice } from '../../core/prompt.js';
import type { Warning } from '../../core/part.js';
import { type CoreModel, withChanges } from '../../core/source.js';
import { isContinuation } from '../../tool-calls/call-pairing.js';
import { appendToSystem, appendToUser } from './messages.js';
import type { ToolPrompt } from './tool-prompt.js';
import { writeHistory } from './written-history.js';

/**
 * Writes tools, calls and results into the prompt of a model, for endpoints that reject `tools`. The calls are read back
 * by an adapter around it, which sees the original request.
 */
export const withToolPrompt = (model: CoreModel, toolPrompt: ToolPrompt): CoreModel =>
  withChanges(model, call => {
    const { changed, warnings } = writeRequest(call, toolPrompt);
    if (warnings.length === 0) return { call: changed };
    return {
      call: changed,
      response: {
        part: (part, emit) =>
          emit(part.type === 'stream-start' ? { ...part, warnings: [...part.warnings, ...warnings] } : part),
      },
    };
  });

/** Returns true if a JSON response is requested in the prompt, because the endpoint could not enforce it and allow calls. */
export const writesAnswerFormat = ({
  tools = [],
  toolChoice,
  responseFormat,
}: Pick<CoreCall, 'tools' | 'toolChoice' | 'responseFormat'>): boolean =>
  responseFormat?.type === 'json' &&
  toolChoice?.type !== 'none' &&
  tools.some(tool => tool.type === 'function');

function writeRequest(call: CoreCall, toolPrompt: ToolPrompt): { changed: CoreCall; warnings: Warning[] } {
  const { tools = [], toolChoice, responseFormat, ...rest } = call;
  // The order is fixed, so that the servers' prompt caches match the beginning of later requests.
  const functions = tools
    .filter((tool): tool is FunctionTool => tool.type === 'function')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const warnings = tools
    .filter(tool => tool.type !== 'function')
    .map((tool): Warning => ({
      type: 'unsupported',
      feature: `tool ${tool.name}`,
      tool,
      details: 'Tools of the provider cannot be written into the prompt (`toolPrompting`).',
    }));
  let prompt = writeHistory(call.prompt, toolPrompt, { keepOrphans: isContinuation(call) });
  if (functions.length > 0) prompt = appendToSystem(prompt, toolPrompt.tools(functions));
  const isWritten = writesAnswerFormat(call);
  if (isWritten) prompt = appendToSystem(prompt, toAnswerFormat(responseFormat));
  const choice = functions.length > 0 ? toChoice(toolChoice) : undefined;
  if (choice !== undefined) prompt = withFinalInstruction(prompt, choice);
  return {
    changed: { ...rest, prompt, ...(responseFormat !== undefined && !isWritten && { responseFormat }) },
    warnings,
  };
}

/** The choice follows the conversation, because it may differ in each round. */
function withFinalInstruction(prompt: Prompt, text: string): Prompt {
  const messages = [...prompt];
  if (messages.at(-1)?.role !== 'user') return appendToSystem(prompt, text);
  appendToUser(messages, [{ type: 'text', text }]);
  return messages;
}

function toChoice(choice: ToolChoice | undefined): string | undefined {
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

function toAnswerFormat(format: ResponseFormat | undefined): string {
  const { schema, name, description } = format?.type === 'json' ? format : {};
  const subject = [name, description].filter(text => text !== undefined).join(': ');
  return (
    'Calls of tools come first. Write the final answer as JSON, without code fences and without other text' +
    (subject === '' ? '.' : ` (${subject}).`) +
    (schema === undefined ? '' : ` It must match this JSON Schema:\n${JSON.stringify(schema)}`)
  );
}

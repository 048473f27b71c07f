import type { CoreCall } from '../../core/call.js';
import type { FunctionTool, Message, Prompt, ResponseFormat, ToolChoice } from '../../core/prompt.js';
import type { Warning } from '../../core/part.js';
import { type CoreModel, withChanges } from '../../core/source.js';
import { continuesStoredResponse } from '../../tool-calls/call-pairing.js';
import { appendToSystem, appendToUser } from './messages.js';
import type { PromptWriter } from './tool-prompt.js';
import { writeHistory } from './written-history.js';

/**
 * Writes tools, calls and results into the prompt of a model, for endpoints that reject `tools`. The calls are read back
 * by an adapter around it, which sees the original request.
 */
export const withToolPrompt = (model: CoreModel, writer: PromptWriter): CoreModel =>
  withChanges(model, call => {
    const { changed, warnings } = writeRequest(call, writer);
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

function writeRequest(call: CoreCall, writer: PromptWriter): { changed: CoreCall; warnings: Warning[] } {
  const { tools = [], toolChoice, responseFormat, ...rest } = call;
  const functions = tools.filter((tool): tool is FunctionTool => tool.type === 'function');
  const warnings = tools
    .filter(tool => tool.type !== 'function')
    .map((tool): Warning => ({
      type: 'unsupported',
      feature: `tool ${tool.name}`,
      tool,
      details: 'Tools of the provider cannot be written into the prompt (`toolPrompting`).',
    }));
  let prompt = writeHistory(call.prompt, writer, { keepOrphans: continuesStoredResponse(call) });
  if (functions.length > 0) prompt = withTools(prompt, writer, functions);
  const isWritten = writesAnswerFormat(call);
  if (isWritten) prompt = appendToSystem(prompt, toAnswerFormat(responseFormat));
  const choice = functions.length > 0 ? toChoice(toolChoice) : undefined;
  if (choice !== undefined) prompt = withFinalInstruction(prompt, choice);
  return {
    changed: { ...rest, prompt, ...(responseFormat !== undefined && !isWritten && { responseFormat }) },
    warnings,
  };
}

/** Replaces the first system message by those with the tools. */
function withTools(prompt: Prompt, writer: PromptWriter, tools: readonly FunctionTool[]): Prompt {
  const [first, ...rest] = prompt;
  const hasSystem = first?.role === 'system';
  const texts = writer.declare(hasSystem ? first.content : undefined, tools);
  const messages = texts.map((content): Message => ({ role: 'system', content }));
  // The options of the system message belong to its text.
  const options = hasSystem &&
    first.providerOptions !== undefined && { providerOptions: first.providerOptions };
  return [...messages.map(message => ({ ...message, ...options })), ...(hasSystem ? rest : prompt)];
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

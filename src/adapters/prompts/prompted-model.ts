import type { CoreCall } from '../../core/call.js';
import {
  type AssistantMessage,
  type FilePart,
  type FunctionTool,
  type Message,
  type Prompt,
  type ResponseFormat,
  toDeniedText,
  type ToolCallPart,
  type ToolChoice,
  type ToolPart,
  type ToolResultOutput,
  type UserPart,
} from '../../core/prompt.js';
import type { Warning } from '../../core/part.js';
import { type CoreModel, type PartTransformer, withChanges } from '../../core/source.js';
import { continuesStoredResponse, pairToolCalls } from '../../core/tool-calls/call-pairing.js';
import type { PromptCall, PromptWriter } from './tool-prompt.js';
import { objectOf, tryParseJson } from '../../core/shared/json.js';
import { toJson } from './tool-declarations.js';

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
const writesAnswerFormat = (call: Pick<CoreCall, 'tools' | 'toolChoice' | 'responseFormat'>): boolean =>
  call.responseFormat?.type === 'json' &&
  call.toolChoice?.type !== 'none' &&
  (call.tools ?? []).some(tool => tool.type === 'function');

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

/**
 * Writes the calls and results of a history as text. Results become user messages, because endpoints without tools have
 * no role for them. Images and files in results become parts of these messages.
 *
 * @param keepOrphans True if the server stores the history, so that results occur without their calls.
 */
function writeHistory(prompt: Prompt, writer: PromptWriter, options: { keepOrphans: boolean }): Prompt {
  const written: Message[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (id: string): number => numbers.get(id) ?? numbers.set(id, numbers.size).size - 1;
  // The results of the previous message are joined with the next user message, as many endpoints require alternation.
  let areResults = false;
  for (const message of pairToolCalls(prompt, {
    isFunctionTool: () => true,
    keepOrphans: options.keepOrphans,
  })) {
    if (message.role === 'tool') {
      // Answers to requests for approval are for layers that run tools.
      if (!message.content.some(part => part.type === 'tool-result')) continue;
      appendToUser(written, writeResults(message.content, { writer, numberOf }));
      areResults = true;
      continue;
    }
    if (message.role === 'user' && areResults) appendToUser(written, message.content);
    else written.push(message.role === 'assistant' ? writeCalls(message, { writer, numberOf }) : message);
    areResults = false;
  }
  return written;
}

/** The writer of a conversation, and the numbers of its calls. */
interface HistoryContext {
  readonly writer: PromptWriter;
  numberOf(id: string): number;
}

function writeCalls(message: AssistantMessage, context: HistoryContext): AssistantMessage {
  const calls = message.content.filter(part => part.type === 'tool-call');
  if (calls.length === 0) return message;
  const rest = message.content.filter(part => part.type !== 'tool-call');
  const texts = rest.filter(part => part.type === 'text').map(part => part.text);
  const text = context.writer.write(
    texts.filter(part => part !== '').join('\n'),
    calls.map(call => toPromptCall(call, context.numberOf(call.toolCallId))),
  );
  // Item ids and similar options belong to the parts that the server returned, not to this text.
  return {
    role: 'assistant',
    content: [...rest.filter(part => part.type !== 'text'), { type: 'text', text }],
  };
}

const toPromptCall = (part: ToolCallPart, number: number): PromptCall => ({
  number,
  id: part.toolCallId,
  name: part.toolName,
  input: objectOf(typeof part.input === 'string' ? tryParseJson(part.input) : part.input) ?? {},
});

function writeResults(parts: readonly ToolPart[], context: HistoryContext): UserPart[] {
  const results = parts.filter(part => part.type === 'tool-result');
  const text = context.writer.results(
    results.map(result => ({
      id: result.toolCallId,
      name: result.toolName,
      number: context.numberOf(result.toolCallId),
      text: toText(result.output),
    })),
  );
  return [{ type: 'text', text }, ...results.flatMap(result => toFiles(result.output))];
}

function toText(output: ToolResultOutput): string {
  switch (output.type) {
    case 'text':
      return output.value;
    case 'error-text':
      return `Error: ${output.value}`;
    case 'execution-denied':
      return `Error: ${toDeniedText(output)}`;
    case 'json':
      return toJson(output.value);
    case 'error-json':
      return `Error: ${toJson(output.value)}`;
    case 'content':
      return output.value
        .flatMap(part => {
          if (part.type === 'text') return [part.text];
          return part.type === 'file' ? [`[${part.mediaType}, attached to this message]`] : [];
        })
        .join('\n');
  }
}

const toFiles = (output: ToolResultOutput): FilePart[] =>
  output.type !== 'content'
    ? []
    : output.value.flatMap(part =>
        part.type === 'file' ? [{ type: 'file', data: part.data, mediaType: part.mediaType }] : [],
      );

/** Adds content to the last message if it is of the user, otherwise as a new message. */
function appendToUser(messages: Message[], content: readonly UserPart[]): void {
  const last = messages.at(-1);
  if (last?.role === 'user')
    messages[messages.length - 1] = { ...last, content: [...last.content, ...content] };
  else messages.push({ role: 'user', content });
}

/** Adds a text to the first system message, or inserts one. */
function appendToSystem(prompt: Prompt, text: string): Prompt {
  const [first, ...rest] = prompt;
  return first?.role === 'system'
    ? [{ ...first, content: `${first.content}\n\n${text}` }, ...rest]
    : [{ role: 'system', content: text }, ...prompt];
}

/** White space and the opening line of fenced code. */
const OPEN = /^\s*```[a-z]*[ \t]*(?:\r?\n|(?=[{["]))/i;
/** A text that may still become `OPEN`. */
const MAYBE_OPEN = /^\s*(?:`{0,3}|```[a-z]*[ \t]*\r?)$/i;

/**
 * Removes the code fence around a JSON response. Models add it although the prompt forbids it, and hosts parse the text
 * as it is. Runs around the adapters, because calls in code fences are not read.
 */
export const withJsonAnswers = (model: CoreModel): CoreModel =>
  withChanges(model, call => (writesAnswerFormat(call) ? { response: createTransformer() } : {}));

function createTransformer(): PartTransformer {
  const texts = new Map<string, Unfencing>();
  return {
    part(part, emit) {
      if (part.type === 'text-delta') {
        const delta = texts.get(part.id)?.add(part.delta) ?? part.delta;
        if (delta !== '') emit({ ...part, delta });
        return;
      }
      if (part.type === 'text-start') texts.set(part.id, createUnfencing());
      const rest = part.type === 'text-end' ? texts.get(part.id)?.end() : undefined;
      if (part.type === 'text-end' && rest) emit({ type: 'text-delta', id: part.id, delta: rest });
      emit(part);
    },
  };
}

interface Unfencing {
  /** Returns the text that is certain. */
  add(delta: string): string;
  end(): string;
}

function createUnfencing(): Unfencing {
  let state: 'start' | 'fenced' | 'plain' = 'start';
  let held = '';
  return {
    add(delta) {
      const text = held + delta;
      held = '';
      if (state === 'plain') return text;
      if (state === 'start') {
        if (MAYBE_OPEN.test(text)) {
          held = text;
          return '';
        }
        const [open = ''] = OPEN.exec(text) ?? [];
        state = open === '' ? 'plain' : 'fenced';
        if (state === 'plain') return text;
        return this.add(text.slice(open.length));
      }
      const end = endOf(text);
      held = text.slice(end);
      return text.slice(0, end);
    },
    end() {
      const rest = held;
      held = '';
      return state === 'fenced' && rest.includes('```') ? '' : rest;
    },
  };
}

/** Returns the offset of the white space and of the fence, or its beginning, at the end of a text. */
const endOf = (text: string): number =>
  text
    .trimEnd()
    .replace(/`{1,3}$/, '')
    .trimEnd().length;

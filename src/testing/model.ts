import { isPlainObject, objectsOf, type PlainObject, tryParseJson } from '../shared/json.js';
import { type ResponsesRequest, toItemType } from './request.js';
import { buildResponse, createMistralCallId, toPromptText } from './response.js';
import { createValuePool, fillSchema } from './schema-values.js';
import type { Fault, ScriptedItem, ScriptedOutput, ScriptedResponse, ScriptedStatus } from './scripts.js';
import type { EmulatorContext } from './state.js';
import { writeToolCalls } from './text-tool-calls.js';
import { chooseTools, isSequential, type WantedTool } from './tool-choice.js';
import type { EmulatedResponse } from './wire.js';

/** What a request is answered with, before any API has put it into its words. */
export type ModelResponse =
  ScriptedStatus | { readonly response: EmulatedResponse; readonly script: OutputScript };

/** A script that is not just a status. */
export type OutputScript = ScriptedOutput | (Fault & Omit<ScriptedOutput, 'fault'>);

/** Lets the model answer: with what is scripted, else by its rules. */
export function runModel(
  request: ResponsesRequest,
  { cache, queue, rulesFor, toolCallFormatFor }: EmulatorContext,
): ModelResponse {
  const scripted = queue.shift() ?? {};
  if ('status' in scripted) return scripted;
  const script: OutputScript = isItemList(scripted) ? { output: scripted } : scripted;
  const format = toolCallFormatFor(request.model);
  const answer = script.output ?? respondByRules(request);
  const response = buildResponse(format === undefined ? answer : writeToolCalls(answer, format), {
    request,
    cachedTokens: cache.countCachedTokens(toPromptText(request), request),
    incomplete: script.incomplete,
    usage: script.usage,
    ...(rulesFor(request.model) !== 'openai' && { createCallId: createMistralCallId }),
  });
  return { response, script };
}

const isItemList = (answer: ScriptedResponse): answer is readonly ScriptedItem[] => Array.isArray(answer);

/**
 * The emulator's "model": a request in, output items out, always the same for the same request.
 *
 * It calls the tools that the user's last message asks for and then tells what they gave. Several tools are called
 * at once, unless `parallel_tool_calls` is off or the message says "then" or "one after another".
 */
export function respondByRules(request: ResponsesRequest): ScriptedItem[] {
  const turn = readTurn(request.items);
  const calls = planCalls(request, turn);
  const answer = calls.length > 0 ? calls.map(toCall) : [toFinalAnswer(request, turn)];
  return request.reasons ? [toReasoning(request, calls), ...answer] : answer;
}

function planCalls({ tools, toolChoice, parallelToolCalls }: ResponsesRequest, turn: Turn): WantedTool[] {
  const [firstTool] = tools;
  if (firstTool === undefined || toolChoice.mode === 'none' || isRefused(turn)) return [];
  const wanted = chooseTools(turn.message, { tools });
  const open = withoutDone(wanted, turn);
  if (toolChoice.mode === 'auto') {
    return parallelToolCalls && !isSequential(turn.message) ? open : open.slice(0, 1);
  }
  // A forced choice leaves no other way than to call, if need be a second time.
  const forced =
    toolChoice.name === undefined ? wanted[0]?.tool : tools.find(tool => tool.name === toolChoice.name);
  const matching = open.filter(({ tool }) => toolChoice.name === undefined || tool.name === toolChoice.name);
  const calls = matching.length > 0 ? matching : [{ tool: forced ?? firstTool, text: turn.message }];
  return parallelToolCalls && !isSequential(turn.message) ? calls : calls.slice(0, 1);
}

/** Takes away what was called in this turn: once for each call, as a message may want a tool twice. */
function withoutDone(wanted: readonly WantedTool[], { calls }: Turn): WantedTool[] {
  const done = calls.map(({ name }) => name);
  return wanted.filter(({ tool }) => {
    const index = done.indexOf(tool.name);
    if (index >= 0) done.splice(index, 1);
    return index < 0;
  });
}

const toCall = ({ tool, text }: WantedTool): ScriptedItem => ({
  call: tool.name,
  arguments: JSON.stringify(
    fillSchema({ type: 'object', ...tool.parameters }, { pool: createValuePool(text) }),
  ),
});

function toFinalAnswer({ format }: ResponsesRequest, turn: Turn): ScriptedItem {
  if (isRefused(turn)) return { refusal: "I'm sorry, but I can't help with that." };
  if (format !== undefined) {
    return { text: JSON.stringify(fillSchema(format, { pool: createValuePool(turn.message) })) };
  }
  if (turn.calls.length === 0) return { text: `You said: ${turn.description}` };
  return { text: turn.calls.map(describeCall).join('\n') };
}

const isRefused = ({ message }: Turn): boolean => /\brefuse\b/i.test(message);

// Long enough for what a tool usually says, short enough to read.
const maxQuotedCharacters = 2000;

function describeCall({ name, output }: Turn['calls'][number]): string {
  const text = describeContent(output);
  const quoted = text.length > maxQuotedCharacters ? `${text.slice(0, maxQuotedCharacters)}…` : text;
  if (isFailure(output)) return `The tool ${name} failed: ${quoted}`;
  return quoted === '' ? `The tool ${name} answered nothing.` : `The tool ${name} answered: ${quoted}`;
}

function toReasoning({ reasoningSummary }: ResponsesRequest, calls: readonly WantedTool[]): ScriptedItem {
  if (!reasoningSummary) return { reasoning: [] };
  const names = calls.map(({ tool }) => tool.name).join(' and ');
  return {
    reasoning:
      calls.length > 0
        ? `**Choosing tools**\n\nThe message asks for something that ${names} can do, so I call ${names}.`
        : '**Answering**\n\nI have what I need, so I answer now.',
  };
}

/** What has happened since the user last spoke. */
export interface Turn {
  /** The user's last message as text. */
  readonly message: string;
  /** The same with its images and files named. */
  readonly description: string;
  /** The calls made since then, oldest first. */
  readonly calls: readonly { readonly name: string; readonly output: unknown }[];
}

/** Reads the turn off a conversation. A message without text, such as an image a tool gave, starts none. */
export function readTurn(items: readonly PlainObject[]): Turn {
  const start = items.findLastIndex(
    item => toItemType(item) === 'message' && item.role === 'user' && toText(item.content) !== '',
  );
  const since = items.slice(start + 1);
  const calls = since
    .filter(item => item.type === 'function_call')
    .map(call => ({
      name: String(call.name),
      output: since.find(item => item.type === 'function_call_output' && item.call_id === call.call_id)
        ?.output,
    }));
  const content = items[start]?.content;
  return { message: toText(content), description: describeContent(content), calls };
}

/** The text of a message or a tool output; what is no text is named: "an image (image/png)". */
export function describeContent(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  return objectsOf(content).map(describePart).filter(Boolean).join(', ');
}

/** The text parts alone. */
export function toText(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  return objectsOf(content)
    .map(part => (typeof part.text === 'string' ? part.text.trim() : ''))
    .filter(Boolean)
    .join(' ');
}

/**
 * Whether a tool output tells of a failure. The API has no field for that, so the words decide: an output
 * that begins with "Error", says that the tool failed, or is JSON with an `error`.
 */
export function isFailure(output: unknown): boolean {
  const text = toText(output);
  if (
    /^(mcp )?error\b|^unknown tool\b|^(the )?(tool|call)\b.{0,100}\b(failed|timed out|refused|unknown)\b/i.test(
      text,
    )
  ) {
    return true;
  }
  const json = tryParseJson(text);
  return isPlainObject(json) && (Boolean(json.error) || json.isError === true);
}

function describePart(part: PlainObject): string {
  if (typeof part.text === 'string') return part.text.trim();
  const mediaType = /^data:([\w.+/-]+)/.exec(String(part.image_url ?? part.file_data ?? ''))?.[1];
  const detail = mediaType ?? part.filename ?? part.image_url ?? part.file_url ?? part.file_id;
  if (part.type === 'input_image') return `an image (${String(detail)})`;
  if (part.type === 'input_file') return `a file (${String(detail)})`;
  return '';
}

import { isPlainObject, objectsOf, type PlainObject, tryParseJson } from '../../core/shared/json.js';
import { type ResponsesRequest, toItemType } from '../protocol/request.js';
import type {
  Fault,
  RewriteOutput,
  ScriptedItem,
  ScriptedOutput,
  ScriptedResponse,
  ScriptedStatus,
} from '../protocol/scripts.js';
import type { EmulatedResponse } from '../protocol/wire.js';
import { createCompactionItem, toCompaction } from './endpoints.js';
import { buildResponse, createId, type PromptCache, type ResponseOptions, toPromptText } from './response.js';
import { chooseTools, createValuePool, fillSchema, isSequential, type WantedTool } from './tool-calls.js';

/** The response to a request, before it is converted to the format of an API. */
type ModelResponse = ScriptedStatus | { readonly response: EmulatedResponse; readonly script: OutputScript };

/** A script that is not only a status. */
type OutputScript = ScriptedOutput | (Fault & Omit<ScriptedOutput, 'fault'>);

export interface ModelState {
  readonly cache: PromptCache;
  /** The scripts of the next requests. */
  readonly queue: ScriptedResponse[];
  readonly rewriteOutput: RewriteOutput;
  /** Changes what the model responds by its rules. @default nothing is changed */
  readonly extendRules?: (
    items: readonly ScriptedItem[],
    request: ResponsesRequest,
  ) => readonly ScriptedItem[];
}

/** Creates the response to a request from the next script, or by the rules of the model. */
export function runModel(
  request: ResponsesRequest,
  { cache, queue, rewriteOutput, extendRules = items => items }: ModelState,
  server: Pick<ResponseOptions, 'hasPlainReasoning' | 'hidesTruncation'> = {},
): ModelResponse {
  const scripted = queue.shift() ?? {};
  if ('status' in scripted) return scripted;
  const script: OutputScript = isItemList(scripted) ? { output: scripted } : scripted;
  const items = script.output ?? extendRules(respondByRules(request), request);
  const response = buildResponse(rewriteOutput(items, request), {
    request,
    cachedTokens: cache.countCachedTokens(toPromptText(request), request),
    incomplete: script.incomplete,
    usage: script.usage,
    ...server,
  });
  return { response, script };
}

const isItemList = (scripted: ScriptedResponse): scripted is readonly ScriptedItem[] =>
  Array.isArray(scripted);

/**
 * The emulated model. The same request always gets the same output items.
 *
 * It calls the tools that the last user message requests and then reports their outputs. It calls several tools at
 * once, unless `parallel_tool_calls` is off or the message contains "then" or "one after another".
 */
function respondByRules(request: ResponsesRequest): ScriptedItem[] {
  if (request.items.at(-1)?.type === 'compaction_trigger') return [createCompactionItem()];
  const turn = readTurn(request.items);
  const calls = planCalls(request, turn);
  const search = toSearch(calls, request);
  return [
    ...toCompaction(request),
    ...(request.reasons ? [toReasoning(request, calls)] : []),
    ...search.items,
    ...(search.isForClient ? [] : calls.map(tool => toCall(tool, request))),
    ...(calls.length > 0 ? [] : [toAnswer(request, turn)]),
  ];
}

function planCalls(request: ResponsesRequest, turn: Turn): WantedTool[] {
  const { toolChoice, parallelToolCalls } = request;
  const tools = [...request.tools, ...request.searchableTools];
  const [firstTool] = tools;
  if (firstTool === undefined || toolChoice.mode === 'none' || isRefused(turn)) return [];
  const wanted = chooseTools(turn.message, tools);
  const open = withoutDone(wanted, turn);
  const maximum = parallelToolCalls && !isSequential(turn.message) ? Infinity : 1;
  if (toolChoice.mode === 'auto') return open.slice(0, maximum);
  // A forced choice requires a call, even a repeated one.
  const forced =
    toolChoice.name === undefined ? wanted[0]?.tool : tools.find(tool => tool.name === toolChoice.name);
  const matching = open.filter(
    wantedTool => toolChoice.name === undefined || wantedTool.tool.name === toolChoice.name,
  );
  return matching.length > 0
    ? matching.slice(0, maximum)
    : [{ tool: forced ?? firstTool, text: turn.message }];
}

/** Removes one entry for each call of this turn, because a message may request a tool twice. */
function withoutDone(wanted: readonly WantedTool[], turn: Turn): WantedTool[] {
  const done = turn.calls.map(call => call.name);
  return wanted.filter(wantedTool => {
    const index = done.indexOf(wantedTool.tool.name);
    if (index >= 0) done.splice(index, 1);
    return index < 0;
  });
}

/**
 * Searches for the deferred functions that the model is going to call. The API finds them in the same response; a search of
 * the client has an id and ends the response.
 */
function toSearch(
  calls: readonly WantedTool[],
  request: ResponsesRequest,
): { items: ScriptedItem[]; isForClient: boolean } {
  const found = [...new Set(calls.map(wantedTool => wantedTool.tool))].filter(tool =>
    request.searchableTools.includes(tool),
  );
  const search = objectsOf(request.body.tools).find(entry => entry.type === 'tool_search');
  if (search === undefined || found.length === 0) return { items: [], isForClient: false };
  const isForClient = search.execution === 'client';
  const common = { execution: isForClient ? 'client' : 'server', status: 'completed' };
  const paths = [...new Set(found.map(({ name, namespace = name }) => namespace))];
  const call = {
    type: 'tool_search_call',
    id: createId('tsc'),
    call_id: isForClient ? createId('call') : null,
    arguments: { paths },
    ...common,
  };
  if (isForClient) return { items: [call], isForClient };
  const tools = found.map(tool => {
    const declared = objectsOf(request.body.tools).find(
      entry => entry.type === 'namespace' && entry.name === tool.namespace,
    );
    return tool.namespace === undefined ? tool.definition : { ...declared, tools: [tool.definition] };
  });
  const output = { type: 'tool_search_output', id: createId('tso'), call_id: null, tools, ...common };
  return { items: [call, output], isForClient };
}

const toCall = ({ tool, text }: WantedTool, request: ResponsesRequest): ScriptedItem => ({
  call: tool.name,
  ...(tool.namespace !== undefined && { namespace: tool.namespace }),
  // A deferred function without a namespace gets a namespace with its own name.
  ...(tool.namespace === undefined && request.searchableTools.includes(tool) && { namespace: tool.name }),
  arguments: JSON.stringify(
    fillSchema({ type: 'object', ...tool.parameters }, { pool: createValuePool(text) }),
  ),
});

function toAnswer(request: ResponsesRequest, turn: Turn): ScriptedItem {
  if (isRefused(turn)) return { refusal: "I'm sorry, but I can't help with that." };
  if (request.format !== undefined) {
    return { text: JSON.stringify(fillSchema(request.format, { pool: createValuePool(turn.message) })) };
  }
  if (turn.calls.length === 0) return { text: `You said: ${turn.description}` };
  return { text: turn.calls.map(describeCall).join('\n') };
}

const isRefused = (turn: Turn): boolean => /\brefuse\b/i.test(turn.message);

// Long enough for usual tool outputs, short enough to read.
const maxQuotedCharacters = 2000;

function describeCall(call: Turn['calls'][number]): string {
  const text = describeContent(call.output);
  const quoted = text.length > maxQuotedCharacters ? `${text.slice(0, maxQuotedCharacters)}…` : text;
  if (isFailure(call.output)) return `The tool ${call.name} failed: ${quoted}`;
  return quoted === ''
    ? `The tool ${call.name} returned nothing.`
    : `The tool ${call.name} returned: ${quoted}`;
}

function toReasoning(request: ResponsesRequest, calls: readonly WantedTool[]): ScriptedItem {
  if (!request.reasoningSummary) return { reasoning: [] };
  const names = calls.map(call => call.tool.name).join(' and ');
  return {
    reasoning:
      calls.length > 0
        ? `**Choosing tools**\n\nThe message asks for something that ${names} can do, so I call ${names}.`
        : '**Answering**\n\nI have what I need, so I answer now.',
  };
}

/** The last user message and the calls since then. */
interface Turn {
  readonly message: string;
  /** The same text with descriptions of its images and files. */
  readonly description: string;
  readonly since: readonly PlainObject[];
  /** The calls since that message, oldest first. */
  readonly calls: readonly { readonly name: string; readonly output: unknown }[];
}

/**
 * Reads the current turn of a conversation. A user message without text, such as a tool's image, starts no turn.
 * @internal
 */
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
  return { message: toText(content), description: describeContent(content), since, calls };
}

/** Returns the text of a message or tool output. Other parts are described: "an image (image/png)". */
function describeContent(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  return objectsOf(content).map(describePart).filter(Boolean).join(', ');
}

/** Returns the text parts only. */
function toText(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  return objectsOf(content)
    .map(part => (typeof part.text === 'string' ? part.text.trim() : ''))
    .filter(Boolean)
    .join(' ');
}

/**
 * Returns true if a tool output describes a failure. The API has no field for that. Matches output that begins with
 * "Error", text that reports a failed tool, and JSON with an `error`.
 */
function isFailure(output: unknown): boolean {
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

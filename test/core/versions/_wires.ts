import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An API that the server of the tests speaks. */
export type Wire = 'responses' | 'chat' | 'gemini';

export type Json = Readonly<Record<string, unknown>>;

/** A request as it left the process. */
export interface WireRequest {
  readonly wire: Wire;
  readonly body: Json;
  readonly stream: boolean;
}

export interface AnsweredCall {
  readonly tool: string;
  readonly input: Json;
  /** The id that the model gives the call. Gemini gives none. */
  readonly id: string;
  /** The id of the item, in the Responses API. */
  readonly itemId: string;
}

/** What the model answers to one request. */
export interface Answer {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly AnsweredCall[];
  /** Queries of web searches that the server of the Responses API runs. */
  readonly searches?: readonly string[];
  /** Further items of the Responses API. */
  readonly items?: readonly Json[];
  /** @default the reason that fits to the calls */
  readonly finish?: 'length' | 'content-filter';
  /** The status of an error, which is sent instead of an answer. */
  readonly status?: number;
}

export interface WireServer {
  readonly url: string;
  /** The settings of a provider that speaks to this server. */
  readonly connection: { readonly baseURL: string; readonly apiKey: string };
  /** Requests since the last `reset`. */
  readonly requests: readonly WireRequest[];
  /** Sets the function that answers requests from now on. */
  answer(respond: (request: WireRequest) => Answer): void;
  /** Forgets requests and stored items. */
  reset(): void;
  /** Returns an item that a response with `store` other than false contained. */
  storedItem(id: string): Json | undefined;
  close(): Promise<void>;
}

/** Starts a server on 127.0.0.1 with `/v1/responses`, `/v1/chat/completions` and `/v1beta/models/…`. */
export async function startWireServer(): Promise<WireServer> {
  let respond: (request: WireRequest) => Answer = () => ({ text: 'Hello.' });
  const requests: WireRequest[] = [];
  const stored = new Map<string, Json>();
  let count = 0;

  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
    const wire = toWire(incoming.url ?? '');
    if (wire === undefined) return void response.writeHead(404).end('{}');
    const body = JSON.parse(text || '{}') as Json;
    const stream = body.stream === true || incoming.url?.includes(':streamGenerateContent') === true;
    const request: WireRequest = { wire, body, stream };
    requests.push(request);
    const answer = respond(request);
    if (answer.status !== undefined) return sendError(response, answer.status);
    const number = ++count;
    switch (wire) {
      case 'responses': {
        const output = toItems(answer, number);
        if (body.store !== false) for (const item of output) stored.set(String(item.id), item);
        return send(response, stream, toResponses(answer, output, number));
      }
      case 'chat':
        return send(response, stream, toChat(answer, number));
      case 'gemini':
        return send(response, stream, toGemini(answer, number));
    }
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    connection: { baseURL: `${url}/v1`, apiKey: 'sk-test' },
    requests,
    answer(next) {
      respond = next;
    },
    reset() {
      requests.length = 0;
      stored.clear();
      count = 0;
    },
    storedItem: id => stored.get(id),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function toWire(path: string): Wire | undefined {
  if (path.endsWith('/v1/responses')) return 'responses';
  if (path.endsWith('/v1/chat/completions')) return 'chat';
  return path.startsWith('/v1beta/models/') ? 'gemini' : undefined;
}

/** A complete response, and the events of the same response as a stream. */
interface Written {
  readonly body: Json;
  readonly events: readonly Json[];
  /** The last line of the stream. */
  readonly end?: string;
}

function send(response: ServerResponse, stream: boolean, { body, events, end = '' }: Written): void {
  if (!stream) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('') + end);
}

function sendError(response: ServerResponse, status: number): void {
  const error = { message: 'The request was rejected by the script.', type: 'invalid_request_error' };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

// The Responses API

function toItems(answer: Answer, number: number): Json[] {
  const { reasoning, text, calls = [], searches = [] } = answer;
  const items: Json[] = [...(answer.items ?? [])];
  if (reasoning !== undefined) {
    items.push({
      ...{ id: `rs_${number}`, type: 'reasoning', encrypted_content: `sealed-${number}` },
      summary: [{ type: 'summary_text', text: reasoning }],
    });
  }
  for (const query of searches) {
    const action = { type: 'search', query, queries: [query] };
    items.push({ id: `ws_${query}`, type: 'web_search_call', status: 'completed', action });
  }
  if (text !== undefined) {
    items.push({
      ...{ id: `msg_${number}`, type: 'message', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
    });
  }
  for (const { tool, input, id, itemId } of calls) {
    items.push({
      ...{ id: itemId, type: 'function_call', call_id: id, name: tool, status: 'completed' },
      arguments: JSON.stringify(input),
    });
  }
  return items;
}

function toResponses({ finish }: Answer, output: readonly Json[], number: number): Written {
  const status = finish === undefined ? 'completed' : 'incomplete';
  const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter';
  const response = {
    ...{ id: `resp_${number}`, object: 'response', created_at: 1_700_000_000, model: 'scripted' },
    ...{ error: null, parallel_tool_calls: true, tool_choice: 'auto', tools: [], metadata: {} },
  };
  const body = {
    ...response,
    status,
    output,
    incomplete_details: finish === undefined ? null : { reason },
    usage: {
      ...{ input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      input_tokens_details: { cached_tokens: 4 },
      output_tokens_details: { reasoning_tokens: 2 },
    },
  };
  const begun = { ...response, status: 'in_progress', output: [], usage: null, incomplete_details: null };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...output.flatMap(toItemEvents),
    { type: `response.${status}`, response: body },
  ];
  return { body, events: events.map((event, sequence_number) => ({ ...event, sequence_number })) };
}

function toItemEvents(item: Json, output_index: number): Json[] {
  const at = { item_id: item.id, output_index };
  const added = (changes: Json): Json => ({
    ...{ type: 'response.output_item.added', output_index },
    item: { ...item, ...changes },
  });
  const done = { type: 'response.output_item.done', output_index, item };
  switch (item.type) {
    case 'reasoning': {
      const [part] = item.summary as readonly { text: string }[];
      const text = part?.text ?? '';
      const summary = { ...at, summary_index: 0 };
      const empty = { type: 'summary_text', text: '' };
      return [
        added({ summary: [], encrypted_content: '' }),
        { type: 'response.reasoning_summary_part.added', ...summary, part: empty },
        { type: 'response.reasoning_summary_text.delta', ...summary, delta: text },
        { type: 'response.reasoning_summary_text.done', ...summary, text },
        { type: 'response.reasoning_summary_part.done', ...summary, part },
        done,
      ];
    }
    case 'message': {
      const [part] = item.content as readonly { text: string }[];
      const text = part?.text ?? '';
      const content = { ...at, content_index: 0 };
      const empty = { type: 'output_text', text: '', annotations: [], logprobs: [] };
      return [
        added({ status: 'in_progress', content: [] }),
        { type: 'response.content_part.added', ...content, part: empty },
        { type: 'response.output_text.delta', ...content, delta: text, logprobs: [] },
        { type: 'response.output_text.done', ...content, text, logprobs: [] },
        { type: 'response.content_part.done', ...content, part },
        done,
      ];
    }
    case 'function_call': {
      const { arguments: json, name } = item;
      return [
        added({ status: 'in_progress', arguments: '' }),
        { type: 'response.function_call_arguments.delta', ...at, delta: json },
        { type: 'response.function_call_arguments.done', ...at, name, arguments: json },
        done,
      ];
    }
    case 'web_search_call':
      return [
        added({ status: 'in_progress' }),
        { type: 'response.web_search_call.in_progress', ...at },
        { type: 'response.web_search_call.searching', ...at },
        { type: 'response.web_search_call.completed', ...at },
        done,
      ];
    default:
      return [added({}), done];
  }
}

// Chat completions

function toChat({ reasoning, text, calls = [], finish }: Answer, number: number): Written {
  const common = { id: `chatcmpl-${number}`, created: 1_700_000_000, model: 'scripted' };
  const finish_reason =
    finish === undefined
      ? calls.length > 0
        ? 'tool_calls'
        : 'stop'
      : finish === 'length'
        ? 'length'
        : 'content_filter';
  const tool_calls = calls.map(({ id, tool, input }, index) => ({
    ...{ index, id, type: 'function' },
    function: { name: tool, arguments: JSON.stringify(input) },
  }));
  const message = {
    role: 'assistant',
    content: text ?? null,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(tool_calls.length > 0 && { tool_calls }),
  };
  const usage = {
    ...{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  };
  const chunk = (delta: Json, end: Json = {}): Json => ({
    ...{ ...common, object: 'chat.completion.chunk' },
    choices: [{ index: 0, delta, finish_reason: null, ...end }],
  });
  return {
    body: {
      ...{ ...common, object: 'chat.completion', usage },
      choices: [{ index: 0, message, finish_reason }],
    },
    events: [
      chunk({ role: 'assistant', content: '' }),
      ...(reasoning === undefined ? [] : [chunk({ reasoning_content: reasoning })]),
      ...(text === undefined ? [] : [chunk({ content: text })]),
      ...tool_calls.map(call => chunk({ tool_calls: [call] })),
      chunk({}, { finish_reason }),
      { ...common, object: 'chat.completion.chunk', choices: [], usage },
    ],
    end: 'data: [DONE]\n\n',
  };
}

// Gemini

function toGemini({ reasoning, text, calls = [], finish }: Answer, number: number): Written {
  const parts = [
    ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ tool, input }) => ({ functionCall: { name: tool, args: input } })),
  ];
  const finishReason = finish === undefined ? 'STOP' : finish === 'length' ? 'MAX_TOKENS' : 'SAFETY';
  const common = {
    ...{ responseId: `gemini-${number}`, modelVersion: 'scripted' },
    usageMetadata: {
      ...{ promptTokenCount: 10, candidatesTokenCount: 3, totalTokenCount: 15 },
      ...{ cachedContentTokenCount: 4, thoughtsTokenCount: 2 },
    },
  };
  const candidate = (content: readonly Json[], end: Json = {}): Json => ({
    ...common,
    candidates: [{ index: 0, content: { role: 'model', parts: content }, ...end }],
  });
  const last = parts.slice(-1);
  return {
    body: candidate(parts, { finishReason }),
    events: [...parts.slice(0, -1).map(part => candidate([part])), candidate(last, { finishReason })],
  };
}

import type {
  ResponsesEmulatorOptions,
  ScriptedItem,
  ScriptedResponse,
  StreamEvent,
} from 'kelivo-responses/testing';
import type { FaultChoice } from '../../shared/playground-state.js';

/** Event stream of another server for the same response. */
export interface Dialect {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly events: (events: readonly StreamEvent[]) => readonly StreamEvent[];
}

/** Observed differences between these servers and the API. */
const dialects: readonly Dialect[] = [
  {
    name: 'vllm',
    title: 'vLLM',
    description: 'Items start without output_item.added, and the content index increases with every delta.',
    events: events =>
      events
        .filter(event => event.type !== 'response.output_item.added' || isCall(event.item))
        .map((event, content_index) =>
          event.type.endsWith('text.delta') ? { ...event, content_index } : event,
        ),
  },
  {
    name: 'llama.cpp',
    title: 'llama.cpp',
    description: 'Events have no indexes, and all items end after the last delta.',
    events: events => {
      const bare = events
        .filter(({ type }) => !/arguments\.done|in_progress/.test(type))
        .map(event => without(event, 'output_index', 'content_index', 'sequence_number'));
      return [
        ...bare.filter(event => !isItemDone(event)).slice(0, -1),
        ...bare.filter(isItemDone),
        ...bare.slice(-1),
      ];
    },
  },
  {
    name: 'ollama',
    title: 'Ollama',
    description: 'Every item has the output index 0, and messages have no output_item.done.',
    events: events =>
      events
        .filter(event => !isItemDone(event) || isCall(event.item))
        .map(event => ('output_index' in event ? { ...event, output_index: 0 } : event)),
  },
  {
    name: 'no-deltas',
    title: 'No deltas',
    description: 'Arguments and text are sent at once when their item ends.',
    events: events => events.filter(({ type }) => !type.endsWith('.delta')),
  },
  {
    name: 'terminal-only',
    title: 'Terminal event only',
    description: 'Nothing is streamed; response.completed contains the complete response.',
    events: events => [...events.slice(0, 1), ...events.slice(-1)],
  },
];

const without = (event: StreamEvent, ...fields: readonly string[]): StreamEvent => ({
  ...Object.fromEntries(Object.entries(event).filter(([name]) => !fields.includes(name))),
  type: event.type,
});

const isItemDone = ({ type }: StreamEvent): boolean => type === 'response.output_item.done';

const isCall = (item: unknown): boolean =>
  typeof item === 'object' && item !== null && 'type' in item && item.type === 'function_call';

interface FaultRow extends Omit<FaultChoice, 'isReplayable'> {
  /** Response to the affected requests. */
  readonly response?: ScriptedResponse;
  /** Options of the emulator, which apply to all requests. */
  readonly options?: ResponsesEmulatorOptions;
}

const fault = (name: string, title: string, description: string, response: ScriptedResponse): FaultRow => ({
  name,
  title,
  description,
  kind: 'fault',
  response,
});

const faultRows: readonly FaultRow[] = [
  fault('cut', 'Dropped connection', 'The connection is dropped in the middle of the response.', {
    fault: 'cut',
    after: 6,
  }),
  fault('early-end', 'Early end', 'The body ends normally, but without its last event.', {
    fault: 'early-end',
  }),
  fault('stall', 'Stall', 'The stream stops and stays open until you stop it or 15 seconds have passed.', {
    fault: 'stall',
    after: 6,
  }),
  fault(
    'slow',
    'Slow',
    'The emulator waits 400 milliseconds before each event, so that you can press Stop.',
    {
      fault: 'slow',
      delay: 400,
    },
  ),
  fault('malformed', 'Malformed line', 'One data line is invalid JSON; the stream continues after it.', {
    fault: 'malformed',
  }),
  fault('error-event', 'Error event', 'An error event ends the stream.', { fault: 'error-event', after: 4 }),
  fault('failed', 'response.failed', 'The response fails in the middle.', { fault: 'failed', after: 4 }),
  fault('429', '429 rate limit', 'The request exceeds the rate limit; Retry-After is one second.', {
    status: 429,
    retryAfter: 1,
  }),
  fault('500', '500 server error', 'The server fails before it sends a response.', { status: 500 }),
  fault('html', 'Web page', 'Status 200 with HTML, as returned by a proxy or a wrong URL.', {
    fault: 'html',
  }),
  fault('empty', 'Empty body', 'Status 200 with an empty body.', { fault: 'empty' }),
  fault('chat-completions', 'Chat Completions', 'The response has the format of the Chat Completions API.', {
    fault: 'chat-completions',
  }),
];

const dialectRows: readonly FaultRow[] = dialects.map(({ name, title, description, events }) => ({
  name,
  title,
  description,
  kind: 'dialect',
  response: { events },
}));

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const textCalls = (format: string, family: string, write: (calls: readonly Call[]) => string): FaultRow => ({
  name: `text-calls-${format}`,
  title: `Calls as text: ${family}`,
  description: `The model writes tool calls as text, as on a server without a parser for ${family}. Select a model of this family to see its adapter.`,
  kind: 'dialect',
  options: {
    rewriteOutput(items) {
      const calls = items.flatMap(toCall);
      if (calls.length === 0) return items;
      return [...items.filter(item => !('call' in item)), { text: write(calls) }];
    },
  },
});

/** The emulated model writes arguments as JSON. */
const toCall = (item: ScriptedItem): Call[] =>
  'call' in item && typeof item.call === 'string'
    ? [{ name: item.call, arguments: JSON.parse(String(item.arguments)) as Call['arguments'] }]
    : [];

const toXml = ({ name, arguments: input }: Call): string => {
  const parameters = Object.entries(input).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `<parameter=${key}>\n${text}\n</parameter>\n`;
  });
  return `<tool_call>\n<function=${name}>\n${parameters.join('')}</function>\n</tool_call>`;
};

// Formats from the chat templates of the models.
const textCallRows: readonly FaultRow[] = [
  textCalls('hermes', 'Qwen', calls =>
    calls.map(call => `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`).join('\n'),
  ),
  textCalls('qwen-xml', 'Qwen Coder', calls => calls.map(toXml).join('\n')),
  textCalls('mistral', 'Mistral', calls => `[TOOL_CALLS]${JSON.stringify(calls)}`),
];

const rows = [...faultRows, ...dialectRows, ...textCallRows];

/** Faults and dialects of the emulator. */
export const faultChoices: readonly FaultChoice[] = rows.map(
  ({ name, title, description, kind, response }) => ({
    name,
    title,
    description,
    kind,
    isReplayable: response !== undefined,
  }),
);

/** Greater than the number of requests in a turn. */
const EVERY_REQUEST = 40;

/** Options and scripted responses of an emulator with a fault. */
export interface FaultPlan {
  readonly options: ResponsesEmulatorOptions;
  readonly script: readonly ScriptedResponse[];
}

/**
 * @param request Number of the request in the turn that has the fault, from 1; 0 for all.
 * @returns undefined if there is no such fault.
 */
export function planFault(name: string, { request }: { request: number }): FaultPlan | undefined {
  const row = rows.find(choice => choice.name === name);
  if (row === undefined) return undefined;
  const { response, options = {} } = row;
  if (response === undefined) return { options, script: [] };
  if (request === 0) return { options, script: Array.from({ length: EVERY_REQUEST }, () => response) };
  return { options, script: [...Array.from({ length: request - 1 }, () => ({})), response] };
}

/** Returns the response of a fault, if it has one for recorded events. */
export const findFaultResponse = (name: string): ScriptedResponse | undefined =>
  rows.find(row => row.name === name)?.response;

import type {
  ResponsesEmulatorOptions,
  ScriptedResponse,
  StreamEvent,
  ToolCallFormat,
} from 'kelivo-responses/testing';
import type { FaultChoice } from '../../shared/playground-state.js';

/** How another server tells the same answer. */
export interface Dialect {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly events: (events: readonly StreamEvent[]) => readonly StreamEvent[];
}

/** Seen at these servers; each row is one thing that they do differently from the API they imitate. */
export const dialects: readonly Dialect[] = [
  {
    name: 'vllm',
    title: 'vLLM',
    description: 'Items are not announced before their deltas, and the content index grows with every delta.',
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
    description: 'No indexes, and every item ends at the very end.',
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
    description: 'Every item has the output index 0, and messages are never done.',
    events: events =>
      events
        .filter(event => !isItemDone(event) || isCall(event.item))
        .map(event => ('output_index' in event ? { ...event, output_index: 0 } : event)),
  },
  {
    name: 'no-deltas',
    title: 'No deltas',
    description: 'Arguments and texts come whole, with the end of their item.',
    events: events => events.filter(({ type }) => !type.endsWith('.delta')),
  },
  {
    name: 'terminal-only',
    title: 'Terminal event only',
    description: 'Nothing is streamed; the whole answer stands in response.completed.',
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

interface FaultRow extends FaultChoice {
  /** What a request is answered with. */
  readonly answer?: ScriptedResponse;
  /** How the emulator is all the time. */
  readonly options?: ResponsesEmulatorOptions;
}

const fault = (name: string, title: string, description: string, answer: ScriptedResponse): FaultRow => ({
  name,
  title,
  description,
  kind: 'fault',
  answer,
});

const faultRows: readonly FaultRow[] = [
  fault('cut', 'Connection cut', 'The socket is destroyed in the middle of the answer.', {
    fault: 'cut',
    after: 6,
  }),
  fault('early-end', 'Ends too early', 'The body ends properly, but without its last event.', {
    fault: 'early-end',
  }),
  fault('stall', 'Stall', 'The stream falls silent and stays open, until you stop it or 15 seconds pass.', {
    fault: 'stall',
    after: 6,
  }),
  fault('slow', 'Slow', '400 milliseconds before each event: time to press Stop.', {
    fault: 'slow',
    delay: 400,
  }),
  fault('malformed', 'Malformed line', 'One data line is no JSON; the stream goes on after it.', {
    fault: 'malformed',
  }),
  fault('error-event', 'Error event', 'An error event ends the stream.', { fault: 'error-event', after: 4 }),
  fault('failed', 'response.failed', 'The response fails in the middle.', { fault: 'failed', after: 4 }),
  fault('429', '429 rate limit', 'The request is over the rate limit; Retry-After says one second.', {
    status: 429,
    retryAfter: 1,
  }),
  fault('500', '500 server error', 'The server fails before it answers.', { status: 500 }),
  fault('html', 'A web page', '200 with HTML, as a proxy or a wrong address answers.', { fault: 'html' }),
  fault('empty', 'Empty body', '200 with nothing in it.', { fault: 'empty' }),
  fault('chat-completions', 'Chat Completions', 'The other API answers.', { fault: 'chat-completions' }),
];

const dialectRows: readonly FaultRow[] = dialects.map(({ name, title, description, events }) => ({
  name,
  title,
  description,
  kind: 'dialect',
  answer: { events },
}));

const textCalls = (format: ToolCallFormat, family: string): FaultRow => ({
  name: `text-calls-${format}`,
  title: `Calls as text: ${family}`,
  description: `The model writes its tool calls into the text, as on a server without a parser for ${family}. Choose a model of the family to see its adapter at work.`,
  kind: 'dialect',
  options: { toolCallFormat: format },
});

const textCallRows: readonly FaultRow[] = [
  textCalls('hermes', 'Qwen'),
  textCalls('qwen-xml', 'Qwen Coder'),
  textCalls('mistral', 'Mistral'),
];

const rows = [...faultRows, ...dialectRows, ...textCallRows];

/** What the emulator can be told to do wrong, and the dialects it can speak. */
export const faultChoices: readonly FaultChoice[] = rows.map(({ name, title, description, kind }) => ({
  name,
  title,
  description,
  kind,
}));

/** More than a turn has requests. */
const EVERY_REQUEST = 40;

/** An emulator in which something goes wrong: how it is, and what it answers one request after the other. */
export interface FaultPlan {
  readonly options: ResponsesEmulatorOptions;
  readonly script: readonly ScriptedResponse[];
}

/**
 * @param request In which request of the turn it happens, from 1; 0 for all.
 * @returns undefined where nothing goes wrong.
 */
export function planFault(name: string, { request }: { request: number }): FaultPlan | undefined {
  const row = rows.find(choice => choice.name === name);
  if (row === undefined) return undefined;
  const { answer, options = {} } = row;
  if (answer === undefined) return { options, script: [] };
  if (request === 0) return { options, script: Array.from({ length: EVERY_REQUEST }, () => answer) };
  return { options, script: [...Array.from({ length: request - 1 }, () => ({})), answer] };
}

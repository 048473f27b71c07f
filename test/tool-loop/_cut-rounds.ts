import { jsonSchema } from 'ai';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/*
 * A turn with a read-only tool, a paid tool and a tool of the host, whose responses a server cuts.
 */

type Event = Record<string, unknown> & { readonly type: string };

const callItem = (id: string, name: string) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name,
  arguments: '{}',
  status: 'completed',
});

const toCallEvents = (item: ReturnType<typeof callItem>, output_index: number): Event[] => [
  {
    type: 'response.output_item.added',
    output_index,
    item: { ...item, arguments: '', status: 'in_progress' },
  },
  { type: 'response.function_call_arguments.delta', output_index, item_id: item.id, delta: '{}' },
  { type: 'response.function_call_arguments.done', output_index, item_id: item.id, arguments: '{}' },
  { type: 'response.output_item.done', output_index, item },
];

interface RoundScript {
  readonly output: readonly object[];
  readonly events: readonly Event[];
}

/** Returns a round that ends the turn with a text. */
function toMessageRound(deltas: readonly string[]): RoundScript {
  const content = [{ type: 'output_text', text: deltas.join(''), annotations: [] }];
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
  const added = { ...message, content: [], status: 'in_progress' };
  const place = { output_index: 0, content_index: 0, item_id: 'msg_1' };
  return {
    output: [message],
    events: [
      { type: 'response.output_item.added', output_index: 0, item: added },
      ...deltas.map(delta => ({ type: 'response.output_text.delta', ...place, delta })),
      { type: 'response.output_item.done', output_index: 0, item: message },
    ],
  };
}

const look = callItem('look', 'look');
const pay = callItem('pay', 'pay');
const payAgain = callItem('pay_again', 'pay');
const ask = callItem('ask', 'ask');

/** The rounds of the turn with calls. The third one calls a tool of the host. */
const callRounds: readonly RoundScript[] = [
  { output: [look, pay], events: [...toCallEvents(look, 0), ...toCallEvents(pay, 1)] },
  { output: [payAgain], events: toCallEvents(payAgain, 0) },
  { output: [ask], events: toCallEvents(ask, 0) },
];

const TEXT = ['All is ', 'paid.'];

/** Returns the index of the round that a request asks for, by the calls whose outputs it contains. */
export function roundOf({ input }: { readonly input?: unknown }): number {
  const items = Array.isArray(input) ? (input as { type?: string; call_id?: string; name?: string }[]) : [];
  const answered = new Set(
    items.filter(({ type }) => type === 'function_call_output').map(({ call_id }) => call_id),
  );
  const count = (name: string): number =>
    items.filter(item => item.type === 'function_call' && item.name === name && answered.has(item.call_id))
      .length;
  if (count('ask') > 0) return 3;
  return Math.min(count('pay'), 2);
}

interface ResponseOptions {
  /** False if the third round ends the turn. @default true */
  readonly isHost?: boolean;
  readonly isInBackground?: boolean;
  /** The text of the last round. */
  readonly deltas?: readonly string[];
}

let responses = 0;

/** Returns the events of a response. */
export function eventsOf(
  round: number,
  { isHost = true, isInBackground = false, deltas = TEXT }: ResponseOptions = {},
): Event[] {
  const script = (round === 2 && !isHost ? undefined : callRounds[round]) ?? toMessageRound(deltas);
  const id = `resp_${++responses}`;
  const fields = { id, object: 'response', ...(isInBackground && { background: true }) };
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  return [
    { type: 'response.created', response: { ...fields, status: 'in_progress', output: [] } },
    { type: 'response.in_progress', response: { ...fields, status: 'in_progress', output: [] } },
    ...script.events,
    {
      type: 'response.completed',
      response: { ...fields, status: 'completed', output: script.output, usage },
    },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}

/** The events with which a server breaks a response. */
export const endings: Readonly<Record<string, readonly Event[]>> = {
  'a closed connection': [],
  'an error event': [{ type: 'error', error: { code: 'server_is_overloaded', message: 'Overloaded.' } }],
  'response.failed': [
    {
      type: 'response.failed',
      response: {
        id: 'resp_x',
        status: 'failed',
        output: [],
        error: { code: 'server_error', message: 'Failed.' },
      },
    },
  ],
};

/** Returns all positions at which a response may be cut: its round, and the number of events before the cut. */
export const cutsOf = (rounds: number, options?: ResponseOptions) =>
  Array.from({ length: rounds }, (_, round) =>
    eventsOf(round, options)
      .slice(1)
      .map((_event, index) => [round, index + 1] as const),
  ).flat();

/** The positions of the turn with a tool of the host. */
export const cuts = cutsOf(4);

/** Returns a function that returns true once, for the response to be cut. */
export function cutOnce(round: number): (requested: number) => boolean {
  let isCut = false;
  return requested => {
    if (isCut || requested !== round) return false;
    isCut = true;
    return true;
  };
}

/** Counts executions in a file, which no state of the process can falsify. */
export function createExecutions() {
  const folder = mkdtempSync(join(tmpdir(), 'executions-'));
  const path = join(folder, 'executions');
  appendFileSync(path, '');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return {
    run: (name: string, result = `${name} ran`) => {
      appendFileSync(path, `${name}\n`);
      return result;
    },
    count: (name: string): number =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter(line => line === name).length,
  };
}

/** Returns the settings of a provider whose tools `look` and `pay` count their executions. */
export const toPayingSettings = (url: string, executions: ReturnType<typeof createExecutions>) => ({
  baseURL: `${url}/v1`,
  apiKey: 'test-key',
  tools: {
    look: { inputSchema: NO_INPUT, readOnly: true, execute: async () => executions.run('look') },
    pay: { inputSchema: NO_INPUT, execute: async () => executions.run('pay') },
  },
});

const NO_INPUT = jsonSchema<object>({ type: 'object', properties: {} });

import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { isWhole } from '../../_products.js';

type WireEvent = Readonly<Record<string, unknown>> & { readonly type: string };

const item = (id: string, text: string) => ({
  type: 'message',
  id,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

/** The events of a response with two messages, in deltas of five characters. */
function toEvents(texts: readonly string[]): WireEvent[] {
  const output = texts.map((text, index) => item(`msg_${index}`, text));
  const events: WireEvent[] = [
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
    ...output.flatMap((wire, index): WireEvent[] => {
      const place = { output_index: index, item_id: wire.id, content_index: 0 };
      const text = texts[index] ?? '';
      return [
        {
          type: 'response.output_item.added',
          output_index: index,
          item: { ...wire, status: 'in_progress', content: [] },
        },
        { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '' } },
        ...(text.match(/[^]{1,5}/g) ?? []).map(delta => ({
          type: 'response.output_text.delta',
          ...place,
          delta,
        })),
        { type: 'response.output_text.done', ...place, text },
        { type: 'response.content_part.done', ...place, part: wire.content[0] },
        { type: 'response.output_item.done', output_index: index, item: wire },
      ];
    }),
    {
      type: 'response.completed',
      response: { id: 'resp_1', status: 'completed', output, usage: { input_tokens: 1, output_tokens: 1 } },
    },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

const withoutNumbers = (events: readonly WireEvent[]): WireEvent[] =>
  events.map(({ sequence_number: _, ...event }) => event as WireEvent);

const replace = (events: readonly WireEvent[], at: number, change: (event: WireEvent) => WireEvent[]) =>
  events.flatMap((event, index) => (index === at ? change(event) : [event]));

/** Positions of events, of which neighbours of the same type count as one unless they are the first or the last. */
const positionsIn = (events: readonly WireEvent[]): number[] =>
  [...events.keys()].filter(
    at => isWhole || events[at]?.type !== events[at - 1]?.type || events[at]?.type !== events[at + 1]?.type,
  );

/** What a proxy or a server may do to one event. */
const faults: Readonly<Record<string, (events: readonly WireEvent[], at: number) => WireEvent[]>> = {
  dropped: (events, at) => replace(events, at, () => []),
  doubled: (events, at) => replace(events, at, event => [event, event]),
  swapped: (events, at) => [
    ...events.slice(0, at),
    ...events.slice(at, at + 2).toReversed(),
    ...events.slice(at + 2),
  ],
  delayed: (events, at) => [
    ...events.slice(0, at),
    ...events.slice(at + 1, at + 3),
    ...events.slice(at, at + 1),
    ...events.slice(at + 3),
  ],
  'renumbered upwards': (events, at) => replace(events, at, event => [{ ...event, sequence_number: 999 }]),
  'renumbered downwards': (events, at) => replace(events, at, event => [{ ...event, sequence_number: 1 }]),
  'without a number': (events, at) =>
    replace(events, at, ({ sequence_number: _, ...event }) => [event as WireEvent]),
  'given another id': (events, at) => replace(events, at, event => [{ ...event, item_id: 'msg_other' }]),
  'given another index': (events, at) => replace(events, at, event => [{ ...event, output_index: 7 }]),
  'moved to another item': (events, at) =>
    replace(events, at, event => [{ ...event, item_id: 'msg_other', output_index: 7 }]),
  'joined by one of another item': (events, at) =>
    replace(events, at, event => [event, { ...event, item_id: 'msg_other', delta: 'FOREIGN' }]),
};

interface Outcome {
  readonly text: string;
  readonly finishReason: string | undefined;
  readonly error: unknown;
  readonly broken: string[];
  readonly kelivo: Record<string, unknown> | undefined;
}

interface Model {
  doStream(options: never): PromiseLike<{ stream: ReadableStream<unknown> }>;
}

/** The body of the next response. */
let body = '';
const settings = {
  baseURL: 'http://localhost/v1',
  apiKey: 'k',
  fetch: () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
};
const own: Model = createKelivoResponsesProvider({ ...settings, toolLoop: false })('m');
const official: Model = createOpenAI(settings).responses('m');

async function read(events: readonly WireEvent[], model: Model = own): Promise<Outcome> {
  body = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('');
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }];
  const outcome = {
    text: '',
    finishReason: undefined as string | undefined,
    error: undefined as unknown,
    broken: [] as string[],
    kelivo: undefined as Outcome['kelivo'],
  };
  const { stream } = await model.doStream({ prompt } as never);
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return outcome;
    const part = value as {
      type: string;
      id: string;
      delta: string;
      error: unknown;
      finishReason: string;
      providerMetadata?: Record<string, Record<string, unknown>>;
    };
    if (part.type === 'text-delta') outcome.text += part.delta;
    if (part.type === 'text-end' && part.providerMetadata?.kelivo?.broken === true)
      outcome.broken.push(part.id);
    if (part.type === 'error') outcome.error ??= part.error;
    if (part.type === 'finish') {
      outcome.finishReason = part.finishReason;
      outcome.kelivo = part.providerMetadata?.kelivo;
    }
  }
}

const texts = ['Transfer 1,150 euro to the account.', ' Then confirm the transfer, please.'];
const answer = texts.join('');

/** One delta of white space at the beginning. */
const indented = ['     - Transfer 1,150 euro.', texts[1] ?? ''];

describe.each([
  ['with sequence numbers', toEvents(texts), texts.join('')],
  ['without sequence numbers', withoutNumbers(toEvents(texts)), texts.join('')],
  ['that begins with white space', toEvents(indented), indented.join('')],
])('a response %s', (_, events, answer) => {
  it.each(Object.entries(faults))('is never wrong and finished if one event is %s', async (_name, fault) => {
    for (const at of positionsIn(events)) {
      const outcome = await read(fault(events, at));
      const isRight = outcome.text === answer;
      expect({ at, isRight: isRight || outcome.finishReason !== 'stop' }).toEqual({ at, isRight: true });
      if (!isRight) expect(outcome.error).toMatchObject({ isRetryable: true });
    }
  });

  it('is whole without a fault', async () => {
    expect(await read(events)).toMatchObject({
      text: answer,
      finishReason: 'stop',
      error: undefined,
      broken: [],
    });
  });
});

it('drops what arrives twice', async () => {
  const events = toEvents(texts);
  for (let at = 1; at < events.length; at++)
    expect(await read(faults.doubled?.(events, at) ?? [])).toMatchObject({
      text: answer,
      finishReason: 'stop',
    });
  expect(await read([...events.slice(0, -1), ...events])).toMatchObject({
    text: answer,
    finishReason: 'stop',
  });
});

it('does not show a delta of an item that the response does not announce, and notes it', async () => {
  const events = toEvents(texts);
  const at = events.findIndex(({ type }) => type === 'response.output_text.delta');
  const outcome = await read(faults['joined by one of another item']?.(events, at) ?? []);
  expect(outcome).toMatchObject({ text: answer, finishReason: 'stop' });
  expect(outcome.kelivo?.textNotes).toEqual([expect.stringContaining('Ignored 1 text deltas')]);
});

it('marks a block that contradicts its final text, and returns that text', async () => {
  const events = toEvents(texts);
  const at = events.findIndex(({ delta }) => delta === 'fer 1');
  const outcome = await read(faults.dropped?.(events, at) ?? []);
  expect(outcome.finishReason).toBe('error');
  expect(outcome.broken).toHaveLength(1);
  expect(outcome.kelivo).toMatchObject({ finalText: texts[0] });
  expect(outcome.error).toMatchObject({
    message: expect.stringMatching(/message "msg_0".*from character 5 on/),
  });
});

it('trusts numbers only as far as they ascend', async () => {
  const constant = toEvents(texts).map(event => ({ ...event, sequence_number: 0 }));
  const perItem = toEvents(texts).map((event, index) => ({ ...event, sequence_number: index % 4 }));
  const sparse = toEvents(texts).map((event, index) => ({ ...event, sequence_number: index * 10 }));
  for (const events of [constant, perItem, sparse])
    expect(await read(events)).toMatchObject({ text: answer, finishReason: 'stop', error: undefined });
});

it('notes two texts of one server that sent every event in order', async () => {
  const events = toEvents(texts).map(event =>
    event.delta === 'fer 1' ? { ...event, delta: 'fer 2' } : event,
  );
  const outcome = await read(events);
  expect(outcome).toMatchObject({ finishReason: 'stop', error: undefined });
  expect(outcome.kelivo?.textNotes).toEqual([
    expect.stringContaining('differs from its final text at character 9'),
  ]);
});

it('accepts white space that a server removes at the end', async () => {
  const events = withoutNumbers(toEvents(['An answer.\n'])).map(event =>
    event.type === 'response.output_item.done' || event.type === 'response.completed'
      ? (JSON.parse(JSON.stringify(event).replaceAll('answer.\\n', 'answer.')) as WireEvent)
      : event,
  );
  expect(await read(events)).toMatchObject({ text: 'An answer.\n', finishReason: 'stop', error: undefined });
});

it('marks the block in which a response broke', async () => {
  const events = toEvents(texts);
  const at = events.findIndex(({ type }) => type === 'response.output_text.delta') + 2;
  for (const end of [
    [],
    [{ type: 'error', code: 'server_error', message: 'oops' }],
    [
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'server_error', message: 'x' } },
      },
    ],
  ]) {
    const outcome = await read([...events.slice(0, at), ...end]);
    expect(outcome).toMatchObject({ finishReason: 'error', broken: ['message-0'] });
  }
});

it('finds faults that the official provider shows as an answer', async () => {
  const events = toEvents(texts);
  let wrong = 0;
  for (const fault of Object.values(faults)) {
    for (const at of positionsIn(events)) {
      const { text, finishReason } = await read(fault(events, at), official).catch(() => ({
        text: '',
        finishReason: 'error',
      }));
      if (text !== answer && finishReason === 'stop') wrong++;
    }
  }
  expect(wrong).toBeGreaterThan(isWhole ? 20 : 10);
});

import * as ai5 from 'ai';
import { expect, it } from 'vitest';
import { everyNth, everyPair } from '../_products.js';
import { skipHostDelays } from '../_host-delays.js';
import { serve } from '../_server.js';
import { toSse } from '../_sse.js';
import { createExecutions, cutOnce, cutsOf, eventsOf, roundOf, toPayingSettings } from './_cut-rounds.js';
import { majors } from './_hosts.js';

/* A cut response of a turn whose host expects JSON: half a document with a second one behind it cannot be repaired by a host. */

skipHostDelays();

const paid = { paid: [1, 2], note: 'All is "paid".' };
/** What a model may write instead when it is asked again. */
const other = { paid: [2, 1], note: 'Both are paid.' };

const toScript = (value: typeof paid) => ({
  isHost: false,
  deltas: JSON.stringify(value).match(/.{1,12}/g) ?? [],
});
const cuts = cutsOf(3, toScript(paid));

const schema = ai5.jsonSchema<typeof paid>({
  type: 'object',
  properties: { paid: { type: 'array', items: { type: 'number' } }, note: { type: 'string' } },
  required: ['paid', 'note'],
});

/** What a host reads: the value, what it has shown of it, and the errors. */
interface Reading {
  readonly value: unknown;
  readonly shown: readonly unknown[];
  readonly errors: readonly unknown[];
}

type Ask = (ai: typeof ai5, call: { model: ai5.LanguageModel; prompt: string }) => Promise<Reading>;

const settle = async (
  value: PromiseLike<unknown>,
  shown: readonly unknown[],
  errors: readonly unknown[] = [],
) => {
  const [result] = await Promise.allSettled([value]);
  return result.status === 'fulfilled'
    ? { value: result.value, shown, errors }
    : { value: undefined, shown, errors: errors.length > 0 ? errors : [result.reason] };
};

async function collect(values: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  try {
    for await (const value of values) all.push(value);
  } catch {
    // The promise of the whole value rejects as well.
  }
  return all;
}

/** `output` is experimental in version 5. */
const outputOf = (ai: typeof ai5) => ({
  output: ai.Output.object({ schema }),
  experimental_output: ai.Output.object({ schema }),
});

const readers: Readonly<Record<string, Ask>> = {
  async streamObject(ai, call) {
    const errors: unknown[] = [];
    const result = ai.streamObject({ ...call, schema, onError: ({ error }) => void errors.push(error) });
    return settle(result.object, await collect(result.partialObjectStream), errors);
  },
  generateObject: async (ai, call) =>
    settle(
      ai.generateObject({ ...call, schema }).then(({ object }) => object),
      [],
    ),
  async 'streamText with Output.object'(ai, call) {
    const errors: unknown[] = [];
    const result = ai.streamText({
      ...call,
      ...outputOf(ai),
      onError: ({ error }) => void errors.push(error),
    });
    const shown = await collect(result.experimental_partialOutputStream);
    return settle(
      Promise.resolve(result.text).then(text => JSON.parse(text) as unknown),
      shown,
      errors,
    );
  },
  'generateText with Output.object': async (ai, call) =>
    settle(
      ai.generateText({ ...call, ...outputOf(ai) }).then(({ text }) => JSON.parse(text) as unknown),
      [],
    ),
};

async function run(
  [, ai, entry]: (typeof majors)[number],
  ask: Ask,
  [round, cut]: readonly [number, number],
  again: typeof paid,
) {
  const isCut = cutOnce(round);
  const { url, requests } = await serve((response, { body }) => {
    const requested = roundOf(body);
    const isBroken = isCut(requested);
    const events = eventsOf(requested, toScript(isBroken || requested < 2 || round < 2 ? paid : again));
    if (body.stream === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(toSse((isBroken ? events.slice(0, cut) : events) as never));
      return;
    }
    const document = JSON.stringify(events.at(-1)?.response);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': document.length });
    if (!isBroken) response.end(document);
    else response.write(document.slice(0, (document.length * cut) / events.length), () => response.destroy());
  });
  const executions = createExecutions();
  const provider = entry.createKelivoResponsesProvider({
    ...toPayingSettings(url, executions),
    toolLoop: { retry: { initialDelay: 0 } },
  });
  const call = {
    model: provider('gpt-5'),
    prompt: 'Pay twice.',
    // Identifies the call: a host passes the same object when it repeats a turn.
    abortSignal: new AbortController().signal,
  };
  return { ...(await ask(ai, call)), executions, requests };
}

const documents = { paid, other };
const rows = everyPair(
  majors.flatMap(host =>
    Object.keys(readers).flatMap(reader =>
      (['paid', 'other'] as const).flatMap(again => cuts.map(cut => ({ host, reader, again, cut }))),
    ),
  ),
);

/** The parts of a document that a host may show are the beginning of one document. */
const isBeginningOf = (whole: typeof paid, part: Partial<typeof paid>): boolean =>
  whole.note.startsWith(part.note ?? '') && whole.paid.join().startsWith((part.paid ?? []).join());

it.each(everyNth(rows, 3))(
  'reads whole JSON, or the error of the cut: $host.0, $reader, $again again, round $cut.0, event $cut.1',
  async ({ host, reader, again, cut }) => {
    const { value, shown, errors, executions } = await run(
      host,
      readers[reader] as Ask,
      cut,
      documents[again],
    );
    // What only reads may run again.
    expect(executions.count('look')).toBeLessThanOrEqual(2);
    expect(executions.count('pay')).toBe(2);
    const whole = value ?? paid;
    expect([paid, other]).toContainEqual(whole);
    expect(shown.filter(part => !isBeginningOf(whole as typeof paid, part as object))).toEqual([]);
    if (errors.length === 0) expect(value).toBeDefined();
    // Calls with effects ran in every turn that ends with an error, so that no host repeats it by itself.
    else expect(errors).toMatchObject([{ name: 'AI_APICallError', isRetryable: false }]);
    if (again === 'paid') expect(value).toEqual(paid);
  },
);

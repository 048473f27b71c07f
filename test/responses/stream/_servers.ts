import { expect } from 'vitest';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { type Framing, toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { functionCall } from './_fixtures/wire-events.js';

export type Change = (event: WireEvent, position: number) => WireEvent;

export const WEATHER = { id: 'call_1', name: 'get_weather', input: '{"city":"Rome"}' };
export const weather = functionCall('get_weather', '{"city":"Rome"}');

/** Defines one test over all chunkings: the events of a server and the parts that a host must receive. */
export function testServer(
  title: string,
  events: readonly WireEvent[],
  expected: Record<string, unknown>,
  framing?: Framing,
): void {
  forEachChunking(title, toSse(events, framing), async chunks => {
    expect(summarize(await readParts(chunks))).toMatchObject({ errors: [], ...expected });
  });
}

export const without =
  (...fields: string[]): Change =>
  event =>
    Object.fromEntries(Object.entries(event).filter(([name]) => !fields.includes(name))) as WireEvent;

/** Applies a change to the item of an event and to the items of the terminal response. */
export const changeItems =
  (change: (item: Record<string, unknown>, event: WireEvent) => Record<string, unknown>): Change =>
  event => {
    const { item, response } = event as {
      item?: Record<string, unknown>;
      response?: { output: Record<string, unknown>[] };
    };
    return {
      ...event,
      ...(item !== undefined && { item: change(item, event) }),
      ...(response !== undefined && {
        response: { ...response, output: response.output.map(entry => change(entry, event)) },
      }),
    };
  };

export const inTerminal = ({ type }: WireEvent) => type === 'response.completed';

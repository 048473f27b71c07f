import { createParser } from 'eventsource-parser';
import type { ScriptedResponse, StreamEvent } from 'kelivo-responses/testing';
import type { FixtureExchange } from '../bug-report.js';
import { findFaultResponse } from './faults.js';

/**
 * Converts recorded responses to those of an emulator, including how they ended.
 *
 * @param fault Replaces how the first response ends. Its recorded events stay.
 */
export function toReplayScript(
  exchanges: readonly FixtureExchange[],
  { fault = 'none' }: { fault?: string } = {},
): readonly ScriptedResponse[] {
  const [first, ...others] = exchanges;
  const response = findFaultResponse(fault);
  if (first === undefined || response === undefined) return exchanges.map(toScriptedResponse);
  const rest = others.map(toScriptedResponse);
  // A rejected request can be sent again, and receives what was recorded.
  if (!('fault' in response || 'events' in response)) return [response, toScriptedResponse(first), ...rest];
  const events = readEvents(first.body) ?? [];
  const change = 'events' in response ? response.events : undefined;
  return [{ ...response, events: () => change?.(events) ?? events }, ...rest];
}

function toScriptedResponse({ status, headers = {}, body, end }: FixtureExchange): ScriptedResponse {
  // Without a status there was no response.
  if (status === undefined) return end === 'broken' ? { fault: 'cut', after: 0 } : { fault: 'headers-never' };
  const events = end === 'complete' ? undefined : readEvents(body);
  if (events !== undefined) {
    return {
      fault: end === 'aborted' ? 'stall' : 'cut',
      after: events.length,
      // An event more than are sent, so that the fault has one to omit.
      events: () => [...events, { type: 'response.completed' }],
    };
  }
  const sent = Object.entries(headers).filter(([name]) => /^(content-type|retry-after)$/i.test(name));
  return { status, headers: Object.fromEntries(sent), body };
}

/** Returns the events of a stream, or undefined for a body that is not a stream of typed JSON events. */
export function readEvents(body: string): readonly StreamEvent[] | undefined {
  const events: unknown[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(parseJson(data)) });
  parser.feed(body);
  return events.length > 0 && events.every(isStreamEvent) ? events : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isStreamEvent = (value: unknown): value is StreamEvent =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

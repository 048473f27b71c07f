import type { ScriptedResponse } from 'kelivo-responses/testing';
import type { FixtureExchange } from '../bug-report.js';
import { findFaultResponse } from './faults.js';
import { readEvents, readRecordedParts } from './recorded-body.js';

/**
 * Converts recorded responses to those of an emulator, including how they ended.
 *
 * @param fault Replaces how the first response ends. Its recorded events stay.
 */
export function toReplayScript(
  exchanges: readonly FixtureExchange[],
  { fault = 'none' }: { fault?: string } = {},
): readonly ScriptedResponse[] {
  const asked = exchanges.filter(isOfTurn);
  const [first, ...rest] = asked.flatMap(
    exchange => readPartResponses(exchange) ?? [toScriptedResponse(exchange)],
  );
  const response = findFaultResponse(fault);
  if (first === undefined) return [];
  if (response === undefined) return [first, ...rest];
  // A rejected request can be sent again, and receives what was recorded.
  if (!('fault' in response || 'events' in response)) return [response, first, ...rest];
  if ('output' in first) return [{ ...first, ...response } as ScriptedResponse, ...rest];
  const events = readEvents(asked[0]?.body ?? '') ?? [];
  const change = 'events' in response ? response.events : undefined;
  // Before the last event, without which no response is complete.
  const place = 'after' in response && {
    after: Math.min(response.after ?? Infinity, Math.max(events.length - 1, 0)),
  };
  return [{ ...response, ...place, events: () => change?.(events) ?? events }, ...rest];
}

/** The result of a tool is recorded, so the responses to its own requests are not sent again. */
export const isOfTurn = ({ toolCallId }: FixtureExchange): boolean => toolCallId === undefined;

/** Returns the responses that an application has recorded as parts, or undefined for the body of an endpoint. */
export const readPartResponses = ({ body, end }: FixtureExchange) =>
  readRecordedParts(body)?.map(({ output, usage, isTruncated }, index, all) => ({
    ...{ output, usage },
    ...(isTruncated && { incomplete: 'max_output_tokens' as const }),
    ...(index === all.length - 1 && end !== 'complete' && { fault: 'cut' as const }),
  }));

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

import { homedir, userInfo } from 'node:os';
import type { Thread } from '../shared/playground-state.js';
import { type Exchange, toTrace } from '../shared/trace.js';
import type { TraceEvent } from '../shared/trace-event.js';
import type { Redactor } from './redaction/redactor.js';
import { redactTraces, withoutFiles } from './redaction/trace-redaction.js';

/** Name and version of the format. */
export const REPORT_FORMAT = 'kelivo-responses/bug-report@1';

/** A bug report: requests and recorded responses, without secrets. */
export interface Fixture {
  readonly format: typeof REPORT_FORMAT;
  readonly createdAt: string;
  readonly runtime: { readonly node: string; readonly platform: string };
  readonly turns: readonly FixtureTurn[];
}

export interface FixtureTurn {
  readonly thread: Thread;
  readonly flag?: string;
  readonly modelId?: string;
  readonly endpoint?: string;
  readonly adapters: readonly string[];
  readonly end?: string;
  readonly message?: string;
  readonly warnings: readonly string[];
  readonly exchanges: readonly FixtureExchange[];
}

export interface FixtureExchange {
  readonly round: number;
  /** The call of the tool that made the request. */
  readonly toolCallId?: string;
  readonly request: Exchange['request'];
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The recorded body, which a server can replay. */
  readonly body: string;
  readonly end?: string;
}

export const RECORDING_DELETED = 'The recording of this turn was deleted, by age or size as set.';

/** Responses of a conversation with their complete traces. */
export interface ReportedTurn {
  readonly thread: Thread;
  readonly trace: readonly TraceEvent[];
}

/** Creates a bug report. Secrets and names of this machine are redacted. */
export function toFixture(reported: readonly ReportedTurn[], { redactor }: { redactor: Redactor }): Fixture {
  // Events are redacted before they become the text of a body, in which the deltas of an item are no longer apparent.
  const traces = redactTraces(
    reported.map(({ trace }) => withoutFiles(trace)),
    { redactor },
  );
  const turns = traces.map((trace, index) =>
    toFixtureTurn({ thread: reported[index]?.thread ?? 'main', trace }),
  );
  return withoutMachine({
    format: REPORT_FORMAT,
    createdAt: new Date().toISOString(),
    runtime: { node: process.version, platform: process.platform },
    turns,
  }) as Fixture;
}

/** Returns the requests and recorded responses of a turn, as they are. */
export function toFixtureTurn({ thread, trace }: ReportedTurn): FixtureTurn {
  const { flag, modelId, endpoint, adapters, end, warnings, rounds, exchanges, isRecordingDeleted } =
    toTrace(trace);
  return {
    thread,
    flag,
    modelId,
    endpoint,
    adapters,
    end: end?.end,
    message: end?.message,
    warnings: isRecordingDeleted ? [...warnings, RECORDING_DELETED] : warnings,
    // Without their contents, requests cannot be sent again.
    exchanges: (isRecordingDeleted ? [] : exchanges).map(exchange => ({
      ...toFixtureExchange(exchange),
      toolCallId: rounds.find(({ round }) => round === exchange.round)?.toolCallId,
    })),
  };
}

const toFixtureExchange = ({
  round,
  request,
  status,
  headers,
  events,
  bodyText,
  end,
}: Exchange): FixtureExchange => ({
  round,
  request,
  status,
  headers,
  body: bodyText ?? events.map(({ name, data }) => toFrame(name, data)).join(''),
  end: end?.end,
});

const toFrame = (name: string, data: unknown): string =>
  `event: ${name}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** Redacts working folder, home folder and user name, which occur in tool paths. */
function withoutMachine(value: unknown): unknown {
  const names: readonly (readonly [string, string])[] = [
    [process.cwd(), '.'],
    [homedir(), '~'],
    [userInfo().username, 'user'],
  ];
  const clean = (text: string): string =>
    names.reduce((rest, [name, mark]) => (name.length > 4 ? rest.replaceAll(name, mark) : rest), text);
  const walk = (entry: unknown): unknown => {
    if (typeof entry === 'string') return clean(entry);
    if (Array.isArray(entry)) return entry.map(walk);
    if (typeof entry !== 'object' || entry === null) return entry;
    return Object.fromEntries(Object.entries(entry).map(([name, inner]) => [clean(name), walk(inner)]));
  };
  return walk(value);
}

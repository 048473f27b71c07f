import type { ExchangeEnd, Flag, TracedApp, TraceEvent, TurnEnd, Usage } from './trace-event.js';

/** The trace of a response, built from its events. Times are milliseconds since the turn began. */
export interface Trace {
  readonly startedAt?: string;
  readonly flag?: Flag;
  readonly app?: TracedApp;
  readonly modelId?: string;
  readonly endpoint?: string;
  readonly adapters: readonly string[];
  readonly fault?: string;
  /** True if the response must match a JSON schema. */
  readonly hasSchema?: boolean;
  /** The comparison of the response with its schema. */
  readonly checked?: { readonly problem?: string };
  /** When the tools of the MCP servers were requested, and when they were known. */
  readonly listing?: { readonly startAt: number; readonly endAt?: number };
  readonly rounds: readonly TraceRound[];
  readonly tools: readonly TraceTool[];
  readonly exchanges: readonly Exchange[];
  readonly approvals: readonly Approval[];
  readonly warnings: readonly string[];
  readonly problems: readonly StreamProblem[];
  readonly firstTokenAt?: number;
  /** The time of the last event. */
  readonly lastAt: number;
  readonly end?: { readonly at: number; readonly end: TurnEnd; readonly message?: string };
  readonly usage?: Usage;
  /** True if the contents of requests, responses and events were deleted, by age or size. */
  readonly isRecordingDeleted?: boolean;
}

export interface TraceRound {
  readonly round: number;
  /** The call of the tool that made this request, instead of the turn. */
  readonly toolCallId?: string;
  /** The model that the tool asked. */
  readonly modelId?: string;
  readonly startAt: number;
  readonly endAt?: number;
  readonly finishReason?: string;
  readonly usage?: Usage;
}

export type ToolState = 'running' | 'done' | 'failed' | 'stopped';

export interface TraceTool {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly round: number;
  readonly startAt: number;
  readonly endAt?: number;
  readonly state: ToolState;
  /** The arguments as JSON text. */
  readonly input?: string;
  /** The tool at its server, if it has an app. */
  readonly app?: { readonly server: string; readonly tool: string };
  /** Progress from 0 to 1, or a message of the tool. */
  readonly progress?: { readonly share?: number; readonly message?: string };
}

/** One HTTP request and its response. */
export interface Exchange {
  readonly exchange: number;
  readonly round: number;
  readonly startAt: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly events: readonly WireEvent[];
  readonly bodyText?: string;
  readonly end?: { readonly at: number; readonly end: ExchangeEnd; readonly message?: string };
  /** True if the endpoint noticed that the connection was closed. */
  readonly isDisconnectNoticed: boolean;
}

export interface WireEvent {
  readonly at: number;
  readonly name: string;
  readonly data: unknown;
}

/** A failure of the provider to read or write a stream, and the last event before it. */
export interface StreamProblem {
  readonly message: string;
  readonly exchange?: number;
  /** Number of the event in its exchange, from 1. */
  readonly event?: number;
  readonly eventName?: string;
}

export interface Approval {
  readonly approvalId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly originalName: string;
  readonly server: string | undefined;
  readonly description?: string;
  readonly isDestructive?: boolean;
  readonly isUntrusted?: boolean;
  readonly input: unknown;
  readonly requestedAt: number;
  readonly decidedAt?: number;
  readonly approved?: boolean;
  /** Arguments that the user has changed, with which the call runs. */
  readonly editedInput?: unknown;
}

/** The time of the first request. What is before it, such as opening connections, is not the time of the model. */
export const toRequestedAt = ({ exchanges }: Pick<Trace, 'exchanges'>): number => exchanges[0]?.startAt ?? 0;

/** The time between the first request and the first token. */
export const toFirstTokenTime = (trace: Pick<Trace, 'exchanges' | 'firstTokenAt'>): number | undefined =>
  trace.firstTokenAt === undefined ? undefined : trace.firstTokenAt - toRequestedAt(trace);

/** Returns the tool whose call made the requests of a round, and the level of nesting from 1. A round of the turn has none. */
export function findParentTool(
  trace: Pick<Trace, 'rounds' | 'tools'>,
  round: number,
): { readonly tool: TraceTool; readonly depth: number } | undefined {
  const toolCallId = trace.rounds.find(known => known.round === round)?.toolCallId;
  const tool = trace.tools.find(known => known.toolCallId === toolCallId);
  if (tool === undefined || tool.round >= round) return undefined;
  return { tool, depth: 1 + (findParentTool(trace, tool.round)?.depth ?? 0) };
}

export const emptyTrace: Trace = {
  adapters: [],
  rounds: [],
  tools: [],
  exchanges: [],
  approvals: [],
  warnings: [],
  problems: [],
  lastAt: 0,
};

/** Adds events to a trace. Wire events, of which there are thousands, are added once per batch. */
export function addToTrace(trace: Trace, events: readonly TraceEvent[]): Trace {
  const wire = new Map<number, WireEvent[]>();
  let known = trace;
  let { lastAt } = trace;
  for (const event of events) {
    lastAt = Math.max(lastAt, event.at);
    if (event.type === 'wire') addWireEvent(wire, event);
    else known = { ...known, ...toChange(known, event) };
  }
  const exchanges =
    wire.size === 0
      ? known.exchanges
      : known.exchanges.map(exchange => {
          const added = wire.get(exchange.exchange);
          return added === undefined ? exchange : { ...exchange, events: [...exchange.events, ...added] };
        });
  return { ...known, exchanges, lastAt };
}

function addWireEvent(
  wire: Map<number, WireEvent[]>,
  { exchange, at, name, data }: Extract<TraceEvent, { type: 'wire' }>,
): void {
  const known = wire.get(exchange) ?? [];
  known.push({ at, name, data });
  wire.set(exchange, known);
}

export const toTrace = (events: readonly TraceEvent[]): Trace => addToTrace(emptyTrace, events);

type HandledType = Exclude<TraceEvent['type'], 'wire'>;

type Handlers = {
  [Type in HandledType]: (trace: Trace, event: Extract<TraceEvent, { type: Type }>) => Partial<Trace>;
};

const handlers: Handlers = {
  'turn-start': (_trace, { startedAt, flag, app, modelId, endpoint, adapters, fault, hasSchema }) => ({
    startedAt,
    flag,
    app,
    modelId,
    endpoint,
    adapters,
    fault,
    hasSchema,
  }),
  'tools-requested': (_trace, { at }) => ({ listing: { startAt: at } }),
  'tools-listed': ({ listing }, { at }) => ({ listing: { startAt: listing?.startAt ?? at, endAt: at } }),
  warning: ({ warnings }, { message }) => ({ warnings: [...warnings, message] }),
  'stream-problem': ({ problems }, { message, exchange, event, eventName }) => ({
    problems: [...problems, { message, exchange, event, eventName }],
  }),
  request: ({ exchanges }, { exchange, round, at, method, url, headers, body }) => ({
    exchanges: [
      ...exchanges,
      {
        exchange,
        round,
        startAt: at,
        request: { method, url, headers, body },
        events: [],
        isDisconnectNoticed: false,
      },
    ],
  }),
  response: ({ exchanges }, { exchange, status, headers }) => ({
    exchanges: changeExchange(exchanges, exchange, () => ({ status, headers })),
  }),
  body: ({ exchanges }, { exchange, text }) => ({
    exchanges: changeExchange(exchanges, exchange, () => ({ bodyText: text })),
  }),
  'exchange-end': ({ exchanges }, { exchange, at, end, message }) => ({
    exchanges: changeExchange(exchanges, exchange, () => ({ end: { at, end, message } })),
  }),
  'disconnect-noticed': ({ exchanges }, { exchange }) => ({
    exchanges: changeExchange(exchanges, exchange, () => ({ isDisconnectNoticed: true })),
  }),
  'round-start': ({ rounds }, { round, toolCallId, modelId, at }) => ({
    rounds: [...rounds, { round, toolCallId, modelId, startAt: at }],
  }),
  'first-token': (_trace, { at }) => ({ firstTokenAt: at }),
  'tool-start': ({ tools }, { at, round, toolCallId, toolName, input, app }) => ({
    tools: [...tools, { toolCallId, toolName, round, startAt: at, state: 'running', input, app }],
  }),
  'tool-progress': ({ tools }, { toolCallId, progress, total, message }) => ({
    tools: tools.map(tool =>
      tool.toolCallId === toolCallId
        ? { ...tool, progress: { share: total ? Math.min(1, progress / total) : undefined, message } }
        : tool,
    ),
  }),
  'tool-end': ({ tools }, { at, round, toolCallId, toolName, isError }) => {
    const change = { endAt: at, state: isError ? 'failed' : 'done' } as const;
    const isKnown = tools.some(tool => tool.toolCallId === toolCallId);
    return {
      tools: isKnown
        ? tools.map(tool => (tool.toolCallId === toolCallId ? { ...tool, ...change } : tool))
        : [...tools, { toolCallId, toolName, round, startAt: at, ...change }],
    };
  },
  'approval-requested': ({ approvals }, { at, approvalId, toolCallId, input, ...tool }) => {
    const { toolName, originalName, server, description, isDestructive, isUntrusted } = tool;
    const facts = { toolName, originalName, server, description, isDestructive, isUntrusted };
    const approval = { approvalId, toolCallId, ...facts, input, requestedAt: at };
    return { approvals: [...approvals, approval] };
  },
  'approval-decided': ({ approvals }, { at, approvalId, approved, editedInput }) => ({
    approvals: approvals.map(approval =>
      approval.approvalId === approvalId
        ? {
            ...approval,
            decidedAt: at,
            approved,
            ...(editedInput !== undefined && { editedInput }),
          }
        : approval,
    ),
  }),
  'round-end': ({ rounds }, { at, round, finishReason, usage }) => ({
    rounds: rounds.map(known =>
      known.round === round ? { ...known, endAt: at, finishReason, usage } : known,
    ),
  }),
  'output-checked': (_trace, { problem }) => ({ checked: { problem } }),
  'recording-deleted': () => ({ isRecordingDeleted: true }),
  'turn-end': ({ tools, rounds }, { at, end, message, usage }) => ({
    end: { at, end, message },
    usage,
    // Running tools and rounds end with the turn.
    tools: tools.map(tool => (tool.endAt === undefined ? { ...tool, endAt: at, state: 'stopped' } : tool)),
    rounds: rounds.map(round => (round.endAt === undefined ? { ...round, endAt: at } : round)),
  }),
};

const toChange = <Type extends HandledType>(
  trace: Trace,
  event: Extract<TraceEvent, { type: Type }>,
): Partial<Trace> => (handlers[(event as TraceEvent).type as Type] as Handlers[Type])(trace, event);

const changeExchange = (
  exchanges: readonly Exchange[],
  number: number,
  change: (exchange: Exchange) => Partial<Exchange>,
): readonly Exchange[] =>
  exchanges.map(exchange => (exchange.exchange === number ? { ...exchange, ...change(exchange) } : exchange));

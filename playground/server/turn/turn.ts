import { type CallWarning, convertToModelMessages, streamText, type ToolCallOptions } from 'ai';
import type { ModelAdapter } from 'kelivo-responses/adapters';
import type { EmulatorRequest } from 'kelivo-responses/testing';
import type { ToolSource, ToolStub } from 'kelivo-responses/tool-loop';
import { toPageWords, toTurnFailure } from '../page-words.js';
import { describeFailure } from '../../shared/failure.js';
import type { PlaygroundMessage, Settings, StoredMessage } from '../../shared/playground-state.js';
import type { TraceEvent, TraceFact } from '../../shared/trace-event.js';
import type { FixtureExchange } from '../bug-report.js';
import type { SharedEmulator } from '../emulator/shared-emulator.js';
import type { KeySafe } from '../keys.js';
import type { Redactor } from '../redaction/redactor.js';
import { localTools } from '../../shared/demo-tools.js';
import type { ServerRegistry } from '../mcp/servers.js';
import type { PolicyStore } from '../store/policies.js';
import { createApprovalGate } from './approval-gate.js';
import type { ApprovalDesk } from './approvals.js';
import { createChunkGuard, isReportedError } from './chunks.js';
import { toHistory } from './history.js';
import { toCallOptions } from './parameters.js';
import { openResponseSchema } from './response-schema.js';
import { openProvider } from './model.js';
import { createRecordingFetch } from './recording-fetch.js';
import { openTarget } from './target.js';
import type { TraceRecorder } from './trace-recorder.js';
import type { TurnWriter } from './turns.js';

export interface TurnOptions {
  readonly conversationId: string;
  readonly responseId: string;
  /** The conversation so far, ending with the message that is answered. */
  readonly history: readonly StoredMessage[];
  readonly settings: Settings;
  readonly adapters: readonly ModelAdapter[];
  readonly mcpTools: ToolSource;
  readonly keys: KeySafe;
  readonly emulator: SharedEmulator;
  readonly desk: ApprovalDesk;
  readonly policies: PolicyStore;
  readonly servers: Pick<ServerRegistry, 'configOf'>;
  readonly redactor: Redactor;
  /** Recorded responses to serve instead of the endpoint's. @default none */
  readonly replay?: readonly FixtureExchange[];
}

type TurnEndEvent = Extract<TraceEvent, { type: 'turn-end' }>;

/** Runs a turn and writes its response and its trace. Failures are part of the trace; the function does not reject. */
export async function runTurn(options: TurnOptions, { signal, recorder, write }: TurnWriter): Promise<void> {
  const { responseId, history, settings, adapters, keys, emulator, redactor, replay } = options;
  const { record } = recorder;
  const gate = createApprovalGate({
    tools: options.mcpTools,
    conversationId: options.conversationId,
    policy: settings.approvals,
    // A recording decides what is called, so nothing runs without a question.
    policies: replay === undefined ? options.policies : noPolicies,
    servers: options.servers,
    desk: options.desk,
    record,
    flush: recorder.flush,
    signal,
  });
  let failure: string | undefined;
  const fail = (error: unknown): void => {
    failure ??= redactor.text(toTurnFailure(error));
  };
  const report = (message: string): void =>
    record({ type: 'stream-problem', message, ...lastWireEvent(recorder.events) });
  let hasToken = false;
  const recordToken = (): void => {
    if (!hasToken) record({ type: 'first-token' });
    hasToken = true;
  };
  let finished: Pick<TurnEndEvent, 'finishReason' | 'usage'> = {};
  let limit: string | undefined;
  let round = 1;
  const format = openResponseSchema(settings.responseSchema);
  /** The last text block, which is the structured output. */
  let lastText = '';
  const target = await openTarget(settings, { keys, emulator, replay }).catch(fail);
  try {
    if (target === undefined) return;
    record({
      type: 'turn-start',
      startedAt: new Date().toISOString(),
      flag: settings.flag,
      modelId: settings.modelId,
      endpoint: target.name,
      adapters: adapters.map(({ name }) => name),
      fault: target.fault,
      ...(format !== undefined && { hasSchema: true }),
    });
    const provider = openProvider(settings.flag, {
      baseURL: target.baseURL,
      apiKey: target.apiKey,
      requestId: responseId,
      fetch: createRecordingFetch({
        record(fact) {
          record(fact);
          // The SDK's parts follow later, and late in the first turn of a process.
          if (fact.type === 'wire' && fact.name.endsWith('.delta')) recordToken();
        },
        redactor,
        currentRound: () => round,
      }),
      mcpTools: gate.tools,
      tools: withInputs(localTools, gate.inputOf),
      adapters,
      toolLoop: {
        approvals: settings.approvals,
        // A chosen fault and a recording are shown as they are.
        ...(target.fault !== undefined || replay !== undefined ? { retry: { streamRetries: 0 } } : {}),
        approve: gate.approve,
        onEvent(event) {
          if (event.type === 'round-start') round = event.round;
          // The trace shows the response that counts, and reports its end itself.
          const { type } = event;
          if (
            type !== 'round-retry' &&
            type !== 'turn-end' &&
            type !== 'steering' &&
            type !== 'context-cleared'
          )
            record(type === 'tool-start' ? { ...event, ...toApp(stubs[event.toolName]) } : event);
        },
      },
    });
    record({ type: 'tools-requested' });
    const stubs = await provider.tools();
    record({ type: 'tools-listed' });
    const result = streamText({
      model: provider.languageModel(settings.modelId),
      messages: convertToModelMessages(toHistory(history, target), { ignoreIncompleteToolCalls: true }),
      tools: stubs,
      ...toCallOptions(settings),
      // Errors are shown immediately instead of after retries.
      maxRetries: 0,
      abortSignal: signal,
      onError({ error }) {
        // Failed connections are a `TypeError`, too.
        const isBroken = recorder.events.some(
          event => event.type === 'exchange-end' && event.end === 'broken',
        );
        if (error instanceof TypeError && !isBroken) report(`The provider threw "${error.message}".`);
        fail(error);
      },
      onFinish({ finishReason, totalUsage, providerMetadata, warnings = [] }) {
        finished = { finishReason, usage: totalUsage };
        // Warnings that arise during the turn are events of the loop.
        for (const warning of warnings) record({ type: 'warning', message: toText(warning) });
        limit = toLimit(finishReason, providerMetadata?.kelivo?.stoppedBy);
      },
    });
    const guard = createChunkGuard({
      onProblem: message =>
        report(
          `The provider sent ${message}, on which a chat interface of ai fails. The playground repaired it.`,
        ),
    });
    const chunks = result.toUIMessageStream<PlaygroundMessage>({
      sendFinish: false,
      generateMessageId: () => responseId,
      onError: error => toPageWords(redactor.text(describeFailure(error))),
    });
    for await (const chunk of chunks) {
      if (isReportedError(chunk)) continue;
      if (chunk.type === 'error') {
        fail(chunk.errorText);
        continue;
      }
      // Some servers send whole items without deltas.
      if (/^(text|reasoning|tool-input)-delta$/.test(chunk.type)) recordToken();
      if (chunk.type === 'tool-input-available') gate.see(chunk);
      for (const checked of guard.check(chunk)) {
        if (checked.type === 'text-start') lastText = '';
        if (checked.type === 'text-delta') lastText += checked.delta;
        write(checked);
      }
    }
    if (format !== undefined && failure === undefined && !signal.aborted)
      record({ type: 'output-checked', problem: format.check(lastText) });
  } catch (error) {
    fail(error);
  } finally {
    gate.close();
    if (target !== undefined) {
      const isOwn = ({ headers }: EmulatorRequest): boolean => headers['x-client-request-id'] === responseId;
      await waitForExchanges(recorder, { arrived: () => (target.requests ?? []).filter(isOwn) });
      await target.close().catch(fail);
    }
    const end = failure !== undefined ? 'failed' : limit !== undefined ? 'limit' : 'finished';
    const message = failure ?? limit;
    record({
      type: 'turn-end',
      end: signal.aborted ? 'stopped' : end,
      ...(message !== undefined && !signal.aborted && { message }),
      ...finished,
    });
  }
}

/** Names the tool of a call at its server if it has an app, so that a stored conversation can show the app. */
function toApp(stub: ToolStub | undefined): Pick<Extract<TraceFact, { type: 'tool-start' }>, 'app'> {
  const { app, clientName: server, toolName: tool } = stub?.metadata ?? {};
  if (app?.resourceUri === undefined || server === undefined || tool === undefined) return {};
  return { app: { server, tool } };
}

const noPolicies: PolicyStore = { list: () => [], allows: () => false, add: () => {}, remove: () => {} };

/** Runs local tools with the arguments that the user has changed, and reports them to the model. */
function withInputs(tools: typeof localTools, inputOf: (toolCallId: string, input: unknown) => unknown) {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [
      name,
      {
        ...tool,
        async execute(input: { text: string }, callOptions: ToolCallOptions) {
          const edited = inputOf(callOptions.toolCallId, input);
          const result: unknown = await tool.execute?.(edited as typeof input, callOptions);
          return edited === input ? result : { changedByUser: edited, result };
        },
      },
    ]),
  );
}

const limitNames: Readonly<Record<string, string>> = {
  'max-rounds': 'The limit of rounds',
  'max-tool-calls': 'The limit of tool calls',
  'repeated-failures': 'The limit of identical failures',
  'repeated-calls': 'The limit of repeated calls',
  'total-timeout': 'The time limit',
};

const toText = (warning: CallWarning): string =>
  warning.type === 'other'
    ? warning.message
    : [
        `The provider ignores the ${warning.type === 'unsupported-setting' ? `setting "${warning.setting}"` : 'tool'}.`,
        warning.details,
      ].join(' ');

/** Returns the reason for the user if a limit ended the turn. */
function toLimit(finishReason: string, stoppedBy: unknown): string | undefined {
  if (typeof stoppedBy === 'string') {
    return `${limitNames[stoppedBy] ?? `The limit ${stoppedBy}`} ended the turn before the model had finished.`;
  }
  return finishReason === 'length' ? 'The limit of output tokens truncated the response.' : undefined;
}

/** Returns the last event that the server had sent, by its number in its exchange. */
function lastWireEvent(events: readonly TraceEvent[]) {
  const last = events.findLast(event => event.type === 'wire');
  if (last === undefined) return {};
  const event = events.filter(other => other.type === 'wire' && other.exchange === last.exchange).length;
  return { exchange: last.exchange, event, eventName: last.name };
}

/** Milliseconds to wait until the endpoint notices closed connections. */
const CLOSE_TIMEOUT = 5000;

/** Milliseconds between two checks. */
const INTERVAL = 20;

/**
 * Waits until the trace contains the end of each request, and records which closed connections the endpoint noticed.
 *
 * @param arrived Returns the requests of the turn that the endpoint received, if they are known.
 */
async function waitForExchanges(
  { record, events }: TraceRecorder,
  { arrived }: { arrived: () => readonly EmulatorRequest[] },
): Promise<void> {
  const count = (type: 'request' | 'exchange-end'): number =>
    events.filter(event => event.type === type).length;
  const aborted = (): number[] =>
    events.flatMap(event => (event.type === 'exchange-end' && event.end === 'aborted' ? event.exchange : []));
  // Without a recorded request there is nothing to wait for.
  const isNoticed = (exchange: number): boolean => arrived()[exchange - 1]?.aborted ?? true;
  const hasEnded = (): boolean => count('request') === count('exchange-end') && aborted().every(isNoticed);

  for (let waited = 0; !hasEnded() && waited < CLOSE_TIMEOUT; waited += INTERVAL) {
    await new Promise(resolve => setTimeout(resolve, INTERVAL));
  }
  for (const exchange of aborted()) {
    if (arrived()[exchange - 1]?.aborted) record({ type: 'disconnect-noticed', exchange });
  }
}

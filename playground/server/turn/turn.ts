import {
  convertToModelMessages,
  createUIMessageStream,
  generateId,
  streamText,
  type UIMessageChunk,
} from 'ai';
import type { ModelAdapter } from 'kelivo-responses/adapters';
import type { ToolSource } from 'kelivo-responses/tool-loop';
import { describeFailure } from '../../shared/failure.js';
import type { PlaygroundMessage, Settings, StoredMessage } from '../../shared/playground-state.js';
import type { Flag, TraceEvent } from '../../shared/trace-event.js';
import type { SharedEmulator } from '../emulator/shared-emulator.js';
import type { KeySafe } from '../keys.js';
import type { ApprovalDesk } from './approvals.js';
import { openProvider } from './model.js';
import { openTarget } from './target.js';
import { createRecordingFetch } from './recording-fetch.js';
import type { Redactor } from './redaction.js';
import { toHistory } from './history.js';
import { createTraceRecorder, type TraceRecorder } from './trace-recorder.js';
import type { EmulatorRequest } from 'kelivo-responses/testing';

export interface TurnOptions {
  /** The conversation so far, ending with the user message. */
  readonly history: readonly StoredMessage[];
  readonly flag: Flag;
  readonly settings: Settings;
  readonly adapters: readonly ModelAdapter[];
  readonly mcpTools: ToolSource;
  readonly keys: KeySafe;
  readonly emulator: SharedEmulator;
  readonly desk: ApprovalDesk;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  /** Called with the response and its trace when the turn has ended, also if it failed or was stopped. */
  readonly onResponse: (message: PlaygroundMessage, trace: readonly TraceEvent[]) => void;
}

type Chunk = UIMessageChunk<unknown, { trace: { messageId: string; events: readonly TraceEvent[] } }>;

/** Runs a turn and streams its response to the page, interleaved with trace events. */
export function runTurn(options: TurnOptions): ReadableStream<Chunk> {
  const messageId = generateId();
  let recorder: TraceRecorder | undefined;
  let response: PlaygroundMessage | undefined;
  let hasEnded = false;
  // If the page disconnects, `onFinish` is called before the turn has ended, otherwise after it.
  const saveOnce = (): void => {
    if (response !== undefined && hasEnded) options.onResponse(response, recorder?.events ?? []);
  };
  return createUIMessageStream<PlaygroundMessage>({
    originalMessages: options.history.map(({ message }) => message),
    generateId: () => messageId,
    onError: describeFailure,
    async execute({ writer }) {
      recorder = createTraceRecorder({
        deliver: events => writer.write({ type: 'data-trace', data: { messageId, events }, transient: true }),
      });
      writer.write({ type: 'start', messageId });
      await runRecorded(options, { messageId, recorder, write: chunk => writer.write(chunk) });
      recorder.flush();
      writer.write({ type: 'finish' });
      hasEnded = true;
      saveOnce();
    },
    onFinish({ responseMessage }) {
      response = responseMessage;
      saveOnce();
    },
  });
}

async function runRecorded(
  { history, flag, settings, adapters, mcpTools, keys, emulator, desk, redactor, signal }: TurnOptions,
  {
    messageId,
    recorder,
    write,
  }: { messageId: string; recorder: TraceRecorder; write: (chunk: Chunk) => void },
): Promise<void> {
  const { record } = recorder;
  const target = await openTarget(settings, { keys, emulator });
  let failure: string | undefined;
  let finished: Pick<Extract<TraceEvent, { type: 'turn-end' }>, 'finishReason' | 'usage'> = {};
  let round = 1;
  try {
    record({
      type: 'turn-start',
      startedAt: new Date().toISOString(),
      flag,
      modelId: settings.modelId,
      endpoint: target.name,
      adapters: adapters.map(({ name }) => name),
      fault: target.fault,
    });
    const provider = openProvider(flag, {
      baseURL: target.baseURL,
      apiKey: target.apiKey,
      requestId: messageId,
      fetch: createRecordingFetch({ record, redactor, currentRound: () => round }),
      mcpTools,
      adapters,
      toolLoop: {
        approvals: settings.approvals,
        async approve({ toolCallId, toolName, originalName, server, input }, { signal: turnSignal }) {
          const { approvalId, decision } = desk.ask({ signal: turnSignal });
          const tool = { toolName, originalName, ...(server !== undefined && { server }) };
          record({ type: 'approval-requested', approvalId, toolCallId, ...tool, input });
          recorder.flush();
          const decided = await decision;
          record({ type: 'approval-decided', approvalId, approved: decided.approved });
          return decided;
        },
        onEvent(event) {
          if (event.type === 'round-start') round = event.round;
          record(event);
        },
      },
    });
    const result = streamText({
      model: provider.languageModel(settings.modelId),
      system: settings.systemPrompt || undefined,
      messages: convertToModelMessages(toHistory(history, target), { ignoreIncompleteToolCalls: true }),
      tools: await provider.toolStubs(),
      providerOptions: {
        openai: {
          // The complete conversation is sent with each request, so that either provider can continue it.
          store: false,
          reasoningSummary: 'auto',
          ...(settings.reasoningEffort !== 'default' && { reasoningEffort: settings.reasoningEffort }),
        },
      },
      // Errors are shown immediately instead of after retries.
      maxRetries: 0,
      abortSignal: signal,
      onError: ({ error }) => {
        failure ??= redactor.text(describeFailure(error));
      },
      onFinish: ({ finishReason, totalUsage }) => {
        finished = { finishReason, usage: totalUsage };
      },
    });
    let hasToken = false;
    const chunks = result.toUIMessageStream<PlaygroundMessage>({
      sendStart: false,
      sendFinish: false,
      onError: error => redactor.text(describeFailure(error)),
    });
    for await (const chunk of chunks) {
      if (chunk.type === 'error') {
        failure ??= chunk.errorText;
        continue;
      }
      if (!hasToken && /^(text|reasoning|tool-input)-delta$/.test(chunk.type)) {
        hasToken = true;
        record({ type: 'first-token' });
      }
      write(
        chunk.type === 'tool-output-available' ? { ...chunk, output: redactor.json(chunk.output) } : chunk,
      );
    }
  } catch (error) {
    failure ??= redactor.text(describeFailure(error));
  }
  await waitForExchanges(recorder, {
    arrived: () =>
      (target.requests ?? []).filter(({ headers }) => headers['x-client-request-id'] === messageId),
  });
  await target.close();
  record({
    type: 'turn-end',
    end: signal.aborted ? 'stopped' : failure === undefined ? 'finished' : 'failed',
    ...(failure !== undefined && !signal.aborted && { message: failure }),
    ...finished,
  });
}

/** Milliseconds to wait until the endpoint notices closed connections. */
const CLOSE_TIMEOUT = 1000;

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

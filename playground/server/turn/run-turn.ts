import {
  convertToModelMessages,
  createUIMessageStream,
  generateId,
  jsonSchema,
  streamText,
  type ToolSet,
  type UIMessageChunk,
} from 'ai';
import type { ModelAdapter } from 'kelivo-responses/adapters';
import { createLocalTools, createToolbox, type ToolSource } from 'kelivo-responses/tool-loop';
import { describeFailure } from '../../describe-failure.js';
import { localTools } from '../../local-tools.js';
import type { PlaygroundMessage, Settings } from '../../shared/playground-state.js';
import type { Flag, TraceEvent } from '../../shared/trace-event.js';
import type { KeySafe } from '../key-safe.js';
import type { ApprovalDesk } from './approval-desk.js';
import { openModel } from './open-model.js';
import { openTarget, type Target } from './open-target.js';
import { createRecordingFetch } from './recording-fetch.js';
import type { Redactor } from './redact.js';
import { createTraceRecorder, type TraceRecorder } from './trace-recorder.js';

export interface TurnOptions {
  readonly messages: readonly PlaygroundMessage[];
  readonly flag: Flag;
  readonly settings: Settings;
  readonly adapters: readonly ModelAdapter[];
  readonly mcpTools: ToolSource;
  readonly keys: KeySafe;
  readonly desk: ApprovalDesk;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  /** Takes the finished answer with its story, also that of a turn that failed or was stopped. */
  readonly onAnswer: (message: PlaygroundMessage, trace: readonly TraceEvent[]) => void;
}

type Chunk = UIMessageChunk<unknown, { trace: { messageId: string; events: readonly TraceEvent[] } }>;

/** Asks the model and streams its answer to the page, with the story of the answer between its parts. */
export function runTurn(options: TurnOptions): ReadableStream<Chunk> {
  const messageId = generateId();
  let recorder: TraceRecorder | undefined;
  return createUIMessageStream<PlaygroundMessage>({
    originalMessages: [...options.messages],
    generateId: () => messageId,
    onError: describeFailure,
    async execute({ writer }) {
      recorder = createTraceRecorder({
        deliver: events => writer.write({ type: 'data-trace', data: { messageId, events }, transient: true }),
      });
      writer.write({ type: 'start', messageId });
      await runRecorded(options, { recorder, write: chunk => writer.write(chunk) });
      recorder.flush();
      writer.write({ type: 'finish' });
    },
    onFinish: ({ responseMessage }) => options.onAnswer(responseMessage, recorder?.events ?? []),
  });
}

async function runRecorded(
  { messages, flag, settings, adapters, mcpTools, keys, desk, redactor, signal }: TurnOptions,
  { recorder, write }: { recorder: TraceRecorder; write: (chunk: Chunk) => void },
): Promise<void> {
  const { record } = recorder;
  const target = await openTarget(settings, { keys });
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
    const model = openModel(flag, {
      modelId: settings.modelId,
      baseURL: target.baseURL,
      apiKey: target.apiKey,
      fetch: createRecordingFetch({ record, redactor, currentRound: () => round }),
      mcpTools,
      adapters,
      toolLoop: {
        approvals: settings.approvals,
        async approve({ toolCallId, toolName, input }, { signal: turnSignal }) {
          const { approvalId, answer } = desk.ask({ signal: turnSignal });
          record({ type: 'approval-wanted', approvalId, toolCallId, toolName, input });
          recorder.flush();
          const decision = await answer;
          record({ type: 'approval-settled', approvalId, approved: decision.approved });
          return decision;
        },
        onEvent(event) {
          if (event.type === 'round-start') round = event.round;
          record(event);
        },
      },
    });
    const result = streamText({
      model,
      system: settings.systemPrompt || undefined,
      messages: convertToModelMessages([...messages], { ignoreIncompleteToolCalls: true }),
      tools: await declareTools(mcpTools, { signal }),
      providerOptions: {
        openai: {
          reasoningSummary: 'auto',
          ...(settings.reasoningEffort !== 'default' && { reasoningEffort: settings.reasoningEffort }),
        },
      },
      // Who watches would rather read the reason at once.
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
      write(chunk);
    }
  } catch (error) {
    failure ??= redactor.text(describeFailure(error));
  }
  await settle(target, recorder);
  record({
    type: 'turn-end',
    end: signal.aborted ? 'stopped' : failure === undefined ? 'finished' : 'failed',
    ...(failure !== undefined && !signal.aborted && { message: failure }),
    ...finished,
  });
}

/** A host that knows a tool shows its calls. The schema is open: the provider's own check is the one that counts. */
async function declareTools(mcpTools: ToolSource, { signal }: { signal: AbortSignal }): Promise<ToolSet> {
  const { tools } = await createToolbox([mcpTools, createLocalTools(localTools)]).listTools({ signal });
  return Object.fromEntries(
    tools.map(({ name, description }) => [
      name,
      { description, inputSchema: jsonSchema({ type: 'object' }) },
    ]),
  );
}

/** Milliseconds that connections get to be seen to close. */
const SETTLE_LIMIT = 1000;

/** Waits until each request has its end in the story, and tells where the endpoint saw the connection go. */
async function settle(target: Target, { record, events }: TraceRecorder): Promise<void> {
  const exchangesWith = (type: 'request' | 'exchange-end'): number =>
    events.filter(event => event.type === type).length;
  const aborted = (): number[] =>
    events.flatMap(event => (event.type === 'exchange-end' && event.end === 'aborted' ? event.exchange : []));
  const isSeen = (exchange: number): boolean => target.requests?.[exchange - 1]?.aborted ?? true;
  const isSettled = (): boolean =>
    exchangesWith('request') === exchangesWith('exchange-end') && aborted().every(isSeen);

  for (let waited = 0; !isSettled() && waited < SETTLE_LIMIT; waited += 20) {
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  if (target.requests !== undefined) {
    for (const exchange of aborted().filter(isSeen)) record({ type: 'hung-up', exchange });
  }
  await target.close();
}

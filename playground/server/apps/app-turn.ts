import { randomUUID } from 'node:crypto';
import type { PlaygroundMessage } from '../../shared/playground-state.js';
import type { TracedApp, TraceEvent, TurnEnd, Usage } from '../../shared/trace-event.js';
import { sumUsage } from '../../shared/cost.js';
import type { Redactor } from '../redaction/redactor.js';
import {
  createMessageParts,
  createTraceRecord,
  readFinishReason,
  readHeaders,
  readQuestion,
  readUsage,
  toText,
} from './app-record.js';
import { isFields, type Fields, listOf, numberOf, objectOf, textOf } from './fields.js';

/** A turn of an application, written from the messages of `devTools()`. */
export interface AppTurn {
  readonly id: string;
  readonly question: string;
  readonly events: readonly TraceEvent[];
  /** Calls of tools that the application runs. The next request contains their results. */
  readonly waitingFor: ReadonlySet<string>;
  readonly hasEnded: boolean;
  /** Milliseconds since 1970 of the last message. */
  readonly lastAt: number;
  /** Characters of recorded contents. */
  readonly size: number;
  beginCall(message: Fields): void;
  /** Adds a message of one of its calls. */
  add(message: Fields): void;
  end(end: TurnEnd, options: { at: number; message?: string }): void;
  warn(text: string): void;
  /** Returns the response. */
  toMessage(): PlaygroundMessage;
}

export interface AppTurnOptions {
  readonly app: TracedApp;
  readonly redactor: Redactor;
  /** The message that begins its first call. */
  readonly first: Fields;
  /** True if the application reports the end of the turn and the times of its tools. */
  readonly isReported: boolean;
}

/** One request to a model. */
interface ModelCall {
  round: number;
  readonly exchange: number;
  readonly at: number;
  readonly endpoint: string;
  readonly body: unknown;
  /** The tool that made the request, whose text is not that of the turn, and its model. */
  readonly nested?: { readonly toolCallId: string; readonly modelId: string };
  /** True if the events of the wire are among the parts. */
  readonly hasRawParts: boolean;
  hasRequest: boolean;
  /** Tools that the provider runs. After the last of them, another round begins. */
  readonly running: Set<string>;
  hasProviderResults: boolean;
  /** The arguments so far of calls that the provider runs. Not every host receives the complete call. */
  readonly inputs: Map<string, { readonly toolName: string; input: string }>;
  readonly hostCalls: Map<string, Fields>;
  finishReason?: string;
  usage?: Usage;
}

export function createAppTurn({ app, redactor, first, isReported }: AppTurnOptions): AppTurn {
  const id = randomUUID();
  const beganAt = numberOf(first.at) ?? Date.now();
  const calls = new Map<unknown, ModelCall>();
  const waitingFor = new Set<string>();
  const runningTools = new Map<string, { round: number; at: number; toolName: string }>();
  const usages: Usage[] = [];
  const parts = createMessageParts();
  const trace = createTraceRecord(beganAt);
  const { record } = trace;
  let rounds = 0;
  let exchanges = 0;
  let hasToken = false;
  let lastFinish: string | undefined;

  const sum = () => (usages.length > 0 ? { usage: sumUsage(usages) } : {});

  function beginRound({ nested }: Pick<ModelCall, 'nested'>, at: number): number {
    rounds++;
    record({ type: 'round-start', round: rounds, ...nested }, at);
    return rounds;
  }

  function endRound(call: ModelCall, at: number): void {
    const { round, finishReason = 'unknown', usage = {} } = call;
    if (Object.keys(usage).length > 0) usages.push(usage);
    record({ type: 'round-end', round, finishReason, usage }, at);
    call.usage = undefined;
  }

  function beginTool({ toolCallId, toolName, input }: Fields, round: number, at: number): void {
    const id = textOf(toolCallId);
    if (runningTools.has(id)) return;
    runningTools.set(id, { round, at, toolName: textOf(toolName) });
    const args = typeof input === 'string' ? input : JSON.stringify(input ?? {});
    record({ type: 'tool-start', round, toolCallId: id, toolName: textOf(toolName), input: args }, at);
    parts.addTool(id, { toolName: textOf(toolName), input: args });
  }

  function endTool({ toolCallId, isError, output }: Fields, at: number): void {
    const id = textOf(toolCallId);
    const tool = runningTools.get(id);
    if (tool === undefined) return;
    runningTools.delete(id);
    waitingFor.delete(id);
    const { round, toolName } = tool;
    const duration = at - tool.at;
    record({ type: 'tool-end', round, toolCallId: id, toolName, duration, isError: isError === true }, at);
    parts.endTool(id, { isError, output });
  }

  /** Tools of the application ended before the request that contains their results. */
  function readResults(prompt: unknown, at: number): void {
    const last = listOf(prompt).findLast(isFields);
    if (last?.role !== 'tool') return;
    for (const part of listOf(last.content).filter(isFields)) {
      const output = objectOf(part.output) ?? {};
      const isError = textOf(output.type).startsWith('error');
      endTool({ toolCallId: part.toolCallId, isError, output: output.value ?? part.result }, at);
    }
  }

  function recordRequest(call: ModelCall, { request, error }: Fields, at: number): void {
    if (call.hasRequest) return;
    call.hasRequest = true;
    const { url, requestBodyValues } = objectOf(error) ?? {};
    const { round, exchange, endpoint } = call;
    record(
      {
        type: 'request',
        exchange,
        round,
        method: 'POST',
        url: redactor.text(textOf(url) || textOf(objectOf(request)?.url) || endpoint),
        headers: {},
        body: objectOf(request)?.body ?? requestBodyValues ?? call.body,
      },
      Math.min(call.at, at),
    );
  }

  function recordResponse(call: ModelCall, message: Fields, at: number): void {
    recordRequest(call, message, at);
    const headers = redactor.headers(readHeaders(objectOf(message.response)?.headers));
    record({ type: 'response', exchange: call.exchange, status: 200, headers }, at);
  }

  function addPart(call: ModelCall, part: Fields, at: number): void {
    const type = textOf(part.type);
    if (type === 'raw') {
      const data = part.rawValue;
      const name = textOf(objectOf(data)?.type) || 'message';
      record({ type: 'wire', exchange: call.exchange, name, data }, at);
      return;
    }
    if (!call.hasRawParts) record({ type: 'wire', exchange: call.exchange, name: type, data: part }, at);
    // After the results of its tools, a provider with a loop asks the model again.
    const isResult = type === 'tool-result';
    if (call.hasProviderResults && call.running.size === 0 && BEGINS_ROUND.has(type)) {
      call.finishReason = 'tool-calls';
      endRound(call, at);
      call.round = beginRound(call, at);
      call.finishReason = undefined;
      call.hasProviderResults = false;
    }
    if (!hasToken && /^(text|reasoning|tool-input)-delta$|^tool-call$/.test(type)) {
      hasToken = true;
      record({ type: 'first-token' }, at);
    }
    const input = call.inputs.get(textOf(part.id));
    if (type === 'tool-input-start' && part.providerExecuted === true)
      call.inputs.set(textOf(part.id), { toolName: textOf(part.toolName), input: '' });
    else if (type === 'tool-input-delta' && input !== undefined) input.input += textOf(part.delta);
    else if (type === 'tool-input-end' && input !== undefined) {
      call.running.add(textOf(part.id));
      beginTool({ toolCallId: part.id, ...input }, call.round, at);
    } else if (type === 'tool-call' && part.providerExecuted === true) {
      call.running.add(textOf(part.toolCallId));
      beginTool(part, call.round, at);
    } else if (type === 'tool-call') call.hostCalls.set(textOf(part.toolCallId), part);
    else if (isResult && part.preliminary !== true) {
      call.running.delete(textOf(part.toolCallId));
      call.hasProviderResults = true;
      endTool({ ...part, output: part.result }, at);
    } else if (type === 'finish') {
      call.finishReason = readFinishReason(part.finishReason);
      call.usage = readUsage(part.usage);
    } else if (type === 'stream-start') {
      for (const warning of listOf(part.warnings).filter(isFields))
        record({ type: 'warning', message: toText(warning.message ?? warning.details ?? warning) }, at);
    } else if (call.nested === undefined && (type === 'text-delta' || type === 'reasoning-delta'))
      parts.addText(type === 'text-delta' ? 'text' : 'reasoning', textOf(part.delta));
  }

  /** Reads the result of a call that was not streamed. */
  function addResult(call: ModelCall, message: Fields, at: number): void {
    const result = objectOf(message.result) ?? {};
    recordResponse(call, message, at);
    // A loop in the model has several responses, of which the body is one.
    const hasRounds = listOf(objectOf(objectOf(result.providerMetadata)?.kelivo)?.rounds).length > 1;
    const body = (hasRounds ? undefined : objectOf(message.response)?.body) ?? result;
    const text = typeof body === 'string' ? redactor.text(body) : JSON.stringify(redactor.json(body));
    const known = { ...call, hasRawParts: true };
    record({ type: 'body', exchange: call.exchange, text }, at);
    for (const part of listOf(result.content).filter(isFields)) {
      const type = textOf(part.type);
      if (type === 'text' || type === 'reasoning')
        addPart(known, { type: `${type}-delta`, delta: part.text }, at);
      else addPart(known, part, at);
    }
    addPart(known, { ...result, type: 'finish' }, at);
    const { round, finishReason, usage } = known;
    Object.assign(call, { round, finishReason, usage });
  }

  function endCall(call: ModelCall, message: Fields, at: number): void {
    if (objectOf(message.result) !== undefined) addResult(call, message, at);
    const error = objectOf(message.error);
    const isAborted = message.isAborted === true || error?.isAborted === true;
    recordRequest(call, message, at);
    const problem = error && redactor.text(textOf(error.message) || 'The call failed.');
    const status = numberOf(error?.statusCode);
    const { exchange } = call;
    if (status !== undefined) {
      const headers = redactor.headers(readHeaders(error?.responseHeaders));
      record({ type: 'response', exchange, status, headers }, at);
      record({ type: 'body', exchange, text: redactor.text(textOf(error?.responseBody)) }, at);
    }
    const isBroken = error !== undefined && status === undefined;
    const how = isAborted ? 'aborted' : isBroken ? 'broken' : 'complete';
    record(
      { type: 'exchange-end', exchange, end: how, ...(problem !== undefined && { message: problem }) },
      at,
    );
    endRound(call, at);
    lastFinish = call.finishReason;
    if (isAborted) return isReported ? undefined : end('stopped', { at });
    if (error !== undefined) return isReported ? undefined : end('failed', { at, message: problem });
    for (const [id, part] of isReported ? [] : call.hostCalls) {
      beginTool(part, call.round, at);
      waitingFor.add(id);
    }
    if (!isReported && waitingFor.size === 0) end('finished', { at });
  }

  function end(how: TurnEnd, { at, message }: { at: number; message?: string }): void {
    if (trace.hasEnded) return;
    const isLimit = how === 'finished' && lastFinish === 'length';
    record(
      {
        type: 'turn-end',
        end: isLimit ? 'limit' : how,
        ...(isLimit && { message: 'The limit of output tokens truncated the response.' }),
        ...(message !== undefined && { message }),
        ...(lastFinish !== undefined && { finishReason: lastFinish }),
        ...sum(),
      },
      at,
    );
  }

  record(
    {
      type: 'turn-start',
      startedAt: new Date(beganAt).toISOString(),
      app,
      modelId: textOf(first.modelId),
      endpoint: textOf(first.provider),
      adapters: [],
    },
    beganAt,
  );

  return {
    id,
    question: readQuestion(first.prompt),
    events: trace.events,
    waitingFor,
    get hasEnded() {
      return trace.hasEnded;
    },
    get lastAt() {
      return trace.lastAt;
    },
    get size() {
      return trace.size;
    },
    beginCall(message) {
      const at = numberOf(message.at) ?? trace.lastAt;
      const { prompt, tools, settings, modelId, provider } = message;
      readResults(prompt, at);
      const toolCallId = objectOf(message.parent)?.toolCallId;
      const nested = typeof toolCallId === 'string' ? { toolCallId, modelId: textOf(modelId) } : undefined;
      calls.set(message.call, {
        round: beginRound({ nested }, at),
        exchange: ++exchanges,
        at,
        endpoint: textOf(provider),
        body: { model: modelId, prompt, tools, ...objectOf(settings) },
        nested,
        hasRawParts: objectOf(settings)?.includeRawChunks === true,
        hasRequest: false,
        running: new Set(),
        hasProviderResults: false,
        inputs: new Map(),
        hostCalls: new Map(),
      });
    },
    add(message) {
      const at = numberOf(message.at) ?? trace.lastAt;
      if (message.type === 'tool-start') return beginTool(message, rounds, at);
      if (message.type === 'tool-end') return endTool(message, at);
      const call = calls.get(message.call);
      if (call === undefined) return;
      if (message.type === 'response') recordResponse(call, message, at);
      else if (message.type === 'part') addPart(call, objectOf(message.part) ?? {}, at);
      else if (message.type === 'call-end') {
        calls.delete(message.call);
        endCall(call, message, at);
      }
    },
    end,
    warn: text => record({ type: 'warning', message: text }, trace.lastAt),
    toMessage: () => ({
      id,
      role: 'assistant',
      parts: parts.list(),
    }),
  };
}

const BEGINS_ROUND: ReadonlySet<string> = new Set([
  'text-start',
  'reasoning-start',
  'tool-input-start',
  'tool-call',
]);

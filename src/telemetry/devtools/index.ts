import type { AsyncLocalStorage } from 'node:async_hooks';
import { objectOf, type PlainObject, tryParseJson } from '../../core/shared/json.js';
import type { ModelMiddleware } from '../../core/versions/middleware.js';
import { createSender, getBuiltinModule, hostProcess, type Place, type Sender } from './sender.js';

/** Settings of `devTools()` and its telemetry. */
export interface DevToolsOptions {
  /**
   * The address for applications that the playground prints when it starts. Its token can only send.
   *
   * @default the environment variable `KELIVO_PLAYGROUND_URL`
   */
  readonly url?: string;
  /** Whether anything is sent. @default true, and false if `NODE_ENV` is `production` */
  readonly enabled?: boolean;
  /** The name of the application in the playground. @default the name of the npm package, or of the started file */
  readonly name?: string;
}

/** A middleware for `wrapLanguageModel` of `ai` 5, 6 and 7. If it is off, it wraps nothing. */
export type DevToolsMiddleware = Pick<ModelMiddleware, 'specificationVersion'> &
  Partial<Pick<ModelMiddleware, 'wrapGenerate' | 'wrapStream'>>;

/** An integration for `registerTelemetry` of `ai` 7. If it is off, it has no callbacks. */
export interface DevToolsTelemetry {
  /** Observes the request to a model. */
  executeLanguageModelCall?<Result>(call: {
    readonly callId: string;
    readonly execute: () => PromiseLike<Result>;
  }): PromiseLike<Result>;
  /** Connects the model calls of a tool with its call. */
  executeTool?<Result>(call: {
    readonly callId: string;
    readonly toolCallId: string;
    readonly execute: () => PromiseLike<Result>;
  }): PromiseLike<Result>;
  /** Records the start of a tool. */
  onToolExecutionStart?(event: ToolEvent): void;
  /** Records the end of a tool. */
  onToolExecutionEnd?(event: ToolEvent & { readonly toolOutput?: unknown }): void;
  /** Records the end of a turn. */
  onEnd?(event: object): void;
  /** Records that the application has aborted a turn. */
  onAbort?(event: object): void;
  /** Records the error of a turn. */
  onError?(event: unknown): void;
}

interface ToolEvent {
  readonly callId: string;
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string; readonly input?: unknown };
}

/**
 * Shows the turns of an application in the playground, live: a middleware for models of every version, and with
 * `devTools.telemetry()` an integration for `ai` 7. Without the address of a playground they do nothing. They never change,
 * delay or fail a call.
 *
 * @example
 * const model = wrapLanguageModel({ model: openai('gpt-5'), middleware: devTools() });
 */
export const devTools: {
  (options?: DevToolsOptions): DevToolsMiddleware;
  /** Creates an integration for `registerTelemetry` of `ai` 7, which also shows when tools run, and nested calls. */
  telemetry(options?: DevToolsOptions): DevToolsTelemetry;
} = /* @__PURE__ */ Object.assign(createMiddleware, { telemetry: createTelemetry });

function createMiddleware(options: DevToolsOptions = {}): DevToolsMiddleware {
  const specificationVersion = 'v3';
  const sender = openSender(options);
  if (sender === undefined) return { specificationVersion };
  const wrap = <Result>(
    execute: () => PromiseLike<Result>,
    call: { params: object; model: { provider: string; modelId: string } },
  ): Promise<Result> => {
    const place = places?.getStore();
    // The telemetry of `ai` 7 observes the same call.
    if (place?.isModelCall) return Promise.resolve(execute());
    const { provider, modelId } = call.model;
    return observe(
      sender,
      { parent: place, ...toFacts(call.params as PlainObject), provider, modelId },
      execute,
    );
  };
  return {
    specificationVersion,
    wrapGenerate: ({ doGenerate, ...call }) => wrap(doGenerate, call),
    wrapStream: ({ doStream, ...call }) => wrap(doStream, call),
  };
}

function createTelemetry(options: DevToolsOptions = {}): DevToolsTelemetry {
  const sender = openSender(options);
  if (sender === undefined) return {};
  const hooks = getBuiltinModule?.('node:async_hooks');
  places ??= hooks && new hooks.AsyncLocalStorage();
  const tool = (type: string, event: ToolEvent, facts: object = {}): void => {
    const { toolCallId, toolName, input } = event.toolCall;
    sender.send({ type, turn: event.callId, toolCallId, toolName, input, ...facts });
  };
  const end = (event: unknown, facts: object = {}): void =>
    sender.send({ type: 'turn-end', turn: objectOf(event)?.callId, ...facts });
  return {
    executeLanguageModelCall({ execute, ...event }) {
      const { callId: turn } = event;
      const parent = places?.getStore();
      const { provider, modelId } = event as { provider?: string; modelId?: string };
      const facts = { turn, parent, ...toFacts(event), provider, modelId };
      const run = () => observe(sender, facts, execute);
      return places?.run({ turn, isModelCall: true }, run) ?? run();
    },
    executeTool({ execute, callId: turn, toolCallId }) {
      return places?.run({ turn, toolCallId }, execute) ?? execute();
    },
    onToolExecutionStart(event) {
      sender.work(1);
      tool('tool-start', event);
    },
    onToolExecutionEnd(event) {
      sender.work(-1);
      const output = objectOf(event.toolOutput);
      tool('tool-end', event, { isError: output?.type === 'tool-error', output: output?.output });
    },
    onEnd: event => end(event),
    onAbort: event => end(event, { isAborted: true }),
    onError: event => end(event, { error: describeError(objectOf(event)?.error ?? event) }),
  };
}

/** Set by the telemetry of `ai` 7. Outside of Node.js, nested calls are turns of their own. */
let places: AsyncLocalStorage<Place> | undefined;

/** Senders by address and name: middlewares of one application share one. */
const senders = new Map<string, Sender>();

/** Returns undefined if nothing is to be sent. */
function openSender({ url, enabled, name }: DevToolsOptions): Sender | undefined {
  const { env = {} } = hostProcess();
  const address = url ?? env.KELIVO_PLAYGROUND_URL;
  if (!address || !(enabled ?? env.NODE_ENV !== 'production')) return undefined;
  if (!URL.canParse(address) || !/^https?:/.test(address)) {
    // A wrong variable must not end the application.
    if (url === undefined) return undefined;
    throw new TypeError(
      `Expected \`url\` to be the address that the playground prints as KELIVO_PLAYGROUND_URL, got ${JSON.stringify(url)}.`,
    );
  }
  const key = `${address} ${name}`;
  const sender = senders.get(key) ?? createSender({ url: address, name });
  senders.set(key, sender);
  return sender;
}

/** The options of a call that decide its response. Headers may contain keys. */
const toFacts = ({ abortSignal: _signal, headers: _headers, ...facts }: PlainObject): PlainObject => {
  const { prompt, messages, tools, execute: _execute, ...settings } = facts;
  return { prompt: prompt ?? messages, tools, settings };
};

let count = 0;

/** Runs a model call, and sends what it receives. Its result and its errors are those of the model. */
async function observe<Result>(
  sender: Sender,
  facts: PlainObject,
  execute: () => PromiseLike<Result>,
): Promise<Result> {
  const call = ++count;
  let hasEnded = false;
  const end = (more: object): void => {
    if (hasEnded) return;
    hasEnded = true;
    sender.work(-1);
    sender.send({ type: 'call-end', call, ...more });
  };
  sender.work(1);
  sender.send({ type: 'call-start', call, ...facts });
  try {
    const result = await execute();
    const { request, response, stream, ...rest } = result as PlainObject;
    const wire = { request: readBody(request), response: readBody(response) };
    if (!(stream instanceof ReadableStream)) {
      end({ ...wire, result: rest });
      return result;
    }
    sender.send({ type: 'response', call, ...wire });
    const onPart = (part: unknown) => sender.send({ type: 'part', call, part: toPart(part) });
    return { ...result, stream: watch(stream, { onPart, end }) };
  } catch (error) {
    end({ error: describeError(error) });
    throw error;
  }
}

interface Watcher {
  readonly onPart: (part: unknown) => void;
  readonly end: (how: object) => void;
}

/** Returns a stream of the same parts, which reads a part when its reader does. */
function watch(source: ReadableStream<unknown>, watcher: Watcher): ReadableStream<unknown> {
  const reader = source.getReader();
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            watcher.end({});
            controller.close();
            return;
          }
          watcher.onPart(value);
          controller.enqueue(value);
        } catch (error) {
          watcher.end({ error: describeError(error) });
          controller.error(error);
        }
      },
      async cancel(reason) {
        watcher.end({ isAborted: true });
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The error of a part is an object without own properties. */
const toPart = (part: unknown): unknown => {
  const { type, error } = objectOf(part) ?? {};
  return type === 'error' ? { type, error: describeError(error) } : part;
};

/** A body that is text is nearly always JSON. */
const readBody = (message: unknown): unknown => {
  const { body, ...rest } = objectOf(message) ?? {};
  return { ...rest, body: typeof body === 'string' ? (tryParseJson(body) ?? body) : body };
};

/** Reads the fields of an error, and those that errors of HTTP have in `ai`. Anything can be thrown, so reading can fail. */
function describeError(error: unknown): PlainObject {
  try {
    return readError(error);
  } catch {
    return { message: 'The error has no text.' };
  }
}

function readError(error: unknown): PlainObject {
  const fields = typeof error === 'object' && error !== null ? (error as PlainObject) : {};
  const { url, statusCode, responseHeaders, responseBody, requestBodyValues } = fields;
  const name = error instanceof Error ? error.name : undefined;
  return {
    name,
    message: error instanceof Error ? error.message : String(error),
    isAborted: name === 'AbortError' || undefined,
    url,
    statusCode,
    responseHeaders,
    responseBody,
    requestBodyValues,
  };
}

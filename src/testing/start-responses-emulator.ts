import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulatorState } from './answer-context.js';
import { answerRequest } from './answer-request.js';
import type { ScriptedAnswer } from './answers.js';
import { type EmulatorRequest, readRequest } from './read-request.js';
import type { RequestRules } from './request-rules.js';
import { sendDelivery } from './send-delivery.js';
import type { ToolCallFormat } from './write-tool-calls.js';

/** How the emulator listens and answers. */
export interface ResponsesEmulatorOptions {
  /** The port on 127.0.0.1; 0 takes a free one. @default 0 */
  readonly port?: number;
  /** The path before `/responses`, for example `/openai/v1` for Azure or `/v1beta` for Google. @default '/v1' */
  readonly basePath?: string;
  /**
   * The keys that are let in, as a Bearer token or in an `api-key` or `x-goog-api-key` header.
   * @default every request is let in
   */
  readonly apiKey?: string | readonly string[];
  /** Milliseconds before each event of a stream, so that it is seen to stream. @default 0 */
  readonly latency?: number;
  /** Whether requests are checked as OpenAI checks them; other servers take nearly anything. @default true */
  readonly validate?: boolean;
  /**
   * Whose rules requests are checked by, and whose style the answers have: for every model, or by its id.
   * @default 'openai'
   */
  readonly rules?: RequestRules | ((modelId: string) => RequestRules);
  /**
   * Makes the model write its tool calls as text, as it does on a server without a parser for them: for every model,
   * or by its id. @default calls are calls
   */
  readonly toolCallFormat?: ToolCallFormat | ((modelId: string) => ToolCallFormat | undefined);
}

/** A running server that behaves like the OpenAI API, with a model made of rules. */
export interface ResponsesEmulator {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The URL a client is given: {@link url} with the base path, `http://127.0.0.1:<port>/v1`. */
  readonly baseURL: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly EmulatorRequest[];
  /**
   * Scripts what the next POST requests are answered with, in this order, one for each. A request that is refused
   * (a wrong key, an invalid body) uses none up. When none is left, the rule-based model answers again.
   */
  enqueue(...answers: readonly ScriptedAnswer[]): void;
  /** Stops the server and ends all connections at once. */
  close(): Promise<void>;
}

/**
 * Starts an HTTP server on 127.0.0.1 that behaves like the OpenAI API: `POST /responses` and `POST /chat/completions`
 * (streamed or not), `POST /embeddings` and `GET /models`, with the API's own checks and error texts. Beside it, the
 * Gemini API answers `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent?alt=sse`. It needs no
 * key and no network.
 *
 * @throws the error of `node:http` when the port is taken.
 */
export async function startResponsesEmulator({
  port = 0,
  basePath = '/v1',
  apiKey,
  latency = 0,
  validate = true,
  rules = 'openai',
  toolCallFormat,
}: ResponsesEmulatorOptions = {}): Promise<ResponsesEmulator> {
  const requests: EmulatorRequest[] = [];
  const context = {
    ...createEmulatorState(),
    apiKeys: toApiKeys(apiKey),
    basePath,
    latency,
    validate,
    rulesFor: typeof rules === 'function' ? rules : () => rules,
    toolCallFormatFor: typeof toolCallFormat === 'function' ? toolCallFormat : () => toolCallFormat,
  };
  let closed: Promise<unknown> | undefined;

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const hungUp = new AbortController();
    outgoing.once('close', () => hungUp.abort());
    const { request, key } = await readRequest(incoming, { apiKeys: context.apiKeys });
    requests.push(request);
    const delivery = answerRequest(request, { ...context, key });
    outgoing.once('close', () => {
      request.aborted =
        closed === undefined && !outgoing.writableEnded && !delivery.steps.includes('destroy');
    });
    await sendDelivery(delivery, { to: outgoing, signal: hungUp.signal });
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => outgoing.destroy(toError(error)));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${toPort(server.address())}`;

  return {
    url,
    baseURL: url + basePath,
    requests,
    enqueue: (...answers) => void context.queue.push(...answers),
    async close() {
      if (closed === undefined) {
        closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
      }
      await closed;
    },
  };
}

const toApiKeys = (apiKey: string | readonly string[] | undefined): readonly string[] | undefined =>
  apiKey === undefined ? undefined : [apiKey].flat();

const toPort = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

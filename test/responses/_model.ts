import type { ServerResponse } from 'node:http';
import { APICallError, type LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../src/index.js';
import { serve, type TestServer } from '../_server.js';
import { toSse } from '../_sse.js';
import { message, toStream } from './stream/_fixtures/wire-events.js';

export const prompt: LanguageModelV2CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
];

export const modelAt = ({ url }: Pick<TestServer, 'url'>, settings: Partial<KelivoResponsesSettings> = {}) =>
  createKelivoResponsesProvider({ baseURL: url, apiKey: 'sk-secret', ...settings }).responses('test-model');

export const HELLO = toStream([message(['Hello there'])]);

/** Returns the error that a promise rejects with. */
export async function rejectionOf(promise: PromiseLike<unknown>): Promise<APICallError> {
  const error = await Promise.resolve(promise).then(
    () => new Error('it did not reject'),
    (reason: unknown) => reason,
  );
  if (!APICallError.isInstance(error)) throw error;
  return error;
}

/** Starts a server that sends the beginning of a response and then calls `then`. */
export const serveBeginning = (count: number, then: (response: ServerResponse) => void = () => {}) =>
  serve(response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(toSse(HELLO.slice(0, count)));
    setTimeout(then, 20, response);
  });

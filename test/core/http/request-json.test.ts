import { APICallError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { requestJson } from '../../../src/core/http/request-json.js';
import { serveBody, serveJson, type TestServer } from '../../_server.js';

const post = ({ url }: TestServer, more: Partial<Parameters<typeof requestJson>[0]> = {}) =>
  requestJson({
    url: `${url}/v1/embeddings`,
    headers: [{ authorization: 'Bearer sk-secret' }],
    needsKey: false,
    body: { input: ['a'] },
    fetch: globalThis.fetch,
    ...more,
  });

describe('requestJson', () => {
  it('posts JSON and returns the JSON and the headers of the response', async () => {
    const server = await serveJson({ text: 'Grüße 🏔️' });
    const { body, headers } = await post(server, {
      headers: [{ authorization: 'Bearer sk-secret' }, { Authorization: 'Bearer other' }],
    });
    expect(body).toEqual({ text: 'Grüße 🏔️' });
    expect(headers['content-type']).toBe('application/json');
    expect(server.requests).toMatchObject([
      { body: { input: ['a'] }, headers: { authorization: 'Bearer other' } },
    ]);
  });

  it('quotes a response that is not JSON, with the key redacted', async () => {
    const error: unknown = await post(await serveBody('<html>sk-secret</html>')).catch(reason => reason);
    if (!APICallError.isInstance(error)) throw error;
    expect(error.message).toMatch(
      /^Expected JSON from .*\/v1\/embeddings, got "<html>\[redacted]<\/html>"\. Check `baseURL`\.$/,
    );
    expect(String(error.cause)).not.toContain('sk-secret');
    expect(error.isRetryable).toBe(false);
  });

  it('rejects with the error of the server', async () => {
    const server = await serveJson({ error: { message: 'No.' } }, { status: 422 });
    await expect(post(server)).rejects.toMatchObject({ message: 'No.', statusCode: 422 });
  });
});

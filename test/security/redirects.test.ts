import { describe, expect, it } from 'vitest';
import { serve, serveBody } from '../_server.js';
import { toSse } from '../_sse.js';
import { HELLO, modelAt, prompt, rejectionOf } from '../responses/_model.js';

/** Starts a server that redirects every request under `/v1` to the location that `toLocation` returns. */
const serveRedirect = (status: number, toLocation: (redirects: number) => string) => {
  let redirects = 0;
  return serve((response, { path }) => {
    if (path.startsWith('/v1'))
      response.writeHead(status, { location: toLocation(redirects++) }).end('moved');
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(toSse(HELLO));
  });
};

describe('a redirect', () => {
  it.each([301, 302, 307, 308])('within the origin is followed with key and body (%d)', async status => {
    const server = await serveRedirect(status, () => '/elsewhere');
    const { content } = await modelAt(server).doGenerate({ prompt });
    expect(content).toMatchObject([{ type: 'text', text: 'Hello there' }]);
    const [first, second] = server.requests;
    expect(second).toMatchObject({ path: '/elsewhere', headers: { authorization: 'Bearer sk-secret' } });
    expect(second?.body).toEqual(first?.body);
  });

  it.each([301, 302, 303, 307, 308])('to another origin sends nothing there (%d)', async status => {
    const other = await serveBody(toSse(HELLO));
    const server = await serveRedirect(status, () => `${other.url}/v1/responses?sig=abcdef`);
    const headers = { 'api-key': 'sk-azure', 'x-gateway-token': 'secret' };
    const error = await rejectionOf(modelAt(server, { headers }).doStream({ prompt }));
    expect(other.requests).toEqual([]);
    expect(error).toMatchObject({ statusCode: status, isRetryable: false });
    if (status !== 303)
      expect(error.message).toBe(
        `Expected a response from ${server.url}/v1/responses, got a redirect to ${other.url}/v1/responses, another ` +
          'origin, where no key is sent. If that is the right server, set `baseURL` to it.',
      );
  });

  it('is not followed more often than the limit', async () => {
    const server = await serveRedirect(307, number => `/v1/again-${number}`);
    const error = await rejectionOf(modelAt(server).doStream({ prompt }));
    expect(server.requests).toHaveLength(6);
    expect(error.message).toMatch(/got a redirect to .*\/v1\/again-5 after 5 others\./);
  });

  it('without a location is an error', async () => {
    const error = await rejectionOf(modelAt(await serveRedirect(307, () => 'http://')).doStream({ prompt }));
    expect(error.message).toMatch(/got a redirect without a valid address/);
  });

  it('that a browser hides is an error', async () => {
    const hidden = Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' });
    Object.defineProperty(hidden, 'status', { value: 0 });
    const settings = { fetch: async () => hidden };
    const error = await rejectionOf(modelAt({ url: 'http://server.test' }, settings).doStream({ prompt }));
    expect(error.message).toMatch(/got a redirect that the browser hides.* set `baseURL` to it/);
  });

  it('is followed by a custom fetch that ignores `redirect`', async () => {
    const server = await serveRedirect(307, () => '/elsewhere');
    const settings = {
      fetch: (input: Parameters<typeof fetch>[0], { redirect: _, ...init }: RequestInit = {}) =>
        fetch(input, init),
    };
    const { content } = await modelAt(server, settings).doGenerate({ prompt });
    expect(content).toMatchObject([{ text: 'Hello there' }]);
  });
});

import { getEventListeners } from 'node:events';
import { APICallError } from '@ai-sdk/provider';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type OpenResponseOptions, openResponse } from '../../../src/core/http/open-response.js';
import { holdClosedPort, serve, serveBody, serveJson, type TestServer } from '../../_server.js';

const open = ({ url }: Pick<TestServer, 'url'>, options: Partial<OpenResponseOptions> = {}) =>
  openResponse({
    url: `${url}/v1/responses`,
    headers: [],
    body: { model: 'm' },
    fetch: globalThis.fetch,
    timeouts: {},
    ...options,
  });

/** Returns the error that a promise rejects with. */
async function rejectionOf(promise: Promise<unknown>): Promise<APICallError> {
  const error = await promise.then(
    () => new Error('it did not reject'),
    (reason: unknown) => reason,
  );
  if (!APICallError.isInstance(error)) throw error;
  return error;
}

/** Starts a server that sends the headers of a response and then nothing. */
const serveSilence = (beginning = 'data: {}\n\n') =>
  serve(response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(beginning);
  });

/** Stops the clock. A promise that settles afterwards does not wait for a timer. */
const stopClock = () =>
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });

afterEach(() => {
  vi.useRealTimers();
});

describe('openResponse', () => {
  it('posts JSON and reads the bytes of the response', async () => {
    const server = await serveBody('data: {}\n\n', { headers: { 'x-request-id': 'req_1' } });
    const { read, headers, close } = await open(server, { headers: [{ authorization: 'Bearer sk-1' }] });
    expect(new TextDecoder().decode(await read())).toBe('data: {}\n\n');
    expect(await read()).toBeUndefined();
    close();
    expect(headers).toMatchObject({ 'x-request-id': 'req_1' });
    expect(server.requests).toMatchObject([
      {
        path: '/v1/responses',
        body: { model: 'm' },
        headers: { 'content-type': 'application/json', authorization: 'Bearer sk-1' },
      },
    ]);
  });

  it('compares header names without case and uses the last value of a name', async () => {
    const server = await serveBody('');
    const headers = [
      { authorization: 'Bearer a', 'X-Team': '1', 'X-Kept': 'yes' },
      undefined,
      { Authorization: 'Bearer b', 'x-team': undefined },
    ];
    (await open(server, { headers })).close();
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer b', 'x-kept': 'yes' });
    expect(server.requests[0]?.headers).not.toHaveProperty('x-team');
  });

  it('accepts timeouts that exceed the limit of a timer', async () => {
    const server = await serve(response => {
      setTimeout(() => response.end('{}'), 50);
    });
    const timeouts = { connect: 2 ** 31, idle: Number.POSITIVE_INFINITY, total: 2 ** 31 };
    const { read, close } = await open(server, { timeouts });
    expect(new TextDecoder().decode(await read())).toBe('{}');
    close();
  });

  it.each([
    [
      'a header value',
      { headers: [{ authorization: 'Bearer “sk-quoted”' }] },
      'the header "authorization" to be',
    ],
    ['a header name', { headers: [{ 'x team': 'a' }] }, 'the name of a header, got "x team"'],
    ['the body', { body: { metadata: { a: 1n } } }, 'a request body that JSON can represent'],
  ])(
    'rejects an invalid request because of %s, without sending it, as not retryable',
    async (_, options, expected) => {
      const server = await serveBody('');
      const error = await rejectionOf(open(server, options));
      expect(error.message).toContain(`Expected ${expected}`);
      expect(error.message).not.toContain('sk-quoted');
      expect(error.isRetryable).toBe(false);
      expect(server.requests).toEqual([]);
    },
  );

  it('reports a rejectionOf connection as retryable', async () => {
    const url = `http://127.0.0.1:${await holdClosedPort()}`;
    const error = await rejectionOf(open({ url }));
    expect(error.message).toMatch(
      new RegExp(
        `^Could not reach ${url}/v1/responses: connect ECONNREFUSED .*\\. Check \`baseURL\` and the network\\.$`,
      ),
    );
    expect(error).toMatchObject({
      isRetryable: true,
      statusCode: undefined,
      requestBodyValues: { model: 'm' },
    });
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  it.each([
    ['CERT_HAS_EXPIRED', 'certificate has expired', 'Renew the certificate', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', "Host: a. is not in the cert's altnames", 'to another host', false],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'unable to verify the first certificate',
      'NODE_EXTRA_CA_CERTS',
      false,
    ],
    ['', 'invalid peer certificate: UnknownIssuer', 'NODE_EXTRA_CA_CERTS', false],
    ['', 'Failed to fetch', '`createCorsProxyFetch`', true],
    ['UND_ERR_SOCKET', 'other side closed', 'Check `baseURL` and the network.', true],
  ])('explains a failed connection: %s %s', async (code, message, hint, isRetryable) => {
    const cause = Object.assign(new TypeError(message), code !== '' && { code });
    const error = await rejectionOf(open({ url: 'https://a.test' }, { fetch: () => Promise.reject(cause) }));
    expect(error.message).toContain(hint);
    expect(error.isRetryable).toBe(isRetryable);
  });

  it('mentions the variable of a proxy, unless Node uses it', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed'));
    const failure = () => rejectionOf(open({ url: 'https://a.test' }, { fetch }));
    vi.stubEnv('HTTPS_PROXY', 'http://user:secret@proxy.test');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { message } = await failure();
    expect(message).toContain('HTTPS_PROXY is set; Node uses it only with NODE_USE_ENV_PROXY=1');
    expect(message).not.toContain('secret');
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    expect((await failure()).message).not.toContain('HTTPS_PROXY');
  });

  it('reports addresses without their query, which may contain keys', async () => {
    const server = await serveJson({ error: { message: 'No.' } }, { status: 500 });
    const error = await rejectionOf(open(server, { url: `${server.url}/v1/responses?key=sk-1` }));
    expect(server.requests[0]?.path).toBe('/v1/responses?key=sk-1');
    expect(error.url).toBe(`${server.url}/v1/responses`);
  });

  it('reports a connection that breaks during the response', async () => {
    const server = await serve(response => {
      response.writeHead(200).write('data: {}\n\n');
      setTimeout(() => response.destroy(), 20);
    });
    const { read, close } = await open(server);
    await read();
    const error = await rejectionOf(read());
    close();
    expect(error.message).toMatch(
      /^The connection to .*\/v1\/responses broke before the response was complete: /,
    );
    expect(error.isRetryable).toBe(true);
  });

  it('does not report keys in the headers of the call', async () => {
    const server = await serveJson({ error: { message: 'Bad key sk-secret.' } }, { status: 401 });
    const error = await rejectionOf(open(server, { headers: [{ Authorization: 'Bearer sk-secret' }] }));
    expect(error.message).toBe('Bad key [redacted].');
    expect(error.responseBody).not.toContain('sk-secret');
  });

  it.each([400, 200])('redacts a sent secret that the host replaces before status %i', async status => {
    const sent = 'gateway-credential-1';
    const server = await serveJson({ error: { message: `Received ${sent}.` } }, { status });
    const gateway = { api_key: sent };
    const headers = { 'x-gateway': sent };
    const opening = open(server, {
      body: { model: 'm', gateway, tools: [{ type: 'mcp', headers }] },
      fetch: async (input, init) => {
        gateway.api_key = headers['x-gateway'] = 'gateway-credential-2';
        return fetch(input, init);
      },
    });
    if (status === 200) {
      const { redactKnown, close } = await opening;
      expect(redactKnown(sent)).toBe('[redacted]');
      close();
    } else {
      const { message, responseBody } = await rejectionOf(opening);
      expect(message).toBe('Received [redacted].');
      expect(responseBody).not.toContain(sent);
    }
    expect(JSON.stringify(server.requests[0]?.body)).toContain(sent);
  });

  it('does not report a key that makes a header invalid', async () => {
    const error = await rejectionOf(
      open({ url: 'http://127.0.0.1:9' }, { headers: [{ authorization: 'Bearer sk-se\ncret' }] }),
    );
    expect(error.message).toContain('Expected the header "authorization"');
    expect(`${error.message} ${String(error.cause)}`).not.toContain('cret');
  });

  describe('timeouts', () => {
    it('reject if the server does not start a response', async () => {
      let received = () => {};
      const isReceived = new Promise<void>(resolve => {
        received = resolve;
      });
      const server = await serve(() => received());
      stopClock();
      const rejection = rejectionOf(open(server, { timeouts: { connect: 50 } }));
      await isReceived;
      vi.advanceTimersByTime(50);
      const error = await rejection;
      expect(error.message).toContain('it sent no response within 50 ms (timeouts.connect)');
      expect(error.isRetryable).toBe(true);
      expect((await server.requests[0]?.closed)?.complete).toBe(false);
    });

    it('end a stream that stalls', async () => {
      const server = await serveSilence();
      const { read, close } = await open(server, { timeouts: { idle: 50 } });
      await read();
      const error = await rejectionOf(read());
      close();
      expect(error.message).toContain('it sent nothing for 50 ms (timeouts.idle)');
      expect(error.isRetryable).toBe(true);
      expect((await server.requests[0]?.closed)?.complete).toBe(false);
    });

    it('treat a keep-alive comment as activity', async () => {
      const server = await serve(response => {
        let left = 8;
        const timer = setInterval(() => {
          response.write(': keep-alive\n\n');
          if (--left > 0) return;
          clearInterval(timer);
          response.end('data: [DONE]\n\n');
        }, 100);
      });
      // The total time exceeds the timeout, but no single gap does.
      const { read, close } = await open(server, { timeouts: { idle: 700 } });
      let text = '';
      for (let bytes = await read(); bytes !== undefined; bytes = await read())
        text += new TextDecoder().decode(bytes);
      close();
      expect(text).toMatch(/data: \[DONE]\n\n$/);
    });

    it('stop waiting for an error body that never ends', async () => {
      const server = await serve(response => {
        response.writeHead(500, { 'content-type': 'application/json' }).write('{"error":');
      });
      const error = await rejectionOf(open(server, { timeouts: { idle: 50 } }));
      expect(error.statusCode).toBe(500);
    });

    it('exclude the time in which the caller does not read', async () => {
      let goOn = () => {};
      const isRead = new Promise<void>(resolve => {
        goOn = resolve;
      });
      const server = await serve(async response => {
        response.write('data: 1\n\n');
        await isRead;
        response.end('data: 2\n\n');
      });
      stopClock();
      const { read, close } = await open(server, { timeouts: { idle: 60 } });
      await read();
      vi.advanceTimersByTime(120);
      goOn();
      expect(new TextDecoder().decode(await read())).toBe('data: 2\n\n');
      close();
    });
  });

  describe('abort signal', () => {
    it('sends nothing if the signal is already aborted', async () => {
      const server = await serveBody('');
      const reason = new Error('changed my mind');
      await expect(open(server, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(server.requests).toEqual([]);
    });

    it('aborts the request before the status arrives', async () => {
      let received = () => {};
      const isReceived = new Promise<void>(resolve => {
        received = resolve;
      });
      const server = await serve(() => received());
      const controller = new AbortController();
      const opening = open(server, { signal: controller.signal });
      await isReceived;
      stopClock();
      controller.abort(new Error('enough'));
      await expect(opening).rejects.toThrow('enough');
      expect((await server.requests[0]?.closed)?.complete).toBe(false);
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    });

    it('aborts the request during the response', async () => {
      const server = await serveSilence();
      const controller = new AbortController();
      const { read, close } = await open(server, { signal: controller.signal });
      await read();
      const reading = read();
      stopClock();
      controller.abort(new Error('enough'));
      await expect(reading).rejects.toThrow('enough');
      expect((await server.requests[0]?.closed)?.complete).toBe(false);
      close();
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    });

    it('does not wait for a custom fetch that ignores the signal', async () => {
      const controller = new AbortController();
      const stuck = open(
        { url: 'http://server.test' },
        { fetch: () => new Promise(() => {}), signal: controller.signal },
      );
      const silent = await open(
        { url: 'http://server.test' },
        { fetch: async () => new Response(new ReadableStream()), signal: controller.signal },
      );
      const reading = silent.read();
      controller.abort(new Error('enough'));
      await expect(stuck).rejects.toThrow('enough');
      await expect(reading).rejects.toThrow('enough');
      silent.close();
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    });

    it('removes its listener when the response is closed and when the request fails', async () => {
      const { signal } = new AbortController();
      const { close } = await open(await serveBody(''), { signal });
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      close();
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      await rejectionOf(open(await serveJson({}, { status: 500 }), { signal }));
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });
  });

  it('starts no time limit for the chunks of a response without a body', async () => {
    stopClock();
    const fetch = async () => new Response(null);
    const { read, close } = await open({ url: 'http://127.0.0.1' }, { fetch, timeouts: { idle: 60_000 } });
    expect([await read(), await read()]).toEqual([undefined, undefined]);
    expect(vi.getTimerCount()).toBe(0);
    close();
  });

  it('aborts the request when it is closed early', async () => {
    const server = await serveSilence();
    const { read, close } = await open(server);
    await read();
    stopClock();
    close();
    expect((await server.requests[0]?.closed)?.complete).toBe(false);
  });
});

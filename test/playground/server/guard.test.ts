import { describe, expect, it } from 'vitest';
import { openPlayground, sendRaw } from './_playground.js';

describe('the guard of the playground', () => {
  it.each(['127.0.0.1', 'localhost'])('accepts a request to %s', async name => {
    const { url, authorization } = await openPlayground();
    const { port } = new URL(url);

    expect(
      (await sendRaw(`${url}/api/state`, { headers: { authorization, host: `${name}:${port}` } })).status,
    ).toBe(200);
  });

  it.each([
    ['a foreign name that resolves to this machine', 'evil.example'],
    ['a foreign name with the right port', 'evil.example:PORT'],
    ['a local name with another port', '127.0.0.1:1'],
    ['a name that starts with a local name', '127.0.0.1.evil.example:PORT'],
  ])('rejects %s as the host', async (_title, host) => {
    const { url, authorization } = await openPlayground();
    const headers = { authorization, host: host.replace('PORT', new URL(url).port) };

    for (const path of ['/api/state', '/api/servers', '/']) {
      expect((await sendRaw(url + path, { headers })).status).toBe(403);
    }
  });

  it.each([
    ['without an origin', {}],
    ['from another site', { origin: 'https://evil.example' }],
    ['from another port', { origin: 'http://127.0.0.1:1' }],
    ['from an opaque origin', { origin: 'null' }],
    ['from a name that resolves to this machine', { origin: 'http://evil.example:4173' }],
  ])('rejects changes requested %s', async (_title, headers) => {
    const { url, authorization } = await openPlayground();

    for (const [method, path] of [
      ['POST', '/api/turns'],
      ['PUT', '/api/servers'],
      ['PATCH', '/api/state'],
      ['PUT', '/api/state/key'],
      ['DELETE', '/api/conversations/conversation-1'],
    ] as const) {
      expect((await sendRaw(url + path, { method, headers: { authorization, ...headers } })).status).toBe(
        403,
      );
    }
  });

  it('rejects reads from another site', async () => {
    const { url, authorization } = await openPlayground();
    const foreign = await sendRaw(`${url}/api/state`, {
      headers: { authorization, origin: 'https://evil.example' },
    });
    const embedded = await Promise.all(
      ['cross-site', 'same-site', 'same-origin', 'none'].map(site =>
        sendRaw(`${url}/api/state`, { headers: { authorization, 'sec-fetch-site': site } }),
      ),
    );

    expect(foreign.status).toBe(403);
    expect(embedded.map(({ status }) => status)).toEqual([403, 403, 200, 200]);
  });

  it('never sends CORS headers, not even for a preflight', async () => {
    const { url, authorization } = await openPlayground();
    const preflight = await sendRaw(`${url}/api/turns`, {
      method: 'OPTIONS',
      headers: {
        authorization,
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
      },
    });

    expect(preflight.status).toBe(403);
    expect(Object.keys(preflight.headers).filter(name => name.startsWith('access-control'))).toEqual([]);
  });

  it('listens on the loopback interface only', async () => {
    const { url } = await openPlayground();

    expect(new URL(url).hostname).toBe('127.0.0.1');
  });

  it('sends a content security policy that blocks other origins with every response', async () => {
    const { url, authorization } = await openPlayground();

    for (const path of ['/', '/api/state', '/nowhere']) {
      const { headers } = await sendRaw(url + path, { headers: { authorization } });
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("connect-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('gives the frame of diagrams no origin, and nothing but its own scripts', async () => {
    const { url, authorization } = await openPlayground();
    const { headers } = await sendRaw(`${url}/diagram/index.html`);
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(['sandbox allow-scripts', "default-src 'none'", "script-src 'self'"]),
    );
    expect(policy).toContain("frame-ancestors 'self'");
    const foreign = { origin: 'null', authorization };
    expect((await sendRaw(`${url}/diagram/../api/state`, { headers: foreign })).status).toBe(403);
    expect((await sendRaw(`${url}/diagram/index.html`, { method: 'POST', headers: foreign })).status).toBe(
      403,
    );
  });

  it('compresses the page and JSON, and never a stream of events', async () => {
    const { url, authorization } = await openPlayground();
    const encodingOf = async (path: string): Promise<unknown> => {
      const headers = { authorization, 'accept-encoding': 'gzip' };
      const controller = new AbortController();
      const response = await fetch(url + path, { headers, signal: controller.signal });
      controller.abort();
      return response.headers.get('content-encoding');
    };

    expect(await encodingOf('/app.js')).toBe('gzip');
    expect(await encodingOf('/api/state')).toBe('gzip');
    expect(await encodingOf('/api/events?conversation=conversation-1')).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { openPlayground, sendRaw } from './_playground.js';

describe('the guard of the playground', () => {
  it.each(['127.0.0.1', 'localhost'])('lets in a request to %s', async name => {
    const { url } = await openPlayground();
    const { port } = new URL(url);

    expect((await sendRaw(`${url}/api/state`, { headers: { host: `${name}:${port}` } })).status).toBe(200);
  });

  it.each([
    ['a foreign name that points here', 'evil.example'],
    ['a foreign name with the right port', 'evil.example:PORT'],
    ['this machine with another port', '127.0.0.1:1'],
    ['a name that begins like this machine', '127.0.0.1.evil.example:PORT'],
  ])('refuses %s as the host', async (_title, host) => {
    const { url } = await openPlayground();
    const headers = { host: host.replace('PORT', new URL(url).port) };

    for (const path of ['/api/state', '/api/servers', '/']) {
      expect((await sendRaw(url + path, { headers })).status).toBe(403);
    }
  });

  it.each([
    ['without an origin', {}],
    ['of another site', { origin: 'https://evil.example' }],
    ['of another port', { origin: 'http://127.0.0.1:1' }],
    ['of an opaque origin', { origin: 'null' }],
    ['of a name that points here', { origin: 'http://evil.example:4173' }],
  ])('refuses to change something for a page %s', async (_title, headers) => {
    const { url } = await openPlayground();

    for (const [method, path] of [
      ['POST', '/api/chat'],
      ['PUT', '/api/servers'],
      ['PATCH', '/api/state'],
      ['PUT', '/api/state/key'],
      ['DELETE', '/api/conversations/conversation-1'],
    ] as const) {
      expect((await sendRaw(url + path, { method, headers })).status).toBe(403);
    }
  });

  it('refuses to be read by another site', async () => {
    const { url } = await openPlayground();
    const foreign = await sendRaw(`${url}/api/state`, { headers: { origin: 'https://evil.example' } });
    const embedded = await Promise.all(
      ['cross-site', 'same-site', 'same-origin', 'none'].map(site =>
        sendRaw(`${url}/api/state`, { headers: { 'sec-fetch-site': site } }),
      ),
    );

    expect(foreign.status).toBe(403);
    expect(embedded.map(({ status }) => status)).toEqual([403, 403, 200, 200]);
  });

  it('never allows other origins by a header, not even when they ask', async () => {
    const { url } = await openPlayground();
    const preflight = await sendRaw(`${url}/api/chat`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });

    expect(preflight.status).toBe(403);
    expect(Object.keys(preflight.headers).filter(name => name.startsWith('access-control'))).toEqual([]);
  });

  it('listens on the loopback interface alone', async () => {
    const { url } = await openPlayground();

    expect(new URL(url).hostname).toBe('127.0.0.1');
  });

  it('sends a policy under which nothing is loaded from or sent to elsewhere, with every answer', async () => {
    const { url } = await openPlayground();

    for (const path of ['/', '/api/state', '/nowhere']) {
      const { headers } = await sendRaw(url + path);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("connect-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });
});

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createCorsProxyFetch, KelivoError } from '../../../src/index.js';

const address = 'https://api.test/v1/responses?a=1&b=2';

async function ask(proxyUrl: string, input: string | URL | Request = address, init?: RequestInit) {
  const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response('Hi'));
  vi.stubGlobal('fetch', fetch);
  onTestFinished(() => void vi.unstubAllGlobals());
  const response = await createCorsProxyFetch(proxyUrl)(input, init);
  return { asked: fetch.mock.calls[0], text: await response.text() };
}

describe('createCorsProxyFetch', () => {
  it('inserts the address into the proxy URL', async () => {
    const encoded = 'https%3A%2F%2Fapi.test%2Fv1%2Fresponses%3Fa%3D1%26b%3D2';
    expect((await ask('https://proxy.test/?url={url}')).asked?.[0]).toBe(
      `https://proxy.test/?url=${encoded}`,
    );
    expect((await ask('https://proxy.test/')).asked?.[0]).toBe(`https://proxy.test/${address}`);
    expect((await ask('/proxy/{url}', new URL(address))).asked?.[0]).toBe(`/proxy/${encoded}`);
  });

  it('passes the request and the response on unchanged', async () => {
    const init = { method: 'POST', headers: { authorization: 'Bearer sk-1' }, body: '{}' };
    const { asked, text } = await ask('https://proxy.test/', address, init);
    expect(asked?.[1]).toBe(init);
    expect(text).toBe('Hi');
  });

  it('accepts a `Request`', async () => {
    const request = new Request(address, { method: 'POST', body: 'Hi', headers: { 'x-a': '1' } });
    const { asked } = await ask('https://proxy.test/', request);
    const [sent] = asked ?? [];
    if (!(sent instanceof Request)) throw new Error('Expected a request.');
    expect([sent.url, sent.method, sent.headers.get('x-a'), await sent.text()]).toEqual([
      `https://proxy.test/${address}`,
      'POST',
      '1',
      'Hi',
    ]);
  });

  it('uses the current global `fetch`', async () => {
    const fetch = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('Hi'));
    await createCorsProxyFetch('https://proxy.test/')(address);
    expect(fetch).toHaveBeenCalledWith(`https://proxy.test/${address}`, undefined);
    fetch.mockRestore();
  });

  it.each(['', undefined as unknown as string])('rejects %o as the address of a proxy', proxyUrl => {
    expect(() => createCorsProxyFetch(proxyUrl)).toThrow(KelivoError);
  });
});

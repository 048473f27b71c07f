import type { McpTools } from 'kelivo-responses/mcp';
import { describe, expect, it } from 'vitest';
import { APP_PAGE_PATH, createAppPages } from '../../../playground/server/mcp/app-pages.js';

const uri = 'ui://theatre/seats';
const options = { server: 'theatre', uri, ownHost: '127.0.0.1:4173' };

/** A server with one page. */
const toServer = (content: object, listed: object = {}) =>
  ({
    readResource: async () => ({
      contents: [{ uri, mimeType: 'text/html;profile=mcp-app', text: '<p>Seats</p>', ...content }],
      parts: [],
    }),
    listResources: async () => [{ uri, name: 'Seats', ...listed }],
  }) as unknown as McpTools;

const toId = (address: string): string => address.slice(APP_PAGE_PATH.length);

async function openPolicy(content: object, listed?: object): Promise<string> {
  const pages = createAppPages();
  const { address } = await pages.open(toServer(content, listed), options);
  return pages.take(toId(address))?.policy ?? '';
}

describe('the pages of MCP apps', () => {
  it('may contact only encrypted origins and this machine, without the playground', async () => {
    const connectDomains = [
      'https://api.example.com',
      'wss://*.example.com:8443',
      'http://127.0.0.1:9000',
      'http://127.0.0.1:4173',
      'http://LOCALHOST:4173',
      'http://127.0.0.1:04173',
      'ws://localhost:04173',
      'http://127.0.0.1:99999',
      'http://evil.example',
      "https://a.example; script-src 'self'",
      'https://a.example https://b.example',
      "'self'",
      '*',
      'https:',
      'https://',
      'https://user@a.example',
    ];
    const policy = await openPolicy({ _meta: { ui: { csp: { connectDomains, frameDomains: 7 } } } });

    expect(policy.split('; ')).toEqual([
      'sandbox allow-scripts allow-forms',
      "default-src 'none'",
      "script-src 'unsafe-inline'",
      "style-src 'unsafe-inline'",
      'img-src data: blob:',
      'media-src data: blob:',
      'font-src data:',
      'worker-src blob:',
      'connect-src https://api.example.com wss://*.example.com:8443 http://127.0.0.1:9000',
      "frame-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ]);
  });

  it('declare their origins themselves or in the list of resources', async () => {
    const listed = { _meta: { ui: { csp: { resourceDomains: ['https://cdn.example.com'] } } } };

    expect(await openPolicy({}, listed)).toContain("script-src 'unsafe-inline' https://cdn.example.com;");
    expect(await openPolicy({ _meta: {} }, listed)).not.toContain('cdn');
  });

  it('have addresses that work once, of which the newest eight are kept', async () => {
    const pages = createAppPages();
    const ids: string[] = [];
    for (let count = 0; count < 9; count++) ids.push(toId((await pages.open(toServer({}), options)).address));
    const takeAll = () => ids.map(id => pages.take(id)?.html);

    expect(takeAll()).toEqual([undefined, ...Array.from({ length: 8 }, () => '<p>Seats</p>')]);
    expect(takeAll()).toEqual(Array.from({ length: 9 }, () => undefined));
  });

  it('are rejected if they are something else', async () => {
    for (const content of [{ mimeType: 'text/html' }, { text: undefined }, { text: 'a'.repeat(5_000_001) }])
      await expect(createAppPages().open(toServer(content), options)).rejects.toThrow(
        /Expected the resource/,
      );
  });
});

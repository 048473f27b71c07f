import { randomUUID } from 'node:crypto';
import { HTTPException } from 'hono/http-exception';
import type { McpTools } from 'kelivo-responses/mcp';
import * as z from 'zod';
import type { OpenedApp } from '../../shared/mcp-inspection.js';

/** Path of the pages of MCP apps. A frame cannot send the token, so each page has a single-use address. */
export const APP_PAGE_PATH = '/mcp-app/';

const PAGE_TYPE = 'text/html;profile=mcp-app';

/** Maximum number of pages that wait for their frame. */
const MAX_PAGES = 8;

/** Maximum length of a page in characters. */
const MAX_LENGTH = 5_000_000;

const domains = z.array(z.string().max(300)).max(50).catch([]).default([]);

/** The `_meta` of a page (https://github.com/modelcontextprotocol/ext-apps). Malformed lists are read as empty. */
const declaration = z
  .object({
    ui: z.object({
      csp: z.object({
        connectDomains: domains,
        resourceDomains: domains,
        frameDomains: domains,
        baseUriDomains: domains,
      }),
    }),
  })
  .transform(({ ui: { csp } }) => csp);

interface AppPage {
  readonly html: string;
  readonly policy: string;
}

export interface AppPages {
  /** Reads the page of an app from its server. @throws HTTPException if the resource is none. */
  open(
    mcp: McpTools,
    options: { server: string; uri: string; ownHost: string },
  ): Promise<Omit<OpenedApp, 'tools'>>;
  /** Returns a page for its frame, once. */
  take(id: string): AppPage | undefined;
}

export function createAppPages(): AppPages {
  const pages = new Map<string, AppPage>();
  return {
    async open(mcp, { server, uri, ownHost }) {
      const { contents } = await mcp.readResource(server, { uri });
      const page = contents.find(({ mimeType }) => mimeType === PAGE_TYPE);
      const html = page !== undefined && 'text' in page ? page.text : undefined;
      if (typeof html !== 'string' || html.length > MAX_LENGTH) {
        const limit = `at most ${MAX_LENGTH / 1_000_000} million characters`;
        throw new HTTPException(502, {
          message: `Expected the resource ${uri} to be a page of the type ${PAGE_TYPE} with ${limit}, got another content.`,
        });
      }
      const listed = page?._meta ?? (await mcp.listResources(server)).find(one => one.uri === uri)?._meta;
      const csp = declaration.safeParse(listed).data;
      const id = randomUUID();
      const { policy, origins } = toPolicy(csp, { ownHost });
      pages.set(id, { html, policy });
      for (const old of [...pages.keys()].slice(0, -MAX_PAGES)) pages.delete(old);
      return { address: APP_PAGE_PATH + id, origins };
    },
    take(id) {
      const page = pages.get(id);
      pages.delete(id);
      return page;
    },
  };
}

/**
 * Gives a page an opaque origin, and lets it contact only the origins that its server has declared. A declared address of
 * the playground itself is left out.
 */
function toPolicy(csp: z.output<typeof declaration> | undefined, { ownHost }: { ownHost: string }) {
  const { connectDomains = [], resourceDomains = [], frameDomains = [], baseUriDomains = [] } = csp ?? {};
  const accepted = (declared: readonly string[]): string[] =>
    declared.filter(origin => isOrigin(origin, { ownHost }));
  const [connect, resources, frames, bases] = [
    connectDomains,
    resourceDomains,
    frameDomains,
    baseUriDomains,
  ].map(accepted) as [string[], string[], string[], string[]];
  const directives = {
    sandbox: ['allow-scripts', 'allow-forms'],
    'default-src': [],
    'script-src': ["'unsafe-inline'", ...resources],
    'style-src': ["'unsafe-inline'", ...resources],
    'img-src': ['data:', 'blob:', ...resources],
    'media-src': ['data:', 'blob:', ...resources],
    'font-src': ['data:', ...resources],
    'worker-src': ['blob:'],
    'connect-src': connect,
    'frame-src': frames,
    'base-uri': bases,
    'form-action': [],
    'frame-ancestors': ["'self'"],
  };
  return {
    policy: Object.entries(directives)
      .map(([name, values]) => [name, ...(values.length === 0 ? ["'none'"] : values)].join(' '))
      .join('; '),
    origins: [...new Set([...connect, ...resources, ...frames])],
  };
}

/** Accepts an encrypted origin, or one of this machine except the playground. Nothing else can stand in a policy. */
function isOrigin(text: string, { ownHost }: { ownHost: string }): boolean {
  const [, scheme, host, port = ''] =
    /^(https|wss|http|ws):\/\/((?:\*\.)?[\w.-]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (scheme === undefined || host === undefined) return false;
  if (!['127.0.0.1', 'localhost'].includes(host.toLowerCase())) return /^(https|wss)$/i.test(scheme);
  // Ports have several spellings, such as 04173, and are left out if they are those of the scheme.
  const local = `${/^(https|wss)$/i.test(scheme) ? 'https' : 'http'}://${host}${port && `:${port}`}`;
  return URL.canParse(local) && portOf(local) !== portOf(`http://${ownHost}`);
}

/** Returns the port of an address, also if it is that of the scheme. */
function portOf(address: string): number {
  const { port, protocol } = new URL(address);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

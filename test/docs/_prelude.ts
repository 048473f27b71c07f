// Globals of the snippets, and a `fetch` that sends every request to local servers. Imported before the snippets.
import type { ModelMessage } from 'ai';
import { createKelivoResponsesProvider, type KelivoResponsesProvider } from 'kelivo-responses/v4';

declare global {
  /** A model of any provider. */
  var anyModel: ReturnType<KelivoResponsesProvider['languageModel']>;
  /** A conversation so far. */
  var messages: ModelMessage[];
  var provider: KelivoResponsesProvider;
  /** Resets the globals. Called before each snippet. */
  var prepareSnippet: () => void;
}

/** Returns the local address of a request: the MCP server, or the same endpoint of the emulator. */
function toLocal(url: URL, { baseURL, mcp }: { baseURL: string; mcp: string }): URL {
  if (url.hostname === '127.0.0.1') return url;
  // A CORS proxy receives the address as a parameter.
  const target = url.searchParams.get('url');
  if (target !== null) return toLocal(new URL(target), { baseURL, mcp });
  if (url.hostname === 'mcp.example.com') return new URL(url.pathname, mcp);
  const [endpoint = url.pathname] =
    /\/(?:responses|embeddings|chat\/completions|models)$/.exec(url.pathname) ?? [];
  return new URL(baseURL + endpoint);
}

const { OPENAI_BASE_URL: baseURL = '', SNIPPETS_MCP_URL: mcp = '' } = process.env;
const { fetch } = globalThis;
const localFetch: typeof fetch = (input, init) => {
  const request = new Request(input, init);
  return fetch(new Request(toLocal(new URL(request.url), { baseURL, mcp }), request));
};

globalThis.prepareSnippet = () => {
  globalThis.fetch = localFetch;
  globalThis.provider = createKelivoResponsesProvider();
  globalThis.anyModel = provider.responses('gpt-5');
  globalThis.messages = [{ role: 'user', content: 'Say hello.' }];
  // Keeps the SDK's warnings out of the output.
  globalThis.AI_SDK_LOG_WARNINGS = false;
};

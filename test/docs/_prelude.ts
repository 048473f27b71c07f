// What the snippets of the README take for granted: names that they do not define, and a world where every server that
// they name is there. Loaded before each of them; the program around it says where the emulators are.
import type { LanguageModelV2 } from '@ai-sdk/provider';
import type { ModelMessage } from 'ai';
import { createKelivoResponsesProvider, type KelivoResponsesProvider } from 'kelivo-responses';

declare global {
  /** A model of any provider. */
  var anyModel: LanguageModelV2;
  /** A conversation that is under way. */
  var messages: ModelMessage[];
  var provider: KelivoResponsesProvider;
}

/** Where a request really goes: to the MCP server, or to the emulator under its own path. */
function toLocal(url: URL, { baseURL, mcp }: { baseURL: string; mcp: string }): URL {
  if (url.hostname === '127.0.0.1') return url;
  // A proxy that is told the address.
  const target = url.searchParams.get('url');
  if (target !== null) return toLocal(new URL(target), { baseURL, mcp });
  if (url.hostname === 'mcp.example.com') return new URL(url.pathname, mcp);
  const [endpoint = url.pathname] =
    /\/(?:responses|embeddings|chat\/completions|models)$/.exec(url.pathname) ?? [];
  return new URL(baseURL + endpoint);
}

const { OPENAI_BASE_URL: baseURL = '', README_MCP_URL: mcp = '' } = process.env;
const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const request = new Request(input, init);
  return fetch(new Request(toLocal(new URL(request.url), { baseURL, mcp }), request));
};

globalThis.provider = createKelivoResponsesProvider();
globalThis.anyModel = provider.responses('gpt-5');
globalThis.messages = [{ role: 'user', content: 'Say hello.' }];
// What they print is compared, and warnings of the MCP servers are not theirs.
globalThis.AI_SDK_LOG_WARNINGS = false;

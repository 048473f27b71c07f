import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { toSse } from '../_sse.js';
import {
  functionCall,
  type ItemScript,
  message,
  toResponse,
  toStream,
} from './stream/_fixtures/wire-events.js';

const request: LanguageModelV2CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
  tools: [{ type: 'function', name: 'ping', inputSchema: { type: 'object', properties: {} } }],
};

/** Returns the warnings of responses whose object repeats no tools. */
async function warningsOf(responses: readonly ItemScript[], isStream: boolean) {
  let count = 0;
  const provider = createKelivoResponsesProvider({
    baseURL: 'http://server.test/v1',
    apiKey: 'k',
    toolLoop: false,
    fetch: async () => {
      const items = [responses[count++]].flatMap(item => item ?? []);
      if (!isStream) return Response.json(toResponse(items, { tools: [] }));
      const events = toStream(items).map(event =>
        typeof event.response === 'object' ? { ...event, response: { ...event.response, tools: [] } } : event,
      );
      return new Response(toSse(events), { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  const found: string[][] = [];
  for (let index = 0; index < responses.length; index++) {
    const features: string[] = [];
    const add = (warnings: readonly object[]) => {
      for (const warning of warnings)
        if ('details' in warning) features.push(String(warning.details).split(':')[0] ?? '');
    };
    if (isStream) {
      const { stream } = await provider('m').doStream(request);
      for await (const part of stream) if (part.type === 'stream-start') add(part.warnings);
    } else {
      add((await provider('m').doGenerate(request)).warnings);
    }
    found.push(features);
  }
  return found;
}

const call = functionCall('ping', '{}');
const text = message(['Hi.']);
const IGNORED = 'The server ignored the tools';

it.each([true, false])(
  'reports no ignored tools to a server that calls them (stream: %s)',
  async isStream => {
    expect(await warningsOf([call, text, call], isStream)).toEqual([[], [], []]);
  },
);

it('reports ignored tools once for a model', async () => {
  expect(await warningsOf([text, text, text], false)).toEqual([[IGNORED], [], []]);
  // A stream begins before its call, so that the next one reports it.
  expect(await warningsOf([text, text, text], true)).toEqual([[], [IGNORED], []]);
  expect(await warningsOf([text, call, text], true)).toEqual([[], [IGNORED], []]);
});

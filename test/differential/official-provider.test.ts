import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { toBody } from '../_chunking.js';
import { toSse } from '../_sse.js';
import { RESPONSE_FIXTURES } from '../responses/stream/_fixtures/responses.js';
import { normalizeParts, type NormalizedPart } from './_normalize-parts.js';
import { KNOWN_DIFFERENCES } from './_known-differences.js';

const hosted = ['web_search', 'file_search', 'code_interpreter', 'image_generation', 'local_shell'];

/** Both receive the same hosted tools, so that both return their calls. */
const options: LanguageModelV2CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: hosted.map(name => ({
    type: 'provider-defined',
    id: `openai.${name}`,
    name,
    args: name === 'file_search' ? { vectorStoreIds: ['vs_1'] } : {},
  })),
  providerOptions: { openai: { store: false } },
};

async function read(model: LanguageModelV2): Promise<NormalizedPart[]> {
  try {
    const { stream } = await model.doStream(options);
    const parts: LanguageModelV2StreamPart[] = [];
    for await (const part of stream) parts.push(part);
    return normalizeParts(parts);
  } catch {
    return [{ kind: 'rejected' }];
  }
}

function compare(body: string) {
  const bytes = new TextEncoder().encode(body);
  const settings = {
    apiKey: 'test',
    baseURL: 'http://server.test/v1',
    fetch: async () => new Response(toBody([bytes]), { headers: { 'content-type': 'text/event-stream' } }),
  };
  return Promise.all([
    read(createKelivoResponsesProvider(settings).responses('gpt-5')),
    read(createOpenAI(settings).responses('gpt-5')),
  ]);
}

describe('fixtures', () => {
  const equal = RESPONSE_FIXTURES.filter(({ title }) => KNOWN_DIFFERENCES[title] === undefined);
  it.each(equal)('are read as the official provider reads them: $title', async ({ events }) => {
    const [ours, official] = await compare(toSse(events));
    expect(ours).toEqual(official);
  });
});

const folder = process.env.RESPONSES_RECORDINGS;
const recordings =
  folder === undefined
    ? []
    : readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter(name => name.endsWith('.sse'))
        .sort();

describe('recordings', () => {
  if (folder === undefined) {
    it.skip('are compared if RESPONSES_RECORDINGS names a folder', () => {});
    return;
  }
  it.each(recordings)('%s', async name => {
    const [ours, official] = await compare(readFileSync(join(folder, name), 'utf8'));
    // A listed stream that is read equally is an outdated entry.
    if (KNOWN_DIFFERENCES[name] === undefined) expect(ours).toEqual(official);
    else expect(ours).not.toEqual(official);
  });
});

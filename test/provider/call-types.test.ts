import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { generateText } from 'ai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/v4';
import {
  createKelivoResponsesProvider,
  type KelivoProviderMetadata,
  type KelivoProviderOptions,
} from '../../src/index.js';
import { warnAboutUnknownOptions } from '../../src/responses/request/read-options.js';
import { serve } from '../_server.js';
import { functionCall, message, toResponse } from '../responses/stream/_fixtures/wire-events.js';

beforeEach(() => {
  vi.stubGlobal('AI_SDK_LOG_WARNINGS', false);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** Generates with a server that calls `echo` once and then returns a text. */
async function generate(providerOptions: Record<string, Record<string, string | number>>) {
  const { url, requests } = await serve((response, { body }) => {
    const isAnswered = JSON.stringify(body.input).includes('function_call_output');
    const item = isAnswered ? message(['Done.']) : functionCall('echo', '{"text":"Hi"}');
    response.setHeader('content-type', 'application/json').end(JSON.stringify(toResponse([item])));
  });
  const provider = createKelivoResponsesProvider({
    baseURL: url,
    apiKey: 'sk-1',
    tools: { echo: { inputSchema: z.object({ text: z.string() }), execute: ({ text }) => text } },
  });
  const result = await generateText({ model: provider('gpt-5'), prompt: 'Hi', providerOptions });
  return { result, requests };
}

describe('providerOptions', () => {
  it('reports each unknown option once for a turn with several rounds', async () => {
    const { result, requests } = await generate({
      openai: { reasoningEfort: 'low', user: 'me' },
      kelivo: { maxToolCall: 3, turnid: 'a', colour: 'red' },
      azure: { anything: 1 },
    });
    expect(requests).toHaveLength(2);
    expect(result.warnings).toEqual(
      [
        '`providerOptions.openai.reasoningEfort` is unknown and was ignored. Did you mean `reasoningEffort`?',
        '`providerOptions.kelivo.maxToolCall` is unknown and was ignored. Did you mean `maxToolCalls`?',
        '`providerOptions.kelivo.turnid` is unknown and was ignored. Did you mean `turnId`?',
        '`providerOptions.kelivo.colour` is unknown and was ignored. Remove it.',
      ].map(text => ({ type: 'other', message: `The option ${text}` })),
    );
  });

  it('reports no known option, and none of the tool loop', async () => {
    const kelivo = { turnId: 'turn-1', user: 'me' } satisfies KelivoProviderOptions;
    const { result } = await generate({ openai: { promptCacheKey: 'k' }, kelivo });
    expect(result.warnings).toEqual([]);
    const metadata = result.providerMetadata?.kelivo as KelivoProviderMetadata | undefined;
    expect(metadata?.rounds?.map(({ toolCalls }) => toolCalls.length)).toEqual([1, 0]);
    expect(result.providerMetadata?.openai).toHaveProperty('responseId');
  });

  it('reports no option of the installed official provider', () => {
    const source = readFileSync(createRequire(import.meta.url).resolve('@ai-sdk/openai'), 'utf8');
    const [, schema = ''] = /openaiResponsesProviderOptionsSchema\w* = ([\s\S]*?)\n\);/.exec(source) ?? [];
    const names = [...schema.matchAll(/^ {6}(\w+): /gm)].map(([, name = '']) => name);
    expect(names).toContain('promptCacheKey');
    const warn = vi.fn();
    warnAboutUnknownOptions(
      { own: {}, providerOptions: { openai: Object.fromEntries(names.map(name => [name, 1])) } },
      warn,
    );
    expect(warn).not.toHaveBeenCalled();
  });
});

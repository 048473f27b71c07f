import type * as openai2 from '@ai-sdk/openai';
import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { expect, it, onTestFinished } from 'vitest';
import { createSwitchableProvider, openaiHistoryMiddleware } from '../../src/host/index.js';
import { inputOf, shapeOf } from '../integration/_provider.js';
import { loopTools } from '../integration/_tools.js';
import { startEmulator } from '../testing/_emulator.js';
import { officialPackages } from './_switched-conversation.js';

globalThis.AI_SDK_LOG_WARNINGS = false;

const majors = [
  { ai: ai5, official: 2, version: 'v2' },
  { ai: ai6 as unknown as typeof ai5, official: 3, version: 'v3' },
  { ai: ai7 as unknown as typeof ai5, official: 4, version: 'v4' },
] as const;

it.each(majors)(
  'a stock model of @ai-sdk/openai $official continues a turn of the tool loop',
  async ({ ai, official, version }) => {
    const emulator = await startEmulator();
    const settings = { baseURL: emulator.baseURL, apiKey: 'sk-test' };
    const provider = createSwitchableProvider({
      kelivo: { ...settings, tools: loopTools },
      specificationVersion: version,
    });
    onTestFinished(() => provider.close());
    const { createOpenAI } = (await officialPackages[official]()) as typeof openai2;
    const prompt: ai5.ModelMessage = { role: 'user', content: 'Use find_book "Momo"' };
    const tools = (await provider.tools()) as ai5.ToolSet;
    const first = await ai.generateText({
      model: provider('gpt-5') as never,
      messages: [prompt],
      tools,
      providerOptions: { openai: { reasoningSummary: 'auto' } },
    });
    const { responseMessages = first.response.messages } = first as { responseMessages?: ai5.ModelMessage[] };
    const model = ai.wrapLanguageModel({
      model: createOpenAI(settings).responses('gpt-5'),
      middleware: openaiHistoryMiddleware() as never,
    });
    const { text, warnings } = await ai.generateText({
      model,
      messages: [prompt, ...responseMessages, { role: 'user', content: 'Thanks' }],
    });
    expect(text).toBe('You said: Thanks');
    expect(warnings ?? []).toEqual([]);
    const last = emulator.requests.at(-1);
    expect(last?.body).toMatchObject({ store: false });
    expect(shapeOf(last).filter(name => name !== 'reasoning')).toEqual([
      'user',
      'function_call',
      'function_call_output',
      'assistant',
      'user',
    ]);
    expect(inputOf(last)[0]).toMatchObject({ role: 'user' });
  },
);

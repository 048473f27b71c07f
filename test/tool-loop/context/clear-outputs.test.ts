import type { LanguageModelV2Prompt } from '@ai-sdk/provider';
import type * as ai5 from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { everyValue } from '../../_products.js';
import type { ToolLoopOptions } from '../../../src/tool-loop/options.js';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import type { ToolLoopEvent } from '../../../src/tool-loop/turn/turn-reports.js';
import { startEmulator } from '../../testing/_emulator.js';
import { call, callRound, scriptedModel, stream, textRound, user } from '../_scripted-model.js';
import { scriptedTools } from '../_tools.js';
import { hosts } from '../_hosts.js';

globalThis.AI_SDK_LOG_WARNINGS = false;

const SIZE = 20_000;
const outputOf = (id: unknown): string => `secret-${String(id)} `.padEnd(SIZE, 'x');
const tools = () => scriptedTools({ fetch: ({ id }) => outputOf(id), keep: ({ id }) => outputOf(id) });
const tokensOf = (prompt: LanguageModelV2Prompt): number => JSON.stringify(prompt).length / 4;

/** Runs rounds with one call each, then `more`. */
async function run(
  count: number,
  clearToolOutputs: ToolLoopOptions['clearToolOutputs'],
  more: Parameters<typeof scriptedModel> = [],
  toolName = 'fetch',
) {
  const rounds = Array.from({ length: count }, (_, id) => callRound(call(`c${id}`, toolName, { id })));
  const model = scriptedModel(...rounds, ...more, textRound('Done.'));
  const events: ToolLoopEvent[] = [];
  const looping = withToolLoop(model, {
    tools: tools(),
    maxRounds: false,
    onEvent: event => void events.push(event),
    ...(clearToolOutputs && { clearToolOutputs }),
  });
  const prompt = user('Go.');
  const before = JSON.stringify(prompt);
  const parts = await stream(looping, { prompt });
  expect(JSON.stringify(prompt)).toBe(before);
  const prompts = model.requests.map(request => request.prompt);
  return { parts, prompts, model, cleared: events.filter(({ type }) => type === 'context-cleared') };
}

const isPrefix = (before: unknown, now: unknown): boolean => {
  const text = JSON.stringify(before).slice(0, -1);
  return JSON.stringify(now).startsWith(text);
};
const breaksIn = (prompts: readonly LanguageModelV2Prompt[]): number =>
  prompts.slice(1).filter((prompt, index) => !isPrefix(prompts[index], prompt)).length;

describe('the removal of old outputs', () => {
  it('keeps 70 rounds of 20 kB below the trigger, and finds a detail again', async () => {
    const read = callRound(call('r', 'read_tool_output', { id: 'c7', find: 'secret-7' }));
    const { prompts, cleared } = await run(70, { trigger: 100_000 }, [read]);
    expect(Math.max(...prompts.map(tokensOf))).toBeLessThan(115_000);
    expect(cleared.length).toBeLessThan(6);
    expect(breaksIn(prompts)).toBe(cleared.length);
    expect(JSON.stringify(prompts[70])).not.toContain('secret-7 ');
    expect(JSON.stringify(prompts[71]?.at(-1))).toContain('At character 0 in line 1: secret-7 ');
    expect(JSON.stringify(prompts[71]?.at(-1)).length).toBeLessThan(2000);
  });

  it('changes the beginning of few requests, and never the outputs that the model has not seen', async () => {
    const { prompts } = await run(12, { trigger: 40_000, keep: 2 });
    expect(breaksIn(prompts)).toBeGreaterThan(0);
    expect(breaksIn(prompts)).toBeLessThanOrEqual(3);
    for (const [index, prompt] of prompts.entries()) {
      if (index > 0) expect(JSON.stringify(prompt.at(-1))).toContain(`secret-${index - 1} `);
    }
  });

  it('keeps the outputs of excluded tools, and those that save too little', async () => {
    const excluded = await run(5, { trigger: 10_000, excludeTools: ['keep'] }, [], 'keep');
    expect(excluded.cleared).toEqual([]);
    const little = await run(5, { trigger: 10_000, clearAtLeast: 50_000 });
    expect(little.cleared).toEqual([]);
  });

  it('is off by default', async () => {
    const { model, cleared } = await run(3, undefined);
    expect(cleared).toEqual([]);
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['fetch', 'keep']);
  });
});

it.each(everyValue(hosts.flatMap(host => [true, false].map(isStreamed => ({ ...host, isStreamed })))))(
  'removes the same outputs in the next turn, and reads them there: ai $major, streamed: $isStreamed',
  async ({ sdk, create, isStreamed }) => {
    const emulator = await startEmulator();
    const provider = create({
      baseURL: emulator.baseURL,
      apiKey: 'sk-test',
      store: false,
      tools: tools(),
      toolLoop: { clearToolOutputs: { trigger: 20_000, keep: 1 } },
    });
    onTestFinished(() => provider.close());
    let messages: ai5.ModelMessage[] = [];
    const say = async (content: string) => {
      messages = [...messages, { role: 'user', content }];
      const options = { model: provider('gpt-5'), messages, maxRetries: 0 };
      const result = isStreamed ? sdk.streamText(options) : await sdk.generateText(options);
      await result.text;
      const all = (result as unknown as { responseMessages?: PromiseLike<ai5.ModelMessage[]> })
        .responseMessages;
      const added = all === undefined ? (await result.response).messages : await all;
      messages = JSON.parse(JSON.stringify([...messages, ...added])) as ai5.ModelMessage[];
    };
    const inputOf = (index: number) =>
      (emulator.requests[index]?.body as { input: Record<string, unknown>[] }).input;
    const outputsIn = (index: number) =>
      inputOf(index)
        .filter(({ type }) => type === 'function_call_output')
        .map(({ output }) => String(output));

    for (let id = 0; id < 6; id++) emulator.enqueue([{ call: 'fetch', callId: `c${id}`, arguments: { id } }]);
    emulator.enqueue([{ text: 'Done.' }]);
    await say('Go.');
    const before = outputsIn(6);
    expect(before.some(text => text.includes('was removed'))).toBe(true);
    expect(before.at(-1)).toContain('secret-5 ');
    // The messages of the host still have all outputs.
    expect(JSON.stringify(messages)).toContain('secret-0 ');

    emulator.enqueue([{ call: 'read_tool_output', arguments: { id: 'c0' } }], [{ text: 'Found.' }]);
    await say('Read the first one.');
    expect(outputsIn(7)).toEqual(before);
    expect(outputsIn(8).at(-1)).toContain('secret-0 ');
  },
);

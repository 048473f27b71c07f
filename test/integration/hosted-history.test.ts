import { openai as openai2 } from '@ai-sdk/openai';
import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { openai as openai3 } from 'openai3';
import { openai as openai4 } from 'openai4';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createKelivoResponsesProvider, hostedTools } from '../../src/index.js';
import { createKelivoResponsesProvider as createProviderV3 } from '../../src/v3.js';
import { createKelivoResponsesProvider as createProviderV4 } from '../../src/v4.js';
import { startEmulator } from '../testing/_emulator.js';

type Json = Record<string, unknown>;

// The types of the major versions differ. The tools have the same shape at run time.
const hosts = [
  {
    major: 5,
    sdk: ai5,
    create: createKelivoResponsesProvider,
    tools: {
      ...openai2.tools,
      shell: hostedTools.shell,
      toolSearch: hostedTools.toolSearch,
      programs: hostedTools.programmaticToolCalling,
    },
  },
  {
    major: 6,
    sdk: ai6,
    create: createProviderV3,
    tools: {
      ...openai3.tools,
      programs: () => ({
        type: 'provider',
        id: 'openai.programmatic_tool_calling',
        args: {},
        inputSchema: z.object({ code: z.string(), fingerprint: z.string() }),
        supportsDeferredResults: true,
      }),
    },
  },
  {
    major: 7,
    sdk: ai7,
    create: createProviderV4,
    tools: { ...openai4.tools, programs: openai4.tools.programmaticToolCalling },
  },
] as unknown as readonly {
  major: number;
  sdk: typeof ai5;
  create: typeof createKelivoResponsesProvider;
  tools: Record<
    'programs' | 'toolSearch' | 'shell' | 'imageGeneration' | 'webSearch',
    (args?: Json) => ai5.Tool
  >;
}[];

const cases = hosts.flatMap(host => [
  { ...host, title: `ai ${host.major}, streamed`, isStreamed: true },
  { ...host, title: `ai ${host.major}, not streamed`, isStreamed: false },
]);

describe.each(cases)('$title', ({ sdk, create, tools: official, isStreamed }) => {
  /** Starts a conversation. Its history passes through JSON after each turn. */
  async function start(tools: ai5.ToolSet, { store = false } = {}) {
    const emulator = await startEmulator();
    const model = create({ baseURL: emulator.baseURL, apiKey: 'sk-test', store })('gpt-5');
    let messages: ai5.ModelMessage[] = [];
    const say = async (content: string) => {
      messages = [...messages, { role: 'user', content }];
      const options = { model, messages, tools, stopWhen: sdk.stepCountIs(4) };
      const errors: unknown[] = [];
      const result = isStreamed
        ? sdk.streamText({ ...options, onError: ({ error }) => void errors.push(error) })
        : await sdk.generateText(options);
      // `ai@7` returns the messages of all steps here, earlier versions with the response.
      const all = (result as unknown as { responseMessages?: PromiseLike<ai5.ModelMessage[]> })
        .responseMessages;
      const added = all === undefined ? (await result.response).messages : await all;
      expect(errors).toEqual([]);
      messages = JSON.parse(JSON.stringify([...messages, ...added])) as ai5.ModelMessage[];
      return { text: await result.text, sources: await result.sources };
    };
    const inputOf = (index: number) => (emulator.requests[index]?.body as { input: Json[] }).input;
    return { emulator, say, inputOf };
  }

  const weather = sdk.tool({
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `Sunny in ${city}`,
  });

  it('runs the calls of a program and keeps the program', async () => {
    const program = {
      type: 'program',
      id: 'cm_1',
      call_id: 'call_p',
      code: 'await a()',
      fingerprint: 'gA/+==',
    };
    const output = {
      type: 'program_output',
      id: 'cmo_1',
      call_id: 'call_p',
      result: 'ok',
      status: 'completed',
    };
    const caller = { type: 'program', caller_id: 'call_p' };
    const call = {
      type: 'function_call',
      call_id: 'call_1',
      name: 'weather',
      arguments: '{"city":"Rome"}',
      caller,
    };
    const { emulator, say, inputOf } = await start({ run: official.programs(), weather });
    emulator.enqueue(
      [program, { ...call, id: 'fc_1', status: 'completed' }],
      [output, { text: 'Sunny.' }],
      [{ text: 'Bye.' }],
    );
    expect((await say('Weather?')).text).toBe('Sunny.');
    const round = [
      program,
      call,
      { type: 'function_call_output', call_id: 'call_1', output: 'Sunny in Rome', caller },
    ];
    expect(inputOf(1).slice(1)).toMatchObject(round);
    expect((await say('Bye')).text).toBe('Bye.');
    const { id: _, ...replayed } = output;
    expect(inputOf(2).slice(1, 5)).toMatchObject([...round, replayed]);
  });

  it('keeps what the API found with a tool search', async () => {
    const search = {
      type: 'tool_search_call',
      id: 'tsc_1',
      execution: 'server',
      call_id: null,
      status: 'completed',
      arguments: { paths: ['weather'] },
    };
    const found = {
      type: 'tool_search_output',
      execution: 'server',
      call_id: null,
      status: 'completed',
      tools: [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }],
    };
    const { emulator, say, inputOf } = await start({ find: official.toolSearch(), weather });
    emulator.enqueue([search, { ...found, id: 'tso_1' }, { text: 'Found.' }], [{ text: 'Bye.' }]);
    expect((await say('Find')).text).toBe('Found.');
    await say('Bye');
    expect(inputOf(1).slice(1, 3)).toMatchObject([search, found]);
  });

  it('keeps the commands that ran in a container', async () => {
    const call = { type: 'shell_call', call_id: 'call_s', status: 'completed', action: { commands: ['ls'] } };
    const output = {
      type: 'shell_call_output',
      call_id: 'call_s',
      output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    };
    const environment = { type: 'container_reference', container_id: 'cntr_1' };
    const bash = official.shell({ environment: { type: 'containerAuto' } });
    const { emulator, say, inputOf } = await start({ bash });
    emulator.enqueue(
      [
        { ...call, id: 'sh_1', environment },
        { ...output, id: 'sho_1', status: 'completed', max_output_length: null },
        { text: 'Listed.' },
      ],
      [{ text: 'Bye.' }],
    );
    expect((await say('List')).text).toBe('Listed.');
    await say('Bye');
    expect(inputOf(1).slice(1, 3)).toMatchObject([call, output]);
  });

  it.each([false, true])('shows the drawn image to the model in the next turn (store: %s)', async store => {
    const draw = official.imageGeneration({ partialImages: 1 });
    const { emulator, say, inputOf } = await start({ draw }, { store });
    const image = 'iVBORw0KGgoAAAANSUhEUg';
    emulator.enqueue(
      [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: image }, { text: 'Here.' }],
      [{ text: 'Bluer.' }],
    );
    await say('Draw');
    await say('Make it bluer');
    const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: image };
    expect(inputOf(1)).toContainEqual(store ? { type: 'item_reference', id: 'ig_1' } : item);
  });

  it('returns each page once, and sends the searches back', async () => {
    const action = {
      type: 'search',
      query: 'a',
      queries: ['a', 'b'],
      sources: [
        { type: 'url', url: 'https://a.org/?q=1' },
        { type: 'url', url: 'https://b.org/' },
        { type: 'api', name: 'oai-weather' },
      ],
    };
    const citation = { type: 'url_citation', title: 'A', start_index: 0, end_index: 4 };
    const url = 'https://a.org/?q=1&utm_source=openai';
    const opened = { type: 'open_page', url: 'https://a.org/' };
    const { emulator, say, inputOf } = await start({ look: official.webSearch() });
    emulator.enqueue(
      [
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action },
        { type: 'web_search_call', id: 'ws_2', status: 'completed', action: opened },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Rain.', annotations: [{ ...citation, url }] }],
        },
      ],
      [{ text: 'Bye.' }],
    );
    const { sources } = await say('Search');
    expect(sources).toMatchObject([
      { sourceType: 'url', url, title: 'A' },
      { sourceType: 'url', url: 'https://b.org/' },
    ]);
    expect(new Set(sources.map(({ id }) => id)).size).toBe(sources.length);
    await say('Bye');
    expect(inputOf(1).slice(1, 3)).toMatchObject([
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action },
      { type: 'web_search_call', id: 'ws_2', status: 'completed', action: opened },
    ]);
  });
});

import type { LanguageModelV2CallOptions, LanguageModelV2Prompt } from '@ai-sdk/provider';
import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { fromLanguageModel, toLanguageModel } from '../../src/core/versions/language-model.js';
import {
  call,
  callRound,
  exchangeOf,
  finish,
  generate,
  ofType,
  scriptedModel,
  type ScriptedRound,
  start,
  stream,
  text,
  textRound,
  user,
} from './_scripted-model.js';
import { declareTool, scriptedTools } from './_tools.js';

const image = {
  type: 'content' as const,
  value: [
    { type: 'text' as const, text: 'A picture.' },
    { type: 'media' as const, data: 'iVBORw0KGgo=', mediaType: 'image/png' },
  ],
};
const reasoning = (id: string, delta = 'Hm.') => [
  { type: 'reasoning-start' as const, id },
  { type: 'reasoning-delta' as const, id, delta },
  { type: 'reasoning-end' as const, id, providerMetadata: { openai: { itemId: id } } },
];
const of = (calls: number, prefix: string): ScriptedRound[] =>
  Array.from({ length: calls }, () => (options: LanguageModelV2CallOptions) => respond(options, prefix));

/** Makes the calls that the history lacks: `draw` and `ask` in one round, then `save`, then `ask` again, then text. */
function respond({ prompt }: LanguageModelV2CallOptions, prefix: string) {
  const { calls } = exchangeOf({ prompt });
  const has = (id: string): boolean => calls.includes(`${prefix}${id}`);
  if (!has('draw')) {
    return [
      start,
      ...reasoning('rs_1'),
      ...call(`${prefix}draw`, 'draw', { of: 'a cat' }),
      ...call(`${prefix}ask_1`, 'ask', { question: 'Colour?' }),
      finish('tool-calls'),
    ];
  }
  if (!has('save'))
    return [
      start,
      ...reasoning('rs_2'),
      ...call(`${prefix}save`, 'save', { as: 'cat' }),
      finish('tool-calls'),
    ];
  if (!has('ask_2'))
    return [
      start,
      ...reasoning('rs_3'),
      ...call(`${prefix}ask_2`, 'ask', { question: 'Fine?' }),
      finish('tool-calls'),
    ];
  return textRound('Done.');
}

/** The items that every request after the host's last call must contain. */
const complete = (prefix: string) => ({
  calls: [`${prefix}draw`, `${prefix}ask_1`, `${prefix}save`, `${prefix}ask_2`],
  inputs: [{ of: 'a cat' }, { question: 'Colour?' }, { as: 'cat' }, { question: 'Fine?' }],
});

const partTypes = (prompt: LanguageModelV2Prompt | undefined = []) =>
  prompt.flatMap(({ content }) => (typeof content === 'string' ? [] : content.map(({ type }) => type)));

const tools = () => scriptedTools({ draw: () => image, save: () => 'saved' });
const askInput = z.object({ question: z.string() });
const sdks = [
  ['ai 5', ai5, false],
  ['ai 6', ai6, true],
  ['ai 7', ai7, true],
] as const;

describe.each(sdks)('calls of undeclared tools under %s', (_, sdk, isV3) => {
  const toModel = (model: ReturnType<typeof withToolLoop>) =>
    (isV3 ? toLanguageModel(fromLanguageModel(model), 'v3') : model) as never;
  const { generateText, streamText, stepCountIs, tool } = sdk as unknown as typeof ai5;
  const ask = tool({ inputSchema: askInput, execute: async () => 'yes' });

  it.each(['generateText', 'streamText'])(
    'run once beside calls of the host, with a restart after each step: %s',
    async mode => {
      const sources: ReturnType<typeof tools>[] = [];
      const inner = scriptedModel(...of(20, ''));
      let messages: ai5.ModelMessage[] = [{ role: 'user', content: 'Draw.' }];
      for (let step = 0; step < 3; step++) {
        // Nothing but the messages is left of the last step.
        const source = tools();
        sources.push(source);
        const model = toModel(withToolLoop(inner, { tools: source }));
        const options = { model, tools: { ask }, messages, stopWhen: stepCountIs(1) };
        const generated = mode === 'generateText' ? await generateText(options) : undefined;
        const streamed = generated === undefined ? streamText(options) : undefined;
        await streamed?.consumeStream();
        const response = await (generated ?? streamed)?.response;
        messages = [...messages, ...(JSON.parse(JSON.stringify(response?.messages)) as ai5.ModelMessage[])];
      }
      expect(sources.flatMap(({ calls }) => calls).map(({ toolName }) => toolName)).toEqual(['draw', 'save']);
      const last = inner.requests.at(-1);
      expect(exchangeOf(last)).toMatchObject(complete(''));
      expect(exchangeOf(last).outputs.map(([id]) => id)).toEqual(complete('').calls);
      expect(JSON.stringify(last?.prompt)).toContain('iVBORw0KGgo=');
      expect(JSON.stringify(last?.prompt)).not.toContain('hiddenCalls');
      // Reasoning stays before the calls that it led to.
      expect(partTypes(last?.prompt).join(' ')).toBe(
        'text reasoning tool-call tool-call tool-result tool-result reasoning tool-call tool-result reasoning tool-call tool-result',
      );
    },
  );

  it('stay in the history after the answer', async () => {
    const inner = scriptedModel(
      callRound(call('c1', 'draw', { of: 'a cat' })),
      textRound('Here it is.'),
      textRound('Yes.'),
    );
    const model = toModel(withToolLoop(inner, { tools: tools() }));
    const { response } = await generateText({ model, prompt: 'Draw.' });
    const messages: ai5.ModelMessage[] = [
      { role: 'user', content: 'Draw.' },
      ...(JSON.parse(JSON.stringify(response.messages)) as ai5.ModelMessage[]),
      { role: 'user', content: 'A cat?' },
    ];
    await generateText({ model, messages });
    expect(exchangeOf(inner.requests[2])).toMatchObject({ calls: ['c1'], inputs: [{ of: 'a cat' }] });
    expect(partTypes(inner.requests[2]?.prompt)).toEqual([
      'text',
      'tool-call',
      'tool-result',
      'text',
      'text',
    ]);
  });
});

describe('hidden calls of `generateText` in ai 5', () => {
  it('run once in 40 conversations at the same time', async () => {
    const own = tools();
    const inner = scriptedModel(
      ...Array.from({ length: 400 }, () => (options: LanguageModelV2CallOptions) => {
        const [first] = options.prompt;
        const [part] = first?.role === 'user' ? first.content : [];
        return respond(options, part?.type === 'text' ? part.text : '');
      }),
    );
    const model = withToolLoop(inner, { tools: own });
    const conversations = Array.from({ length: 40 }, (_, number) => `${number}_`);
    let waiting = 0;
    let release = (): void => {};
    const allAsked = new Promise<void>(resolve => (release = resolve));
    const ask = ai5.tool({
      inputSchema: askInput,
      // All conversations are between two steps at the same time.
      execute: async () => {
        if (++waiting === conversations.length) release();
        await allAsked;
        return 'yes';
      },
    });
    const texts = await Promise.all(
      conversations.map(async prompt => {
        const options = { model, prompt, tools: { ask }, stopWhen: ai5.stepCountIs(9) };
        return (await ai5.generateText(options)).text;
      }),
    );
    expect(texts).toEqual(conversations.map(() => 'Done.'));
    const runs = new Set(own.calls.map(({ toolCallId }) => toolCallId));
    expect([own.calls.length, runs.size]).toEqual([80, 80]);
  });

  it('survive a turn that ends without text', async () => {
    const inner = scriptedModel(
      [start, ...reasoning('rs_1'), ...call('c1', 'save', { as: 'x' }), finish('tool-calls')],
      [start, ...reasoning('rs_2'), finish()],
      textRound('Yes.'),
    );
    const model = withToolLoop(inner, { tools: tools() });
    const { response } = await ai5.generateText({ model, prompt: 'Save.' });
    const messages: ai5.ModelMessage[] = [
      { role: 'user', content: 'Save.' },
      ...response.messages,
      { role: 'user', content: 'And?' },
    ];
    await ai5.generateText({ model, messages });
    const prompt = inner.requests[2]?.prompt;
    expect(exchangeOf({ prompt: prompt ?? [] })).toEqual({
      calls: ['c1'],
      inputs: [{ as: 'x' }],
      outputs: [['c1', 'saved']],
    });
    expect(partTypes(prompt)).toEqual(['text', 'reasoning', 'tool-call', 'tool-result', 'reasoning', 'text']);
  });

  it('survive messages of a user interface', async () => {
    const inner = scriptedModel(
      callRound(call('c1', 'save', { as: 'x' })),
      textRound('Saved.'),
      textRound('Yes.'),
    );
    const model = withToolLoop(inner, { tools: tools(), toolActivity: 'none' });
    const first = ai5.streamText({ model, prompt: 'Save.' });
    let last: ai5.UIMessage | undefined;
    for await (const message of ai5.readUIMessageStream({ stream: first.toUIMessageStream() }))
      last = message;
    expect(last?.parts.map(({ type }) => type)).toEqual(['step-start', 'text']);
    const messages = ai5.convertToModelMessages([
      { id: '1', role: 'user', parts: [{ type: 'text', text: 'Save.' }] },
      ...(last === undefined ? [] : [JSON.parse(JSON.stringify(last)) as ai5.UIMessage]),
      { id: '3', role: 'user', parts: [{ type: 'text', text: 'And?' }] },
    ]);
    await ai5.streamText({ model, messages }).consumeStream();
    expect(exchangeOf(inner.requests[2])).toEqual({
      calls: ['c1'],
      inputs: [{ as: 'x' }],
      outputs: [['c1', 'saved']],
    });
  });

  it('are restored without a loop too', async () => {
    const model = withToolLoop(
      scriptedModel(callRound(call('c1', 'save', { as: 'x' })), textRound('Saved.')),
      { tools: tools() },
    );
    const { response } = await ai5.generateText({ model, prompt: 'Save.' });
    const inner = scriptedModel(textRound('Yes.'));
    await ai5.generateText({
      model: withToolLoop(inner, { tools: [] }),
      messages: [{ role: 'user', content: 'Save.' }, ...response.messages],
    });
    expect(exchangeOf(inner.requests[0]).outputs).toEqual([['c1', 'saved']]);
  });
});

describe('hidden calls', () => {
  const asked = [declareTool('ask')];

  it('keep the order in which the model made them and the calls of the host', async () => {
    const inner = scriptedModel(
      [start, ...text('First.', 'a'), ...call('c1', 'save'), ...text('Then.', 'b'), finish('tool-calls')],
      callRound(call('h1', 'ask'), call('c2', 'save'), call('h2', 'ask')),
      textRound('Done.'),
    );
    const model = withToolLoop(inner, { tools: tools() });
    const { content } = await generate(model, { tools: asked });
    expect(content.map(({ type }) => type)).toEqual(['text', 'text', 'tool-call', 'tool-call']);
    await generate(model, { prompt: toPrompt(content), tools: asked });
    expect(exchangeOf(inner.requests[2]).calls).toEqual(['c1', 'h1', 'c2', 'h2']);
    expect(partTypes(inner.requests[2]?.prompt).slice(0, 5)).toEqual([
      'text',
      'text',
      'tool-call',
      'tool-result',
      'text',
    ]);
  });

  it('keep the metadata of the calls and of the parts that carry them', async () => {
    const metadata = { google: { thoughtSignature: 'sig' } };
    const inner = scriptedModel(
      [
        start,
        { type: 'tool-call', toolCallId: 'c1', toolName: 'save', input: '{}', providerMetadata: metadata },
        finish('tool-calls'),
      ],
      [
        start,
        { type: 'text-start', id: '0', providerMetadata: { openai: { itemId: 'msg_1' } } },
        { type: 'text-delta', id: '0', delta: 'Done.' },
        { type: 'text-end', id: '0' },
        finish(),
      ],
      textRound('Again.'),
    );
    const model = withToolLoop({ ...inner, provider: 'scripted' }, { tools: tools() });
    const { content } = await generate(model);
    await generate(model, { prompt: toPrompt(content) });
    const assistant = inner.requests[2]?.prompt.filter(({ role }) => role === 'assistant');
    expect(assistant).toMatchObject([
      { content: [{ toolCallId: 'c1', providerOptions: metadata }] },
      { content: [{ text: 'Done.', providerOptions: { openai: { itemId: 'msg_1' } } }] },
    ]);
  });

  it('are not repeated if the history has them, and malformed ones are ignored', async () => {
    const record = {
      toolCallId: 'c1',
      toolName: 'save',
      input: '{}',
      output: { type: 'text', value: 'saved' },
      index: 0,
    };
    const calls = [
      record,
      { toolCallId: 'c2' },
      'c3',
      null,
      { ...record, toolCallId: 'c4', output: { type: 'text', value: 4 } },
    ];
    const carrier = (text: string) => ({
      type: 'text' as const,
      text,
      providerOptions: { kelivo: { hiddenCalls: { before: 1, calls } } },
    });
    const inner = scriptedModel(textRound('Done.'));
    const prompt: LanguageModelV2Prompt = [
      ...user('Go.'),
      { role: 'assistant', content: [carrier('a'), carrier('b')] },
      ...user('On.'),
    ];
    await generate(withToolLoop(inner, { tools: tools(), historySecret: false }), { prompt });
    expect(exchangeOf(inner.requests[0])).toEqual({
      calls: ['c1'],
      inputs: [{}],
      outputs: [['c1', 'saved']],
    });
  });

  it('are not given the id of a new call', async () => {
    const inner = scriptedModel(
      callRound(call('call_0', 'save', { as: '1' })),
      textRound('One.'),
      callRound(call('call_0', 'save', { as: '2' })),
      textRound('Two.'),
    );
    const model = withToolLoop(inner, { tools: tools() });
    const { content } = await generate(model);
    await generate(model, { prompt: toPrompt(content) });
    expect(exchangeOf(inner.requests[3])).toMatchObject({
      calls: ['call_0', 'call_0_2'],
      inputs: [{ as: '1' }, { as: '2' }],
    });
  });

  it('hold back calls of the host only if the host keeps nothing of others', async () => {
    const round = callRound(call('h1', 'ask'), call('c1', 'save'));
    const order = async (declared: string[]) => {
      const model = withToolLoop(scriptedModel(round), { tools: tools() });
      const parts = await stream(model, { tools: ['ask', ...declared].map(declareTool) });
      return [...ofType(parts, 'tool-call')].map(({ toolCallId }) => toolCallId);
    };
    expect(await order(['save', 'draw'])).toEqual(['h1', 'c1']);
    expect(await order([])).toEqual(['h1']);
  });

  it('are carried to the end of a turn that fails', async () => {
    const inner = scriptedModel(callRound(call('c1', 'save', { as: 'x' })), () => {
      throw new Error('The server is down.');
    });
    const parts = await stream(withToolLoop(inner, { tools: tools(), retry: { maxRetries: 0 } }));
    expect(ofType(parts, 'reasoning-end')[0]?.providerMetadata?.kelivo).toMatchObject({
      hiddenCalls: { calls: [{ toolCallId: 'c1' }] },
    });
  });
});

type AssistantPart = Extract<LanguageModelV2Prompt[number], { role: 'assistant' }>['content'][number];

/** Returns the next prompt of a host that keeps texts and calls of `content`, and ran its own calls. */
function toPrompt(content: Awaited<ReturnType<typeof generate>>['content']): LanguageModelV2Prompt {
  const calls = content.filter(part => part.type === 'tool-call');
  return [
    ...user('Go.'),
    {
      role: 'assistant',
      content: content.flatMap((part): AssistantPart[] => {
        const providerOptions = 'providerMetadata' in part ? part.providerMetadata : undefined;
        if (part.type === 'text') return [{ type: 'text' as const, text: part.text, providerOptions }];
        if (part.type !== 'tool-call') return [];
        const { toolCallId, toolName } = part;
        return [{ type: 'tool-call' as const, toolCallId, toolName, input: {}, providerOptions }];
      }),
    },
    ...(calls.length === 0
      ? []
      : [
          {
            role: 'tool' as const,
            content: calls.map(({ toolCallId, toolName }) => ({
              type: 'tool-result' as const,
              toolCallId,
              toolName,
              output: { type: 'text' as const, value: 'by the host' },
            })),
          },
        ]),
    ...user('Again.'),
  ];
}

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV2Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { adaptModel } from '../../src/adapters/adapt-model.js';
import { gemini } from '../../src/adapters/families/index.js';
import { wrapModel } from '../_core.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { checkParts } from '../_parts.js';
import { serveBody, serveJson } from '../_server.js';
import { toSse } from '../_sse.js';
import {
  callRound,
  call,
  finish,
  generate,
  ofType,
  readAll,
  textRound,
  scriptedModel,
  start,
  stream,
  user,
} from '../tool-loop/_scripted-model.js';
import { declareTool, scriptedTools } from '../tool-loop/_tools.js';

describe('calls without ids', () => {
  // camel-ai/camel#3027: the id of every call is empty, and their results are lost.
  it('get one id each, the same in all their parts', async () => {
    const model = scriptedModel(callRound(call('', 'a'), call('', 'b'), call('c3', 'a')));
    const parts = await stream(wrapModel(model, [gemini.middleware]));
    checkParts(parts);
    const [first, second, third] = ofType(parts, 'tool-call').map(part => part.toolCallId);
    expect([first, second]).toEqual([
      expect.stringMatching(/^call_\w+$/),
      expect.stringMatching(/^call_\w+$/),
    ]);
    expect(third).toBe('c3');
    for (const type of ['tool-input-start', 'tool-input-delta', 'tool-input-end'] as const) {
      expect(ofType(parts, type).map(({ id }) => id)).toEqual([first, second, third]);
    }
  });

  it('get an id if their input is not streamed, and if they are generated', async () => {
    const whole = { type: 'tool-call', toolCallId: '', toolName: 'a', input: '{}' } as const;
    const response = [start, whole, whole, finish('tool-calls')];
    const model = wrapModel(scriptedModel(response, response), [gemini.middleware]);
    const streamed = ofType(await stream(model), 'tool-call').map(part => part.toolCallId);
    const { content } = await generate(model);
    const ids = [...streamed, ...content.map(part => part.type === 'tool-call' && part.toolCallId)];
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
    expect(ids).not.toContain('');
  });

  it('get the id of their streamed input, in any order of ends', async () => {
    const [first = [], second = []] = [call('', 'a', { x: 1 }), call('', 'b', { y: 2 })];
    const parts = await stream(
      wrapModel(
        scriptedModel([
          start,
          ...first.slice(0, 2),
          ...second.slice(0, 2),
          ...first.slice(2, 3),
          ...second.slice(2, 3),
          ...second.slice(3),
          ...first.slice(3),
          finish('tool-calls'),
        ]),
        [gemini.middleware],
      ),
    );
    checkParts(parts);
    const opened = new Map(ofType(parts, 'tool-input-start').map(({ id, toolName }) => [toolName, id]));
    for (const { toolCallId, toolName } of ofType(parts, 'tool-call')) {
      expect(toolCallId).toBe(opened.get(toolName));
    }
  });
});

describe('thought signatures', () => {
  const signature = { google: { thoughtSignature: 'sig-1' } };

  it('are returned with their call through the tool loop', async () => {
    const signed = call('c1', 'echo', { text: 'a' }).map(part =>
      part.type === 'tool-call' ? { ...part, providerMetadata: signature } : part,
    );
    const model = scriptedModel(callRound(signed), textRound('Done.'));
    const looped = withToolLoop(wrapModel(model, [gemini.middleware]), {
      tools: scriptedTools({ echo: ({ text }) => `echo ${text}` }),
    });
    const parts = await stream(looped, { tools: [declareTool('echo')] });
    expect(ofType(parts, 'tool-call')[0]?.providerMetadata).toMatchObject(signature);
    const assistant = model.requests[1]?.prompt.find(({ role }) => role === 'assistant');
    expect(assistant?.content).toMatchObject([{ type: 'tool-call', providerOptions: signature }]);
  });

  it('are returned when the host replays a pair that the loop executed', async () => {
    const pair: LanguageModelV2Prompt = [
      ...user('Go.'),
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: 'call_1',
            toolName: 'echo',
            input: {},
            providerExecuted: true,
            providerOptions: signature,
          },
          {
            type: 'tool-result',
            toolCallId: 'call_1',
            toolName: 'echo',
            output: { type: 'text', value: 'echo' },
          },
          { type: 'text', text: 'Done.' },
        ],
      },
      ...user('Thanks.'),
    ];
    const model = scriptedModel(textRound('Welcome.'));
    const looped = withToolLoop(wrapModel(model, [gemini.middleware]), { tools: scriptedTools({}) });
    await stream(looped, { prompt: pair });
    expect(model.requests[0]?.prompt[1]?.content).toMatchObject([
      { type: 'tool-call', providerOptions: signature },
    ]);
  });

  // labring/aiproxy#450, Gitlawb/openclaude#67: Function call is missing a thought_signature in functionCall parts.
  describe('at an OpenAI-compatible endpoint', () => {
    const calls = [
      {
        index: 0,
        id: '',
        type: 'function',
        function: { name: 'default_api.echo', arguments: '{"text":"a"}' },
        extra_content: { google: { thought_signature: 'sig-1' } },
      },
      { index: 1, id: '', type: 'function', function: { name: 'echo', arguments: '{"text":"b"}' } },
    ];
    const completion = (message: object, finish_reason: string) => ({
      id: 'x',
      object: 'chat.completion',
      created: 0,
      model: 'gemini-3-pro',
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      id: 'x',
      object: 'chat.completion.chunk',
      created: 0,
      model: 'gemini-3-pro',
      choices: [{ index: 0, delta, finish_reason }],
    });
    const model = (url: string, modelId = 'gemini-3-pro') =>
      adaptModel(createOpenAICompatible({ name: 'google', baseURL: url })(modelId));
    const tools = [declareTool('echo')];

    it('become metadata of their call (generate)', async () => {
      const { url } = await serveJson(completion({ content: null, tool_calls: calls }, 'tool_calls'));
      const { content } = await model(url).doGenerate({ prompt: user('Go.'), tools });
      expect(content).toEqual([
        expect.objectContaining({ toolName: 'echo', providerMetadata: signature }),
        expect.not.objectContaining({ providerMetadata: expect.anything() }),
      ]);
    });

    it('become metadata of their call, without raw parts (stream)', async () => {
      const chunks = [...calls.map(one => chunk({ tool_calls: [one] })), chunk({}, 'tool_calls')];
      const { url } = await serveBody(toSse(chunks, { eventLine: 'none', doneMarker: true }));
      const { stream: parts } = await model(url).doStream({ prompt: user('Go.'), tools });
      const all = await readAll(parts);
      expect(ofType(all, 'tool-call').map(part => [part.toolName, part.providerMetadata])).toEqual([
        ['echo', signature],
        ['echo', undefined],
      ]);
      expect(ofType(all, 'raw')).toEqual([]);
    });

    /** Returns the extra content of the calls in a request. */
    async function sentFields(modelId: string, ...options: (typeof signature | undefined)[]) {
      const { url, requests } = await serveJson(completion({ content: 'Done.' }, 'stop'));
      await model(url, modelId).doGenerate({
        prompt: [
          ...user('Go.'),
          {
            role: 'assistant',
            content: options.map((providerOptions, index) => ({
              type: 'tool-call',
              toolCallId: `c${index}`,
              toolName: 'echo',
              input: {},
              ...(providerOptions && { providerOptions }),
            })),
          },
        ],
      });
      const { messages } = requests[0]?.body as {
        messages: { tool_calls?: { extra_content?: unknown }[] }[];
      };
      return messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ extra_content }) => extra_content));
    }

    it('are returned in the same field', async () => {
      expect(await sentFields('gemini-3-pro', signature, undefined)).toEqual([
        { google: { thought_signature: 'sig-1' } },
        undefined,
      ]);
      expect(await sentFields('gemini-3-pro', undefined, signature)).toEqual([
        undefined,
        { google: { thought_signature: 'sig-1' } },
      ]);
      expect(await sentFields('gemini-2.5-pro', signature)).toEqual([
        { google: { thought_signature: 'sig-1' } },
      ]);
    });

    it('are replaced by a placeholder for calls of another model, if the model requires them', async () => {
      expect(await sentFields('google/gemini-3-flash', undefined, undefined)).toEqual([
        { google: { thought_signature: 'skip_thought_signature_validator' } },
        undefined,
      ]);
      expect(await sentFields('gemini-2.5-pro', undefined)).toEqual([undefined]);
    });
  });
});

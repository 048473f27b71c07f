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
  finishOf,
  ofType,
  type ScriptedModel,
  scriptedModel,
  stream,
  textRound,
} from './_scripted-model.js';
import { declareTool, scriptedTools } from './_tools.js';

const tools = () => scriptedTools({ read_file: () => 'contents', list: () => 'listed' });
const asked = [declareTool('ask_user')];

const sdks = [
  ['ai 5', ai5, false],
  ['ai 6', ai6, true],
  ['ai 7', ai7, true],
] as const;

describe('a call of a tool that does not exist', () => {
  it.each(sdks)('is answered with the names that exist, and the turn goes on: %s', async (_, sdk, isV3) => {
    const { generateText, streamText, stepCountIs, tool } = sdk as unknown as typeof ai5;
    const round = callRound(call('c1', 'list'), call('c2', 'read_fiel', { path: 'a' }));
    const expected = [
      ['c1', 'listed'],
      [
        'c2',
        'There is no tool "read_fiel". Did you mean "read_file"? Available tools: read_file, list, ask_user.',
      ],
    ];
    const ask_user = tool({ inputSchema: z.object({}), execute: async () => 'yes' });
    const run = (inner: ScriptedModel) => {
      const looped = withToolLoop(inner, { tools: tools() });
      const model = (isV3 ? toLanguageModel(fromLanguageModel(looped), 'v3') : looped) as typeof looped;
      return { model, prompt: 'Go.', tools: { ask_user }, stopWhen: stepCountIs(5) };
    };

    const generated = scriptedModel(round, textRound('Done.'));
    expect(await generateText(run(generated))).toMatchObject({ text: 'Done.', finishReason: 'stop' });
    expect(exchangeOf(generated.requests[1]).outputs).toEqual(expected);

    const streamed = scriptedModel(round, textRound('Done.'));
    expect(await streamText(run(streamed)).text).toBe('Done.');
    expect(exchangeOf(streamed.requests[1]).outputs).toEqual(expected);
  });

  it('leaves the calls of the host beside it to the host', async () => {
    const inner = scriptedModel(callRound(call('c1', 'nothing'), call('h1', 'ask_user'), call('c2', 'list')));
    const parts = await stream(withToolLoop(inner, { tools: tools() }), { tools: asked });
    expect(finishOf(parts).finishReason).toBe('tool-calls');
    expect(ofType(parts, 'tool-call').map(({ toolCallId }) => toolCallId)).toEqual(['h1']);
    expect(ofType(parts, 'tool-result').map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([
      ['c1', true],
      ['c2', undefined],
    ]);
  });

  it('ends the calling after three rounds, whatever the names', async () => {
    const rounds = ['one', 'two', 'three'].map((name, index) =>
      callRound(
        call(`a${index}`, name),
        call(`b${index}`, `${name}_b`),
        call(`c${index}`, 'list', { index }),
      ),
    );
    const inner = scriptedModel(...rounds, textRound('I give up.'));
    const parts = await stream(withToolLoop(inner, { tools: tools() }));
    expect(inner.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual([
      undefined,
      undefined,
      undefined,
      'none',
    ]);
    expect(finishOf(parts).finishReason).toBe('stop');
  });

  it('lists at most 50 names', async () => {
    const many = scriptedTools(
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`tool_${index}_x`, () => ''])),
    );
    const inner = scriptedModel(callRound(call('c1', 'search')), textRound('Done.'));
    await stream(withToolLoop(inner, { tools: many }));
    const [[, output] = []] = exchangeOf(inner.requests[1]).outputs;
    expect(output).toContain('tool_49_x and 10 more.');
  });
});

describe('a differently written name', () => {
  it.each(['functions.read_file', 'default_api.read_file', 'Read_File', ' read_file\n'])(
    'is a call of the tool of the loop: %j',
    async name => {
      const own = tools();
      const inner = scriptedModel(callRound(call('c1', name, { path: 'a' })), textRound('Done.'));
      const parts = await stream(withToolLoop(inner, { tools: own }));
      expect(own.calls).toMatchObject([{ toolName: 'read_file', input: { path: 'a' } }]);
      expect(ofType(parts, 'tool-input-start')).toMatchObject([{ toolName: 'read_file' }]);
    },
  );

  it.each([
    ['with tools of the loop', [tools()]],
    ['without tools of the loop', []],
  ])('is a call of the tool of the host, %s', async (_, own) => {
    const inner = scriptedModel(callRound(call('h1', 'functions.Ask_User')));
    const parts = await stream(withToolLoop(inner, { tools: own }), { tools: asked });
    expect(ofType(parts, 'tool-call')).toMatchObject([{ toolCallId: 'h1', toolName: 'ask_user' }]);
    expect(ofType(parts, 'tool-input-start')).toMatchObject([{ toolName: 'ask_user' }]);
    expect(finishOf(parts).finishReason).toBe('tool-calls');
  });
});

describe('a tool of the host with the name of a tool of the loop', () => {
  const warningsOf = async (declared: ReturnType<typeof declareTool>) => {
    const source = tools();
    const listed = await source.listTools();
    const withServer = { ...listed, tools: listed.tools.map(tool => ({ ...tool, server: 'files' })) };
    const looped = withToolLoop(scriptedModel(textRound('Hi')), {
      tools: { ...source, listTools: async () => withServer },
    });
    const [first] = ofType(await stream(looped, { tools: [declared] }), 'stream-start');
    return first?.warnings ?? [];
  };

  it('produces a warning that names the tool and the server', async () => {
    expect(await warningsOf(declareTool('list'))).toMatchObject([
      { type: 'other', message: expect.stringMatching(/^The tool "list" of the call .* MCP server "files"/) },
    ]);
  });

  it('produces none if it is a stub', async () => {
    const providerOptions = { kelivo: { stub: true } };
    expect(await warningsOf({ ...declareTool('list'), providerOptions })).toEqual([]);
  });
});

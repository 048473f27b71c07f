import type { LanguageModelV2Message, LanguageModelV2Prompt } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { kimi } from '../../src/adapters/families/index.js';
import { wrapModel } from '../_core.js';
import {
  callRound,
  call,
  exchangeOf,
  ofType,
  textRound,
  scriptedModel,
  stream,
} from '../tool-loop/_scripted-model.js';

const round = (toolCallId: string, toolName: string): LanguageModelV2Message[] => [
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: {} }] },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: 'done' } }],
  },
];

async function sentIds(prompt: LanguageModelV2Prompt): Promise<string[]> {
  const model = scriptedModel(textRound('Hi'));
  await stream(wrapModel(model, [kimi.middleware]), { prompt });
  const { calls, outputs } = exchangeOf(model.requests[0]);
  expect(outputs.map(([id]) => id)).toEqual(calls);
  return calls;
}

// getkimchi/kimchi#1063: after a change of models, K2 ends its turns without any text.
it('sends ids of other models in its own format, counted over the conversation', async () => {
  expect(
    await sentIds([
      ...round('call_abc', 'bash'),
      ...round('functions.bash:1', 'bash'),
      ...round('toolu_1', 'read_file'),
    ]),
  ).toEqual(['functions.bash:0', 'functions.bash:1', 'functions.read_file:2']);
});

it('does not reuse the index of a valid id', async () => {
  expect(await sentIds([...round('call_abc', 'bash'), ...round('functions.bash:0', 'bash')])).toEqual([
    'functions.bash:1',
    'functions.bash:0',
  ]);
});

it('keeps the shorter format of K3', async () => {
  expect(await sentIds(round('list_dir:0', 'list_dir'))).toEqual(['list_dir:0']);
});

it('replaces an id with the name of another tool', async () => {
  expect(await sentIds(round('functions.bash:0', 'read_file'))).toEqual(['functions.read_file:0']);
});

// fw-ai/fireconnect#16: list_dir:0 in every response, with other arguments.
it('renames a call if the server restarts its count in each response', async () => {
  const prompt = round('list_dir:0', 'list_dir');
  const model = scriptedModel(callRound(call('list_dir:0', 'list_dir'), call('list_dir:1', 'list_dir')));
  const parts = await stream(wrapModel(model, [kimi.middleware]), { prompt });
  expect(ofType(parts, 'tool-call').map(part => part.toolCallId)).toEqual(['list_dir:0_2', 'list_dir:1']);
  expect(ofType(parts, 'tool-input-delta').map(({ id }) => id)).toEqual(['list_dir:0_2', 'list_dir:1']);
  expect(await sentIds([...prompt, ...round('list_dir:0_2', 'list_dir')])).toEqual([
    'list_dir:0',
    'functions.list_dir:1',
  ]);
});

import type { LanguageModelV2Prompt } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { claude } from '../../src/adapters/families/index.js';
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

const history = (...ids: string[]): LanguageModelV2Prompt => [
  {
    role: 'assistant',
    content: ids.map(toolCallId => ({ type: 'tool-call', toolCallId, toolName: 'a', input: {} })),
  },
  {
    role: 'tool',
    content: ids.map(toolCallId => ({
      type: 'tool-result',
      toolCallId,
      toolName: 'a',
      output: { type: 'text', value: toolCallId },
    })),
  },
];

async function sentIds(...ids: string[]): Promise<string[]> {
  const model = scriptedModel(textRound('Hi'));
  await stream(wrapModel(model, [claude.middleware]), { prompt: history(...ids) });
  const { calls, outputs } = exchangeOf(model.requests[0]);
  expect(outputs).toEqual(calls.map((id, index) => [id, ids[index]]));
  return calls;
}

// CommandCodeAI/command-code#323: String should match pattern '^[a-zA-Z0-9_-]+$'
it('replaces characters that Claude rejects with underscores', async () => {
  expect(await sentIds('functions.get_weather:0', 'toolu_01A-b')).toEqual([
    'functions_get_weather_0',
    'toolu_01A-b',
  ]);
});

it('keeps ids distinct if their replacements collide with each other or with valid ids', async () => {
  const ids = await sentIds('a.b', 'a:b', 'a_b', '', 'call', '🙂');
  expect(new Set(ids).size).toBe(6);
  expect(ids[2]).toBe('a_b');
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
});

it('shortens ids to the 64 characters that Amazon Bedrock accepts', async () => {
  const ids = await sentIds(`${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`, 'y'.repeat(64));
  expect(ids.map(id => id.length)).toEqual([64, 64, 64]);
  expect(new Set(ids).size).toBe(3);
  expect(ids[2]).toBe('y'.repeat(64));
});

it("returns the caller's id", async () => {
  const model = scriptedModel(callRound(call('functions_get_weather_0', 'a')));
  const parts = await stream(wrapModel(model, [claude.middleware]), {
    prompt: history('functions.get_weather:0'),
  });
  expect(ofType(parts, 'tool-call')[0]?.toolCallId).toBe('functions.get_weather:0');
});

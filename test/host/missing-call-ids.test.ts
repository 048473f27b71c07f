import type { LanguageModelV2StreamPart, ProviderV2 } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { toConfiguredProvider } from '../../src/host/registry/load.js';
import { toLanguageModel } from '../../src/core/versions/language-model.js';
import { checkParts } from '../_parts.js';
import {
  call,
  finish,
  generate,
  ofType,
  type ScriptedRound,
  scriptedModel,
  start,
  stream,
} from '../tool-loop/_scripted-model.js';

const interleaved: LanguageModelV2StreamPart[] = (() => {
  const [first = [], second = []] = [call('', 'a', { x: 1 }), call('', 'b', { y: 2 })];
  const parts = [first[0], first[1], second[0], second[1], first[2], second[2], first[3], second[3]];
  return [start, ...parts.filter(part => part !== undefined), finish('tool-calls')];
})();

/** A model without call ids, as a provider of a registry configuration. */
function modelOf(...rounds: ScriptedRound[]) {
  const model = scriptedModel(...rounds);
  const provider: ProviderV2 = {
    languageModel: () => model,
    textEmbeddingModel: () => {
      throw new Error('not used');
    },
    imageModel: () => {
      throw new Error('not used');
    },
  };
  return toLanguageModel(
    toConfiguredProvider(provider, 'scripted', 'v2').languageModel('scripted-1', {}),
    'v2',
  );
}

describe('interleaved calls without ids in a configured provider', () => {
  it('get one id each, the same in all their parts', async () => {
    const parts = await stream(modelOf(interleaved));
    checkParts(parts);
    const calls = ofType(parts, 'tool-call');
    const [first, second] = calls.map(({ toolCallId }) => toolCallId);
    expect(first).not.toBe(second);
    const idOf = (toolName: string) => calls.find(part => part.toolName === toolName)?.toolCallId;
    expect(ofType(parts, 'tool-input-start').map(({ id }) => id)).toEqual([idOf('a'), idOf('b')]);
    expect(ofType(parts, 'tool-input-delta').map(({ id, delta }) => [id, delta])).toEqual([
      [idOf('a'), '{"x":1}'],
      [idOf('b'), '{"y":2}'],
    ]);
    expect(ofType(parts, 'tool-input-end').map(({ id }) => id)).toEqual([idOf('a'), idOf('b')]);
  });

  it('get different ids in a generated result', async () => {
    const { content } = await generate(modelOf(interleaved));
    const ids = content.map(part => part.type === 'tool-call' && part.toolCallId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain('');
  });
});

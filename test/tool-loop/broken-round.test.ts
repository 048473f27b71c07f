import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import {
  callRound,
  call,
  finish,
  finishOf,
  generate,
  noUsage,
  ofType,
  type ScriptedRound,
  scriptedModel,
  start,
  stream,
  text,
} from './_scripted-model.js';
import { serverError } from './_server-error.js';
import { declareTool, gate, scriptedTools } from './_tools.js';

/** The ways in which a response fails after its first parts. */
const breaks: Readonly<Record<string, (parts: LanguageModelV2StreamPart[]) => ScriptedRound>> = {
  'an error part and finish "error"': parts => [
    ...parts,
    { type: 'error', error: serverError() },
    finish('error'),
  ],
  // The official OpenAI provider sends this after an error event.
  'an error part and finish "unknown"': parts => [
    ...parts,
    { type: 'error', error: serverError() },
    finish('unknown', noUsage),
  ],
  'an error part and no finish': parts => [...parts, { type: 'error', error: serverError() }],
  'a stream error': parts =>
    async function* () {
      yield* parts;
      throw serverError();
    },
};

describe.each(Object.keys(breaks))('a round that ends with %s', name => {
  const broken = (parts: LanguageModelV2StreamPart[]) => breaks[name]?.(parts) ?? [];

  it('closes its blocks and ends the turn with one error and without `stop`', async () => {
    const model = scriptedModel(broken([start, ...text('The beginning').slice(0, 2)]));
    const parts = await stream(
      withToolLoop(model, { tools: scriptedTools({}), retry: { streamRetries: 0 } }),
    );
    expect(ofType(parts, 'error')).toMatchObject([{ error: { statusCode: 500, isRetryable: true } }]);
    expect(ofType(parts, 'text-end')).toHaveLength(1);
    expect(finishOf(parts).finishReason).toBe('error');
    expect(finishOf(parts).usage).toHaveProperty('inputTokens');
  });

  it('aborts the running call, does not start the waiting one, and gives each a result', async () => {
    const aborted = gate<unknown>();
    const tools = scriptedTools({
      write: (_, { signal }) => {
        signal.addEventListener('abort', () => aborted.open(signal.reason));
        return new Promise(() => {});
      },
    });
    const model = scriptedModel(broken([start, ...call('c1', 'write'), ...call('c2', 'write')]));
    const parts = await stream(
      withToolLoop(model, { tools, startEarly: true, retry: { streamRetries: 0 } }),
      {
        tools: [declareTool('write')],
      },
    );
    expect(await aborted.opened).toMatchObject({ name: 'AbortError' });
    expect(tools.calls).toHaveLength(1);
    expect(ofType(parts, 'tool-result')).toMatchObject([
      { toolCallId: 'c1', isError: true, result: expect.stringMatching(/may or may not have taken effect/) },
      { toolCallId: 'c2', isError: true },
    ]);
    expect(model.requests).toHaveLength(1);
  });

  it('is not retryable after a tool has run', async () => {
    const model = scriptedModel(callRound(call('c1', 'echo')), broken([start, ...text('The beginning')]));
    const parts = await stream(
      withToolLoop(model, { tools: scriptedTools({ echo: () => 'ran' }), retry: { streamRetries: 0 } }),
    );
    expect(ofType(parts, 'error')).toMatchObject([{ error: { statusCode: 500, isRetryable: false } }]);
    expect(finishOf(parts)).toMatchObject({
      finishReason: 'error',
      usage: { inputTokens: expect.any(Number) },
    });
  });
});

describe('a generated turn', () => {
  it('rejects with the error of its round', async () => {
    const model = scriptedModel(() => {
      throw serverError();
    });
    const turn = generate(withToolLoop(model, { tools: scriptedTools({}), retry: { streamRetries: 0 } }));
    await expect(turn).rejects.toMatchObject({ statusCode: 500, isRetryable: true });
  });

  it('rejects with an error that is not retryable after a tool has run', async () => {
    const model = scriptedModel(callRound(call('c1', 'echo')), () => {
      throw serverError();
    });
    const tools = scriptedTools({ echo: () => 'ran' });
    const turn = generate(withToolLoop(model, { tools, retry: { maxRetries: 0 } }));
    await expect(turn).rejects.toMatchObject({
      statusCode: 500,
      isRetryable: false,
      message: 'The server had an error.',
      cause: { isRetryable: true },
    });
  });
});

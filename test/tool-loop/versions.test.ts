import { describe, expect, it } from 'vitest';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import type { HostVersion } from '../../src/core/versions/specification.js';
import { user } from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

const counts = {
  v2: { inputTokens: 7, outputTokens: 3, totalTokens: 10, reasoningTokens: 1, cachedInputTokens: 2 },
  later: {
    inputTokens: { total: 7, noCache: 5, cacheRead: 2, cacheWrite: 0 },
    outputTokens: { total: 3, text: 2, reasoning: 1 },
  },
};

/** Creates a model of another package, of the version of a host. Its responses call a tool until one has text. */
function foreignModel(version: HostVersion, ...reasons: string[]) {
  let request = 0;
  const toResult = () => {
    const reason = reasons[request++] ?? 'stop';
    const isCall = request < 2 || reason === 'length';
    const call = { type: 'tool-call', toolCallId: `c${request}`, toolName: 'echo', input: '{"text":"a"}' };
    return {
      content: isCall ? [call] : [{ type: 'text', text: 'Done.' }],
      finishReason: version === 'v2' ? reason : { unified: reason, raw: `raw ${reason}` },
      usage: version === 'v2' ? counts.v2 : counts.later,
      warnings: [],
    };
  };
  return {
    specificationVersion: version,
    provider: 'foreign.chat',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: async (_options: never) => toResult(),
    async doStream(_options: never) {
      const { content, finishReason, usage } = toResult();
      const parts = content.flatMap((part): (typeof part | StreamedPart)[] =>
        'text' in part
          ? [
              { type: 'text-start', id: '0' },
              { type: 'text-delta', id: '0', delta: part.text },
              { type: 'text-end', id: '0' },
            ]
          : [part],
      );
      return {
        stream: new ReadableStream<{ type: string }>({
          start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] } as { type: string });
            for (const part of parts) controller.enqueue(part);
            controller.enqueue({ type: 'finish', finishReason, usage } as { type: string });
            controller.close();
          },
        }),
      };
    },
  };
}

interface StreamedPart {
  readonly type: string;
  readonly id: string;
  readonly delta?: string;
}

type Foreign = ReturnType<typeof foreignModel>;

/** Returns the end of a response. */
async function endOf(model: Foreign, mode: 'generate' | 'stream'): Promise<Record<string, unknown>> {
  const options = { prompt: user('Go.') };
  if (mode === 'generate') return model.doGenerate(options as never) as never;
  const { stream } = await model.doStream(options as never);
  let last: Record<string, unknown> = {};
  for await (const part of stream) last = { ...part };
  return last;
}

describe.each(['v2', 'v3', 'v4'] as const)('a loop over a %s model of another package', version => {
  const reasonOf = (unified: string) =>
    version === 'v2' ? unified : { unified, raw: expect.stringContaining('raw') };

  it.each(['generate', 'stream'] as const)('has the version of the model: %s', async mode => {
    const tools = scriptedTools({ echo: () => 'ran' });
    const model = withToolLoop(foreignModel(version, 'tool-calls', 'stop'), { tools });
    expect(model.specificationVersion).toBe(version);
    const { finishReason, usage } = await endOf(model, mode);
    expect(tools.calls).toHaveLength(1);
    expect(finishReason).toEqual(reasonOf('stop'));
    expect(usage).toMatchObject(
      version === 'v2'
        ? { inputTokens: 14, outputTokens: 6, totalTokens: 20, reasoningTokens: 2, cachedInputTokens: 4 }
        : {
            inputTokens: { total: 14, noCache: 10, cacheRead: 4, cacheWrite: 0 },
            outputTokens: { total: 6, text: 4, reasoning: 2 },
          },
    );
  });

  it.each(['generate', 'stream'] as const)('runs no call of a truncated response: %s', async mode => {
    const tools = scriptedTools({ echo: () => 'ran' });
    const model = withToolLoop(foreignModel(version, 'length'), { tools, startEarly: false });
    const { finishReason } = await endOf(model, mode);
    expect(tools.calls).toEqual([]);
    expect(finishReason).toEqual(reasonOf('length'));
  });

  it('is also a middleware', async () => {
    const tools = scriptedTools({ echo: () => 'ran' });
    const { wrapGenerate } = withToolLoop.middleware({ tools });
    const model = foreignModel(version, 'tool-calls', 'stop');
    const params = { prompt: user('Go.') };
    const result = await wrapGenerate({
      model,
      params,
      doGenerate: () => model.doGenerate(undefined as never),
      doStream: () => model.doStream(undefined as never),
    } as never);
    expect(tools.calls).toHaveLength(1);
    expect(result).toMatchObject({ finishReason: reasonOf('stop') });
  });
});

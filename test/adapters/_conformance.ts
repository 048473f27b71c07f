import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import type { ModelAdapter } from '../../src/adapters/kit/definition.js';
import type { AnyMiddlewareCall } from '../../src/core/versions/middleware.js';
import { wrapModel } from '../_core.js';
import { createRandom } from '../_chunking.js';
import { collectParts } from '../_v2-parts.js';
import {
  finish,
  generate,
  ofType,
  readAll,
  textRound,
  scriptedModel,
  start,
  stream,
  text,
} from '../tool-loop/_scripted-model.js';
import { everything, request } from './_conversation.js';
import { testUnderLaterHosts } from './_later-hosts.js';

type Part = LanguageModelV2StreamPart;

/** Treats reasoning as text, because models of some families start each response in reasoning. */
const asText = (parts: readonly Part[]): Part[] =>
  parts.map(part => ({ ...part, type: part.type.replace('reasoning', 'text') }) as Part);

/** The requirements for all adapters. The test file of a family covers only its quirks. */
export function testAdapter({ middleware }: ModelAdapter): void {
  const adapt = (model: ReturnType<typeof scriptedModel>) => wrapModel(model, [middleware]);

  it('passes unrelated parts on, in order and with their metadata', async () => {
    expect(joinDeltas(await stream(adapt(scriptedModel(everything)), request))).toEqual(
      joinDeltas(everything),
    );
  });

  it('returns the same result streamed and generated', async () => {
    const model = adapt(scriptedModel(everything, everything));
    const collected = collectParts(await stream(model, request));
    const result = await generate(model, request);
    expect(result).toMatchObject({ ...collected });
    expect(result.content).toHaveLength(collected.content.length);
  });

  it('leaves a text without calls unchanged for all chunk boundaries', async () => {
    const plain = 'A < B, [C] {"d": 1} `e` 🙂 \n\n```xml\n<f>g</f>\n```\nh <';
    for (const longest of [1, 2, 5, plain.length]) {
      const response = [
        start,
        { type: 'text-start', id: '0' } as const,
        ...split(plain, longest).map(delta => ({ type: 'text-delta', id: '0', delta }) as const),
        { type: 'text-end', id: '0' } as const,
        finish(),
      ];
      const parts = await stream(adapt(scriptedModel(response)), request);
      expect(
        ofType(parts, 'text-delta')
          .map(part => part.delta)
          .join(''),
      ).toBe(plain);
      expect(ofType(parts, 'finish')[0]?.finishReason).toBe('stop');
    }
  });

  it('passes the options on', async () => {
    const model = scriptedModel(textRound('Hi'), textRound('Hi'));
    const { prompt, ...others } = request;
    await stream(adapt(model), request);
    await generate(adapt(model), request);
    for (const sent of model.requests) {
      expect(sent).toMatchObject(others);
      expect(sent.prompt.map(({ role }) => role)).toEqual(prompt.map(({ role }) => role));
      expect(sent.prompt[0]).toEqual(prompt[0]);
      expect(sent.prompt.at(-1)).toEqual(prompt.at(-1));
    }
  });

  it('does not modify the options or parts', async () => {
    const frozen = deepFreeze(structuredClone(request));
    const model = adapt(scriptedModel(everything.map(deepFreeze), everything.map(deepFreeze)));
    await stream(model, frozen);
    await generate(model, frozen);
    expect(frozen).toEqual(request);
  });

  it('passes raw parts on only if they are requested', async () => {
    const raw: Part = { type: 'raw', rawValue: { any: 'thing' } };
    const model = adapt(
      scriptedModel(
        ({ includeRawChunks }) => [start, ...(includeRawChunks ? [raw] : []), ...text('Hi'), finish()],
        ({ includeRawChunks }) => [start, ...(includeRawChunks ? [raw] : []), ...text('Hi'), finish()],
      ),
    );
    expect(ofType(await stream(model, { ...request, includeRawChunks: true }), 'raw')).toEqual([raw]);
    expect(ofType(await stream(model, request), 'raw')).toEqual([]);
  });

  it('keeps the request and response metadata of a result', async () => {
    const result = await adapt(scriptedModel(textRound('Hi'))).doStream(request);
    expect(result).toMatchObject({
      request: { body: { round: 1 } },
      response: { headers: { 'x-round': '1' } },
    });
    await readAll(result.stream);
  });

  describe('when something fails', () => {
    const failure = new Error('The line is dead.');

    it('rejects with the error of the model', async () => {
      const fail = () => {
        throw failure;
      };
      const model = adapt(scriptedModel(fail, fail));
      await expect(stream(model, request)).rejects.toBe(failure);
      await expect(generate(model, request)).rejects.toBe(failure);
    });

    it('emits an error part, and the parts after it', async () => {
      const response: Part[] = [start, ...text('Half'), { type: 'error', error: failure }, finish('error')];
      const parts = await stream(adapt(scriptedModel(response)), request);
      expect(joinDeltas(asText(parts))).toEqual(joinDeltas(response));
    });

    it('emits the parts before a stream error, and fails with the same error', async () => {
      async function* broken() {
        yield start;
        yield* text('Half');
        await Promise.resolve();
        throw failure;
      }
      const { stream: parts } = await adapt(scriptedModel(broken())).doStream(request);
      const seen: Part[] = [];
      const read = async () => {
        for await (const part of parts) seen.push(part);
      };
      await expect(read()).rejects.toBe(failure);
      expect(ofType(asText(seen), 'text-delta').map(({ delta }) => delta)).toEqual(['Half']);
    });
  });

  it('passes the abort signal on, and rejects with its reason', async () => {
    const controller = new AbortController();
    const model = scriptedModel(() => new Promise<never>(() => undefined));
    const pending = adapt(model).doStream({ ...request, abortSignal: controller.signal });
    await expect.poll(() => model.requests[0]?.abortSignal).toBe(controller.signal);
    const reason = new Error('Enough.');
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
  });

  it('cancels the stream of the model when its own is cancelled', async () => {
    async function* endless() {
      yield start;
      yield { type: 'text-start', id: '0' } as const;
      for (;;) yield { type: 'text-delta', id: '0', delta: 'more ' } as const;
    }
    const model = scriptedModel(endless());
    const { stream: parts } = await adapt(model).doStream(request);
    const reader = parts.getReader();
    await reader.read();
    await reader.cancel('enough');
    await expect.poll(() => model.cancelled).toBe(1);
  });

  it('keeps concurrent calls independent', async () => {
    const model = scriptedModel(...Array.from({ length: 4 }, () => everything));
    const adapted = adapt(model);
    const alone = await stream(adapted, request);
    const both = await Promise.all([stream(adapted, request), stream(adapted, request)]);
    expect(both).toEqual([alone, alone]);
    expect(await stream(adapted, request)).toEqual(alone);
  });

  it('has no additional effect when applied twice', async () => {
    const once = scriptedModel(everything, everything);
    const twice = scriptedModel(everything, everything);
    const [a, b] = [wrapModel(once, [middleware]), wrapModel(twice, [middleware, middleware])];
    expect(joinDeltas(await stream(b, request))).toEqual(joinDeltas(await stream(a, request)));
    expect((await generate(b, request)).content).toEqual((await generate(a, request)).content);
    // The state of each call, under a symbol, has its own functions.
    const optionsOf = ({ requests }: typeof once) =>
      requests.map(sent => Object.fromEntries(Object.entries(sent)));
    expect(optionsOf(twice)).toEqual(optionsOf(once));
  });

  it('works between other middlewares', async () => {
    const seen: string[] = [];
    const observe = (name: string) => ({
      wrapStream: async ({ doStream }: AnyMiddlewareCall) => {
        seen.push(name);
        return doStream();
      },
    });
    const model = scriptedModel(everything);
    const chained = wrapModel(model, [observe('outer'), middleware, observe('inner')]);
    expect(joinDeltas(await stream(chained, request))).toEqual(joinDeltas(everything));
    expect(seen).toEqual(['outer', 'inner']);
  });

  testUnderLaterHosts(middleware);
}

/** Text may arrive in other chunks, and in blocks with other ids. */
function joinDeltas(parts: readonly Part[]): unknown[] {
  const joined: Record<string, unknown>[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if ('delta' in part && last?.['type'] === part.type) last['delta'] = `${last['delta']}${part.delta}`;
    else joined.push({ ...part });
  }
  return joined.map(part =>
    /^(text|reasoning)-/.test(String(part['type'])) ? { ...part, id: 'a block' } : part,
  );
}

function split(plain: string, longest: number): string[] {
  const random = createRandom(longest);
  const chunks: string[] = [];
  for (let at = 0; at < plain.length;) {
    const length = longest === plain.length ? longest : 1 + Math.floor(random() * longest);
    chunks.push(plain.slice(at, at + length));
    at += length;
  }
  return chunks;
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

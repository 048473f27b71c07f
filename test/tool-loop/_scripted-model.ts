import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2FinishReason,
  LanguageModelV2Prompt,
  LanguageModelV2StreamPart,
  LanguageModelV2Usage,
} from '@ai-sdk/provider';
import { untilAborted } from '../../src/shared/abort.js';
import { createPartCollector } from '../../src/parts/collector.js';

type Part = LanguageModelV2StreamPart;
type Parts = Iterable<Part> | AsyncIterable<Part>;

/** One answer: its parts, or a function that makes them and may throw, before or while it gives them. */
export type ScriptedRound = Parts | ((options: LanguageModelV2CallOptions) => Parts | Promise<Parts>);

export interface ScriptedModel extends LanguageModelV2 {
  /** The options of each request so far. */
  readonly requests: readonly LanguageModelV2CallOptions[];
  /** How many of its streams were cancelled. */
  readonly cancelled: number;
}

/** A model that answers as it is told, one round for each request. It heeds its signal, as models do. */
export function scriptedModel(...rounds: ScriptedRound[]): ScriptedModel {
  const requests: LanguageModelV2CallOptions[] = [];
  let cancelled = 0;

  async function answer(options: LanguageModelV2CallOptions): Promise<Parts> {
    const round = rounds[requests.push(options) - 1];
    if (round === undefined) throw new Error(`There is no round ${requests.length} in the script.`);
    options.abortSignal?.throwIfAborted();
    return typeof round === 'function'
      ? untilAborted(Promise.resolve(round(options)), options.abortSignal)
      : round;
  }

  return {
    specificationVersion: 'v2',
    provider: 'scripted',
    modelId: 'scripted-1',
    supportedUrls: { 'image/*': [/^https:/] },
    requests,
    get cancelled() {
      return cancelled;
    },

    async doStream(options) {
      const parts = iterate(await answer(options));
      const stream = new ReadableStream<Part>({
        async pull(controller) {
          const { done, value } = await untilAborted(parts.next(), options.abortSignal);
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: () => void cancelled++,
      });
      return {
        stream,
        request: { body: { round: requests.length } },
        response: { headers: { 'x-round': '1' } },
      };
    },

    async doGenerate(options) {
      const gather = async (parts: Parts) => {
        const folder = createPartCollector();
        for await (const part of parts) folder.add(part);
        return folder.result();
      };
      return untilAborted(gather(await answer(options)), options.abortSignal);
    },
  };
}

async function* iterate(parts: Parts): AsyncGenerator<Part, undefined> {
  yield* parts;
  return undefined;
}

export const start: Part = { type: 'stream-start', warnings: [] };

export const noUsage: LanguageModelV2Usage = {
  inputTokens: undefined,
  outputTokens: undefined,
  totalTokens: undefined,
};

export const finish = (
  finishReason: LanguageModelV2FinishReason = 'stop',
  usage: LanguageModelV2Usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
): Part => ({ type: 'finish', finishReason, usage });

export const text = (delta: string, id = '0'): Part[] => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta },
  { type: 'text-end', id },
];

/** A call whose input is streamed before it comes whole. */
export const call = (toolCallId: string, toolName: string, input: object | string = {}): Part[] => {
  const json = typeof input === 'string' ? input : JSON.stringify(input);
  return [
    { type: 'tool-input-start', id: toolCallId, toolName },
    { type: 'tool-input-delta', id: toolCallId, delta: json },
    { type: 'tool-input-end', id: toolCallId },
    { type: 'tool-call', toolCallId, toolName, input: json },
  ];
};

/** A round that only says something. */
export const say = (delta: string): Part[] => [start, ...text(delta), finish()];

/** A round that only calls. */
export const ask = (...calls: Part[][]): Part[] => [start, ...calls.flat(), finish('tool-calls')];

export const user = (message: string): LanguageModelV2Prompt => [
  { role: 'user', content: [{ type: 'text', text: message }] },
];

/** All parts of a turn. Rejects where the stream errors. */
export async function stream(
  model: LanguageModelV2,
  options: Partial<LanguageModelV2CallOptions> = {},
): Promise<Part[]> {
  const result = await model.doStream({ prompt: user('Go.'), ...options });
  return readAll(result.stream);
}

export async function readAll(stream: ReadableStream<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

export const generate = async (model: LanguageModelV2, options: Partial<LanguageModelV2CallOptions> = {}) =>
  model.doGenerate({ prompt: user('Go.'), ...options });

type PartOf<Type extends Part['type']> = Extract<Part, { type: Type }>;

/** The parts of one type. */
export const ofType = <Type extends Part['type']>(parts: readonly Part[], type: Type): PartOf<Type>[] =>
  parts.filter((part): part is PartOf<Type> => part.type === type);

export const typesOf = (parts: readonly Part[]): string[] => parts.map(({ type }) => type);

/** The last part, which must be the one `finish`. */
export function finishOf(parts: readonly Part[]): PartOf<'finish'> {
  const [only, ...others] = ofType(parts, 'finish');
  if (only === undefined || others.length > 0 || parts.at(-1) !== only) {
    throw new Error(`Expected one finish at the end, got ${typesOf(parts).join(', ')}.`);
  }
  return only;
}

/** What the prompt of a request tells of calls: their ids in order, and the outputs by id. */
export function exchangeOf(request: LanguageModelV2CallOptions | undefined) {
  const parts = (request?.prompt ?? []).flatMap(({ content }) =>
    typeof content === 'string' ? [] : content,
  );
  return {
    calls: parts.filter(part => part.type === 'tool-call').map(part => part.toolCallId),
    inputs: parts.filter(part => part.type === 'tool-call').map(part => part.input),
    outputs: parts
      .filter(part => part.type === 'tool-result')
      .map(part => [part.toolCallId, 'value' in part.output ? part.output.value : undefined]),
  };
}

import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2FinishReason,
  LanguageModelV2Prompt,
  LanguageModelV2StreamPart,
  LanguageModelV2Usage,
} from '@ai-sdk/provider';
import { untilAborted } from '../../src/core/shared/abort.js';
import { handOver } from '../../src/core/versions/history/facts.js';
import { collectParts } from '../_v2-parts.js';

type Part = LanguageModelV2StreamPart;
type Parts = Iterable<Part> | AsyncIterable<Part>;

/** One response: its parts, or a function that creates them and may throw before or while it does so. */
export type ScriptedRound = Parts | ((options: LanguageModelV2CallOptions) => Parts | Promise<Parts>);

export interface ScriptedModel extends LanguageModelV2 {
  /** The options of each request so far. */
  readonly requests: readonly LanguageModelV2CallOptions[];
  /** Number of cancelled streams. */
  readonly cancelled: number;
}

/** Creates a model that returns one scripted round per request. Like real models, it respects its signal. */
export function scriptedModel(...rounds: ScriptedRound[]): ScriptedModel {
  const requests: LanguageModelV2CallOptions[] = [];
  let cancelled = 0;

  async function openRound(options: LanguageModelV2CallOptions): Promise<Parts> {
    const round = rounds[requests.push(options) - 1];
    if (round === undefined) throw new Error(`There is no round ${requests.length} in the script.`);
    options.abortSignal?.throwIfAborted();
    return typeof round === 'function'
      ? untilAborted(Promise.resolve(round(options)), options.abortSignal)
      : round;
  }

  return {
    specificationVersion: 'v2',
    // Its calls are complete, as items of the Responses API are.
    provider: 'scripted.responses',
    modelId: 'scripted-1',
    supportedUrls: { 'image/*': [/^https:/] },
    requests,
    get cancelled() {
      return cancelled;
    },

    async doStream(options) {
      const parts = iterate(await openRound(options));
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
      const collect = async (parts: Parts) => {
        const collected: Part[] = [];
        for await (const part of parts) collected.push(asOwn(part));
        return collectParts(collected);
      };
      return untilAborted(collect(await openRound(options)), options.abortSignal);
    },
  };
}

async function* iterate(parts: Parts): AsyncGenerator<Part, undefined> {
  for await (const part of parts) yield asOwn(part);
  return undefined;
}

/** Marks the facts of a part as those of a model of this package, which the scripted one replaces. */
function asOwn(part: Part): Part {
  const { kelivo, ...others } = 'providerMetadata' in part ? (part.providerMetadata ?? {}) : {};
  if (kelivo === undefined) return part;
  return { ...part, providerMetadata: { ...others, kelivo: handOver({ ...kelivo }) } } as Part;
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

/** Returns the parts of a call: the streamed input, then the complete call. */
export const call = (toolCallId: string, toolName: string, input: object | string = {}): Part[] => {
  const json = typeof input === 'string' ? input : JSON.stringify(input);
  return [
    { type: 'tool-input-start', id: toolCallId, toolName },
    { type: 'tool-input-delta', id: toolCallId, delta: json },
    { type: 'tool-input-end', id: toolCallId },
    { type: 'tool-call', toolCallId, toolName, input: json },
  ];
};

/** Returns a round with text only. */
export const textRound = (delta: string): Part[] => [start, ...text(delta), finish()];

/** Returns a round with tool calls only. */
export const callRound = (...calls: Part[][]): Part[] => [start, ...calls.flat(), finish('tool-calls')];

export const user = (message: string): LanguageModelV2Prompt => [
  { role: 'user', content: [{ type: 'text', text: message }] },
];

/** Returns all parts of a turn. Rejects if the stream fails. */
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

/** Returns the parts of one type. */
export const ofType = <Type extends Part['type']>(parts: readonly Part[], type: Type): PartOf<Type>[] =>
  parts.filter((part): part is PartOf<Type> => part.type === type);

export const typesOf = (parts: readonly Part[]): string[] => parts.map(({ type }) => type);

/** Returns the last part, which must be the only `finish`. */
export function finishOf(parts: readonly Part[]): PartOf<'finish'> {
  const [only, ...others] = ofType(parts, 'finish');
  if (only === undefined || others.length > 0 || parts.at(-1) !== only) {
    throw new Error(`Expected one finish at the end, got ${typesOf(parts).join(', ')}.`);
  }
  return only;
}

/** Returns the calls in the prompt of a request: ids and inputs in order, and the outputs with their ids. */
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

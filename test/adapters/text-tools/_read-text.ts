import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2FinishReason,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { expect } from 'vitest';
import { wrapModel } from '../../_core.js';
import type { TextToolSettings } from '../../../src/adapters/text-tools/text-tools.js';
import type { AnyMiddleware } from '../../../src/core/versions/middleware.js';
import { createRandom } from '../../_chunking.js';
import { isWhole } from '../../_products.js';
import { checkParts } from '../../_parts.js';
import { finish, generate, scriptedModel, start, stream } from '../../tool-loop/_scripted-model.js';

/** The content of a text, in its order. */
export type ReadPart =
  | { text: string }
  | { reasoning: string }
  | { call: string; input: unknown }
  | { call: string; truncated: string };

export interface ReadResult {
  readonly content: ReadPart[];
  readonly finishReason: LanguageModelV2FinishReason;
}

type Properties = Record<string, unknown>;

export interface ReadTextOptions {
  readonly middleware: AnyMiddleware;
  /** The settings of the adapted model. */
  readonly settings?: TextToolSettings;
  /** The names of the declared tools, and the schemas of their properties. */
  readonly tools?: Readonly<Record<string, Properties>>;
  readonly toolChoice?: LanguageModelV2CallOptions['toolChoice'];
  readonly finishReason?: LanguageModelV2FinishReason | undefined;
  /**
   * `few` are all characters and one other, which the length of the text selects, for tests that read hundreds of texts.
   * `npm test` reads in few chunkings at most, and where these are few, in one of the two.
   * @default 'all'
   */
  readonly chunkings?: 'all' | 'few';
}

const toRequest = ({ tools = {}, toolChoice }: ReadTextOptions): Partial<LanguageModelV2CallOptions> => ({
  tools: Object.entries(tools).map(([name, properties]) => ({
    type: 'function',
    name,
    inputSchema: { type: 'object', properties } as object,
  })),
  ...(toolChoice && { toolChoice }),
});

/** Returns the parts of a response whose text streams in these chunks. */
export async function streamChunks(
  chunks: readonly string[],
  options: ReadTextOptions,
): Promise<LanguageModelV2StreamPart[]> {
  const response: LanguageModelV2StreamPart[] = [
    start,
    { type: 'text-start', id: 't' },
    ...chunks.map(delta => ({ type: 'text-delta', id: 't', delta }) as const),
    { type: 'text-end', id: 't' },
    finish(options.finishReason),
  ];
  const parts = await stream(
    wrapModel(scriptedModel(response), [options.middleware], options.settings),
    toRequest(options),
  );
  checkParts(parts);
  const started = parts.flatMap(part => (part.type === 'tool-input-start' ? [part.id] : []));
  expect(parts.flatMap(part => (part.type === 'tool-call' ? [part.toolCallId] : []))).toEqual(started);
  return parts;
}

/** Reads a model's text, and checks that generating and streaming in any chunks give the same result. */
export async function readText(text: string, options: ReadTextOptions): Promise<ReadResult> {
  const response: LanguageModelV2StreamPart[] = [
    start,
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: text },
    { type: 'text-end', id: 't' },
    finish(options.finishReason),
  ];
  const model = wrapModel(scriptedModel(response), [options.middleware], options.settings);
  const { content, finishReason } = await generate(model, toRequest(options));
  const result = { content: fromContent(content), finishReason };
  for (const chunks of toChunkings(text, options)) {
    expect(fromParts(await streamChunks(chunks, options))).toEqual(result);
  }
  return result;
}

/** Splits a text not at all, at every code unit, which halves surrogate pairs, and at random positions. */
function toChunkings(text: string, { chunkings = 'all' }: Pick<ReadTextOptions, 'chunkings'>): string[][] {
  const others = [
    () => [text],
    ...[3, 9, 40].map((longest, seed) => () => toRandomChunks(text, longest, seed + 1)),
  ];
  const other = others.slice(text.length % 4).slice(0, 1);
  if (isWhole && chunkings === 'all') return [() => text.split(''), ...others].map(split => split());
  const few = [() => text.split(''), ...other];
  return (isWhole || chunkings === 'all' ? few : few.slice(text.length % 2).slice(0, 1)).map(split =>
    split(),
  );
}

function toRandomChunks(text: string, longest: number, seed: number): string[] {
  const random = createRandom(seed);
  const chunks: string[] = [];
  for (let position = 0; position < text.length;) {
    const length = 1 + Math.floor(random() * longest);
    chunks.push(text.slice(position, position + length));
    position += length;
  }
  return chunks;
}

function fromParts(parts: readonly LanguageModelV2StreamPart[]): ReadResult {
  const content: ReadPart[] = [];
  const inputs = new Map<string, string>();
  let finishReason: LanguageModelV2FinishReason = 'unknown';
  let block = '';
  for (const part of parts) {
    if (part.type === 'text-start' || part.type === 'reasoning-start') block = '';
    else if (part.type === 'text-delta' || part.type === 'reasoning-delta') block += part.delta;
    else if (part.type === 'text-end') content.push({ text: block });
    else if (part.type === 'reasoning-end') content.push({ reasoning: block });
    else if (part.type === 'tool-input-delta')
      inputs.set(part.id, `${inputs.get(part.id) ?? ''}${part.delta}`);
    else if (part.type === 'finish') ({ finishReason } = part);
    else if (part.type === 'tool-call') {
      expect(inputs.get(part.toolCallId)).toBe(part.input);
      content.push(toReadCall(part));
    }
  }
  return { content, finishReason };
}

const fromContent = (content: readonly LanguageModelV2Content[]): ReadPart[] =>
  content.flatMap((part): ReadPart[] => {
    if (part.type === 'text') return [{ text: part.text }];
    if (part.type === 'reasoning') return [{ reasoning: part.text }];
    return part.type === 'tool-call' ? [toReadCall(part)] : [];
  });

/** Returns a call. The input of a truncated call is no JSON. */
function toReadCall({ toolName, input }: { toolName: string; input: string }): ReadPart {
  try {
    return { call: toolName, input: JSON.parse(input) };
  } catch {
    return { call: toolName, truncated: input };
  }
}

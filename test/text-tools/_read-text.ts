import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2FinishReason,
  LanguageModelV2Middleware,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { expect } from 'vitest';
import { wrapModel } from '../../src/adapters/middleware.js';
import { createRandom } from '../_chunking.js';
import { checkParts } from '../_parts.js';
import { finish, generate, scriptedModel, start, stream } from '../tool-loop/_scripted-model.js';

/** What a text says, piece by piece. */
export type Said = { text: string } | { reasoning: string } | { call: string; input: unknown };

export interface Heard {
  readonly said: Said[];
  readonly finishReason: LanguageModelV2FinishReason;
}

type Properties = Record<string, unknown>;

export interface SayOptions {
  readonly middleware: LanguageModelV2Middleware;
  /** The declared tools: their names, and the schemas of their properties. */
  readonly tools?: Readonly<Record<string, Properties>>;
  readonly toolChoice?: LanguageModelV2CallOptions['toolChoice'];
  readonly finishReason?: LanguageModelV2FinishReason;
}

const toRequest = ({ tools = {}, toolChoice }: SayOptions): Partial<LanguageModelV2CallOptions> => ({
  tools: Object.entries(tools).map(([name, properties]) => ({
    type: 'function',
    name,
    inputSchema: { type: 'object', properties } as object,
  })),
  ...(toolChoice && { toolChoice }),
});

/** The parts that a model's text becomes when it streams in these pieces. */
export async function streamPieces(
  pieces: readonly string[],
  options: SayOptions,
): Promise<LanguageModelV2StreamPart[]> {
  const answer: LanguageModelV2StreamPart[] = [
    start,
    { type: 'text-start', id: 't' },
    ...pieces.map(delta => ({ type: 'text-delta', id: 't', delta }) as const),
    { type: 'text-end', id: 't' },
    finish(options.finishReason),
  ];
  const parts = await stream(wrapModel(scriptedModel(answer), [options.middleware]), toRequest(options));
  checkParts(parts);
  return parts;
}

/** What a model's text says. It must say the same whole and streamed, whatever the pieces. */
export async function say(text: string, options: SayOptions): Promise<Heard> {
  const answer = [start, ...toPieces(text, text.length), finish(options.finishReason)];
  const model = wrapModel(scriptedModel(answer), [options.middleware]);
  const { content, finishReason } = await generate(model, toRequest(options));
  const heard = { said: toSaid(content), finishReason };
  for (const pieces of toChunkings(text)) {
    expect(hear(await streamPieces(pieces, options))).toEqual(heard);
  }
  return heard;
}

const toPieces = (text: string, length: number): LanguageModelV2StreamPart[] => [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: text.slice(0, length) },
  { type: 'text-end', id: 't' },
];

/** Whole, unit by unit, which splits characters that take two, and at random places. */
function toChunkings(text: string): string[][] {
  const chunkings = [[text], text.split('')];
  for (const [seed, longest] of [
    [1, 3],
    [2, 9],
    [3, 40],
  ] as const) {
    const random = createRandom(seed);
    const pieces: string[] = [];
    for (let at = 0; at < text.length;) {
      const length = 1 + Math.floor(random() * longest);
      pieces.push(text.slice(at, at + length));
      at += length;
    }
    chunkings.push(pieces);
  }
  return chunkings;
}

function hear(parts: readonly LanguageModelV2StreamPart[]): Heard {
  const said: Said[] = [];
  const inputs = new Map<string, string>();
  let finishReason: LanguageModelV2FinishReason = 'unknown';
  let block = '';
  for (const part of parts) {
    if (part.type === 'text-start' || part.type === 'reasoning-start') block = '';
    else if (part.type === 'text-delta' || part.type === 'reasoning-delta') block += part.delta;
    else if (part.type === 'text-end') said.push({ text: block });
    else if (part.type === 'reasoning-end') said.push({ reasoning: block });
    else if (part.type === 'tool-input-delta')
      inputs.set(part.id, `${inputs.get(part.id) ?? ''}${part.delta}`);
    else if (part.type === 'finish') ({ finishReason } = part);
    else if (part.type === 'tool-call') {
      expect(inputs.get(part.toolCallId)).toBe(part.input);
      said.push({ call: part.toolName, input: JSON.parse(part.input) });
    }
  }
  return { said, finishReason };
}

const toSaid = (content: readonly LanguageModelV2Content[]): Said[] =>
  content.flatMap((part): Said[] => {
    if (part.type === 'text') return [{ text: part.text }];
    if (part.type === 'reasoning') return [{ reasoning: part.text }];
    return part.type === 'tool-call' ? [{ call: part.toolName, input: JSON.parse(part.input) }] : [];
  });

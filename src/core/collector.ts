import {
  type Content,
  type Finish,
  type Part,
  type PartOf,
  type Reasoning,
  type ResponseMetadata,
  type Text,
  type Warning,
} from './part.js';
import { NO_FINISH } from './finish.js';

/** The result of a response. */
export interface CollectedParts extends Omit<Finish, 'type'> {
  readonly content: Content[];
  readonly warnings: Warning[];
  readonly response?: ResponseMetadata;
}

/** Collects the parts of a response into the result of a call that is not streamed. */
export interface PartCollector {
  add(part: Part): void;
  /** Returns the result. @throws the error of the first `error` part. */
  result(): CollectedParts;
}

export function createPartCollector(): PartCollector {
  const content: Content[] = [];
  const open = { text: new Map<string, OpenBlock>(), reasoning: new Map<string, OpenBlock>() };
  let warnings: Warning[] = [];
  let response: ResponseMetadata | undefined;
  let finish: Finish | undefined;
  let failure: { error: unknown } | undefined;

  return {
    add(part) {
      switch (part.type) {
        case 'stream-start':
          warnings = [...warnings, ...part.warnings];
          break;
        case 'response-metadata': {
          const { type, ...metadata } = part;
          response = { ...response, ...metadata };
          break;
        }
        case 'text-start':
          begin('text', part);
          break;
        case 'reasoning-start':
          begin('reasoning', part);
          break;
        case 'text-delta':
          open.text.get(part.id)?.text.append(part.delta);
          break;
        case 'reasoning-delta':
          open.reasoning.get(part.id)?.text.append(part.delta);
          break;
        case 'text-end':
          end('text', part);
          break;
        case 'reasoning-end':
          end('reasoning', part);
          break;
        case 'finish':
          finish = part;
          break;
        case 'error':
          failure ??= { error: part.error };
          break;
        // Tool input is repeated by its tool call; `raw` parts exist in streams only.
        case 'tool-input-start':
        case 'tool-input-delta':
        case 'tool-input-end':
        case 'raw':
          break;
        default:
          content.push(part);
      }
    },

    result() {
      if (failure !== undefined) throw failure.error;
      for (const { block, text } of [...open.text.values(), ...open.reasoning.values()])
        block.text = text.toString();
      const { type, ...end } = finish ?? NO_FINISH;
      return { content, ...end, warnings, ...(response !== undefined && { response }) };
    },
  };

  function begin(type: Block['type'], part: BlockPart): void {
    const block: Block = { type, text: '', ...factsOf(part) };
    content.push(block);
    open[type].set(part.id, { block, text: new TextBuffer() });
  }

  function end(type: Block['type'], part: BlockPart): void {
    const ended = open[type].get(part.id);
    if (ended !== undefined) {
      const citations = 'citations' in part && part.citations !== undefined && { citations: part.citations };
      Object.assign(ended.block, { text: ended.text.toString(), ...factsOf(part), ...citations });
    }
    open[type].delete(part.id);
  }
}

type Block = { -readonly [Name in keyof (Text | Reasoning)]: (Text | Reasoning)[Name] };
type BlockPart = PartOf<`${Block['type']}-${'start' | 'end'}`>;

interface OpenBlock {
  readonly block: Block;
  readonly text: TextBuffer;
}

/** Returns the facts of a part that are defined. */
export const factsOf = <Own>({
  providerMetadata,
  own,
}: {
  readonly providerMetadata?: Finish['providerMetadata'];
  readonly own?: Own | undefined;
}) => ({
  ...(providerMetadata !== undefined && { providerMetadata }),
  ...(own !== undefined && { own }),
});

/** Converts a complete response to the parts of an equivalent stream. */
export function* contentToParts(content: readonly Content[]): Generator<Part> {
  for (const [index, part] of content.entries()) {
    switch (part.type) {
      case 'text':
      case 'reasoning': {
        const id = `${part.type}-${index}`;
        const facts = factsOf(part);
        yield { type: `${part.type}-start`, id, ...facts };
        yield { type: `${part.type}-delta`, id, delta: part.text };
        yield {
          type: `${part.type}-end`,
          id,
          ...facts,
          ...('citations' in part && part.citations !== undefined && { citations: part.citations }),
        };
        break;
      }
      default:
        yield part;
    }
  }
}

/** Number of chunks that are joined at once. */
const BATCH_SIZE = 512;

/**
 * A text that arrives in many small chunks, of which it joins many at a time. A string that grows by `+=` keeps every chunk
 * until it is read, which takes ten times the memory of its characters.
 */
export class TextBuffer {
  length = 0;
  #text = '';
  #chunks: string[] = [];

  append(chunk: string): void {
    this.length += chunk.length;
    if (this.#chunks.push(chunk) >= BATCH_SIZE) this.toString();
  }

  /** Returns the complete text so far. Slow if it is called for every chunk. */
  toString(): string {
    if (this.#chunks.length > 0) this.#text += this.#chunks.join('');
    this.#chunks = [];
    return this.#text;
  }
}

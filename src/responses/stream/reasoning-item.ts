import type { SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { subAgentOf } from '../../parts/commentary.js';
import { createTextBuffer, type TextBuffer } from '../../parts/text-buffer.js';
import type { OutputItem, PartWriter } from './output-item.js';
import { idOf, objectsOf, stringOf, type PlainObject } from '../../shared/json.js';

/** The kind of reasoning text: a summary of several parts, or the full text that open models send. */
export type ReasoningChannel = 'summary' | 'text';

/** A block of the stream. */
interface Block {
  readonly id: string;
  readonly text: TextBuffer;
}

/** Reasoning of the model: one block for each summary part, or one block of full text. */
export interface ReasoningItem extends OutputItem {
  readonly kind: 'reasoning';
  /** Begins a summary part. Optional: Ollama sends deltas only. */
  openPart(index: number): void;
  writeDelta(channel: ReasoningChannel, index: number, delta: string): void;
  /** Adds the text of a complete part that its deltas did not contain. */
  completePart(channel: ReasoningChannel, index: number, text: string): void;
}

/**
 * Writes the reasoning blocks of an item. Only the encrypted content of the *finished* item can be replayed; the one in
 * `output_item.added` differs from it. Therefore only the last `reasoning-end` contains it, and a truncated response has
 * none.
 */
export function createReasoningItem(id: string, { write, announced }: PartWriter): ReasoningItem {
  const itemId = idOf(announced?.id);
  const agent = subAgentOf(announced);
  const marks: SharedV2ProviderMetadata = agent === undefined ? {} : { kelivo: { agent } };
  /** The streamed channel, which is the first with text. The other one is added at the end if its text differs. */
  let channel: ReasoningChannel | undefined;
  let otherText = '';
  /** Blocks by the wire's index of their part. Only the newest is open. */
  const blocks = new Map<number, Block>();
  let open: Block | undefined;
  /** The block of the channel that was not streamed. */
  let otherBlock: Block | undefined;

  openBlock(0);

  const item: ReasoningItem = {
    kind: 'reasoning',
    closed: false,

    openPart: index => {
      if (channel !== 'text') blockAt(index);
    },

    writeDelta(from, index, delta) {
      channel ??= from;
      if (from === channel) append(blockAt(toBlockIndex(from, index)), delta);
      else otherText += delta;
    },

    completePart(from, index, text) {
      channel ??= from;
      if (from !== channel) {
        otherText = text.startsWith(otherText) ? text : otherText;
        return;
      }
      complete(blockAt(toBlockIndex(from, index)), text);
    },

    isSameAs: wire => {
      const streamed = streamedText();
      const texts = [toSummary(wire).join(''), toFullText(wire)];
      return (
        streamed === '' ||
        texts.join('') === '' ||
        texts.some(text => text !== '' && text.startsWith(streamed))
      );
    },

    finish(wire) {
      item.closed = true;
      const summary = wire === undefined ? [] : toSummary(wire);
      const fullText = wire === undefined ? '' : toFullText(wire);
      // As in a stream, where a summary follows the full text.
      channel ??= fullText === '' ? 'summary' : 'text';

      if (channel === 'text') complete(blockAt(0), fullText);
      else for (const [index, text] of summary.entries()) complete(blockAt(index), text);

      const other = (channel === 'summary' ? fullText : summary.join('\n\n')) || otherText;
      if (other.trim() !== '' && !isStreamed(other)) {
        otherBlock = openBlock(blocks.size);
        append(otherBlock, other);
      }

      closeBlock({
        ...metadata(wire),
        // llama.cpp sends an empty string instead of nothing.
        reasoningEncryptedContent: idOf(wire?.encrypted_content) ?? null,
      });
    },
  };
  return item;

  function blockAt(index: number) {
    return blocks.get(index) ?? openBlock(index);
  }

  function openBlock(index: number) {
    // The empty block that `added` opened becomes the first part, regardless of its index.
    if (open !== undefined && open.text.length === 0 && blocks.size === 1) {
      blocks.clear();
      blocks.set(index, open);
      return open;
    }
    closeBlock(metadata());
    open = { id: `${id}:${blocks.size}`, text: createTextBuffer() };
    blocks.set(index, open);
    write({
      type: 'reasoning-start',
      id: open.id,
      providerMetadata: { openai: { ...metadata(), reasoningEncryptedContent: null }, ...marks },
    });
    return open;
  }

  function closeBlock(openai: Record<string, string | null>): void {
    if (open === undefined) return;
    const isText = open.text.length > 0 && (channel === 'text') !== (open === otherBlock);
    // The next request sends full text in another field than a summary.
    const kelivo = { ...marks.kelivo, ...(isText && { reasoningChannel: 'text' }) };
    write({
      type: 'reasoning-end',
      id: open.id,
      providerMetadata: { openai, ...(Object.keys(kelivo).length > 0 && { kelivo }) },
    });
    open = undefined;
  }

  function append(block: Block, delta: string): void {
    // An earlier part is already closed in the stream: its late deltas are lost.
    if (delta === '' || block !== open) return;
    block.text.append(delta);
    write({ type: 'reasoning-delta', id: block.id, delta });
  }

  function complete(block: Block, text: string): void {
    if (text.startsWith(block.text.toString())) append(block, text.slice(block.text.length));
  }

  function isStreamed(text: string): boolean {
    const plain = (value: string) => value.replace(/\s+/g, ' ').trim();
    return plain(text) === plain([...blocks.values()].map(block => block.text.toString()).join('\n'));
  }

  function streamedText(): string {
    return [...blocks.values()].map(block => block.text.toString()).join('');
  }

  function metadata(wire?: PlainObject): { itemId?: string } {
    const finalId = itemId ?? idOf(wire?.id);
    return finalId === undefined ? {} : { itemId: finalId };
  }
}

/** Full text is one block, because vLLM increments `content_index` with every delta. */
const toBlockIndex = (channel: ReasoningChannel, index: number): number => (channel === 'text' ? 0 : index);

const toSummary = (wire: PlainObject): string[] => objectsOf(wire.summary).map(part => stringOf(part.text));

const toFullText = (wire: PlainObject): string =>
  objectsOf(wire.content)
    .map(part => stringOf(part.text))
    .join('');

import { createTextBuffer, type TextBuffer } from '../../parts/text-buffer.js';
import type { OutputItem, PartWriter } from './output-item.js';
import { idOf, objectsOf, stringOf, type PlainObject } from '../../shared/json.js';

/** Where reasoning is told: in a summary of several parts, or as the full text that open models send. */
export type ReasoningChannel = 'summary' | 'text';

/** A block of the stream. */
interface Block {
  readonly id: string;
  readonly text: TextBuffer;
}

/** Reasoning of the model: one block a summary part, or one block of full text. */
export interface ReasoningItem extends OutputItem {
  readonly kind: 'reasoning';
  /** Moves on to a summary part. Optional: Ollama sends deltas alone. */
  openPart(index: number): void;
  writeDelta(channel: ReasoningChannel, index: number, delta: string): void;
  /** A part's whole text: adds what its deltas left out. */
  completePart(channel: ReasoningChannel, index: number, text: string): void;
}

/**
 * Writes the reasoning block that carries the item's encrypted content, which belongs to the *finished* item
 * alone: what `output_item.added` brings differs from it and cannot be replayed. So only the last `reasoning-end`
 * has it, and a history that was cut off has none.
 */
export function createReasoningItem(id: string, { write, announced }: PartWriter): ReasoningItem {
  const itemId = idOf(announced?.id);
  /** The channel that is streamed: the first that spoke. The other is told at the end, if it says something else. */
  let channel: ReasoningChannel | undefined;
  let otherText = '';
  /** Blocks by the wire's index of their part. Only the newest is open. */
  const blocks = new Map<number, Block>();
  let open: Block | undefined;

  openBlock(0);

  const item: ReasoningItem = {
    kind: 'reasoning',
    closed: false,

    openPart: index => {
      if (channel !== 'text') blockAt(index);
    },

    writeDelta(from, index, delta) {
      channel ??= from;
      if (from === channel) say(blockAt(toBlockIndex(from, index)), delta);
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
      const said = saidText();
      const texts = [toSummary(wire).join(''), toFullText(wire)];
      return said === '' || texts.join('') === '' || texts.some(text => text !== '' && text.startsWith(said));
    },

    finish(wire) {
      item.closed = true;
      const summary = wire === undefined ? [] : toSummary(wire);
      const fullText = wire === undefined ? '' : toFullText(wire);
      // As in a stream, where a summary can only follow what it sums up.
      channel ??= fullText === '' ? 'summary' : 'text';

      if (channel === 'text') complete(blockAt(0), fullText);
      else for (const [index, text] of summary.entries()) complete(blockAt(index), text);

      const other = (channel === 'summary' ? fullText : summary.join('\n\n')) || otherText;
      if (other.trim() !== '' && !isSaid(other)) say(openBlock(blocks.size), other);

      closeBlock({
        ...metadata(wire),
        // An empty string is what llama.cpp sends for "none".
        reasoningEncryptedContent: idOf(wire?.encrypted_content) ?? null,
      });
    },
  };
  return item;

  function blockAt(index: number) {
    return blocks.get(index) ?? openBlock(index);
  }

  function openBlock(index: number) {
    // The block that `added` opened has nothing yet: it becomes the part that comes first, whatever its index.
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
      providerMetadata: { openai: { ...metadata(), reasoningEncryptedContent: null } },
    });
    return open;
  }

  function closeBlock(openai: Record<string, string | null>): void {
    if (open === undefined) return;
    write({ type: 'reasoning-end', id: open.id, providerMetadata: { openai } });
    open = undefined;
  }

  function say(block: Block, delta: string): void {
    // A part that was left behind is closed for the host: its latecomers are lost to the stream.
    if (delta === '' || block !== open) return;
    block.text.append(delta);
    write({ type: 'reasoning-delta', id: block.id, delta });
  }

  function complete(block: Block, text: string): void {
    if (text.startsWith(block.text.toString())) say(block, text.slice(block.text.length));
  }

  function isSaid(text: string): boolean {
    const plain = (value: string) => value.replace(/\s+/g, ' ').trim();
    return plain(text) === plain([...blocks.values()].map(block => block.text.toString()).join('\n'));
  }

  function saidText(): string {
    return [...blocks.values()].map(block => block.text.toString()).join('');
  }

  function metadata(wire?: PlainObject): { itemId?: string } {
    const finalId = itemId ?? idOf(wire?.id);
    return finalId === undefined ? {} : { itemId: finalId };
  }
}

/** Full text is one block: the `content_index` of vLLM grows with every delta. */
const toBlockIndex = (channel: ReasoningChannel, index: number): number => (channel === 'text' ? 0 : index);

const toSummary = (wire: PlainObject): string[] => objectsOf(wire.summary).map(part => stringOf(part.text));

const toFullText = (wire: PlainObject): string =>
  objectsOf(wire.content)
    .map(part => stringOf(part.text))
    .join('');

import { subAgentOf } from '../../core/custom.js';
import type { PartFacts } from '../../core/prompt.js';
import { TextBuffer } from '../../core/collector.js';
import type { OutputItem, PartWriter } from './output-item.js';
import { idOf, objectsOf, stringOf, type PlainObject } from '../../core/shared/json.js';

/** The kind of reasoning text: a summary of several parts, or the full text that open models send. */
export type ReasoningChannel = 'summary' | 'text';

/** Reasoning of the model: one block for each summary part, or one block of full text. */
export interface ReasoningItem extends OutputItem {
  /** Begins a summary part. Optional: Ollama sends deltas only. */
  openPart(index: number): void;
  writeDelta(channel: ReasoningChannel, index: number, delta: string): void;
  /** Adds the text of a complete part that its deltas did not contain. */
  completePart(channel: ReasoningChannel, index: number, text: string): void;
  /** Ends the block when another item begins: some servers finish all items at the end (llama.cpp). */
  settle(): void;
}

/**
 * Writes the reasoning blocks of an item. Only the encrypted content of the *finished* item can be replayed; the one in
 * `output_item.added` differs from it. Therefore only the last `reasoning-end` contains it, and a truncated response has
 * none.
 */
export function createReasoningItem(id: string, writer: PartWriter): ReasoningItem {
  /** The streamed channel, which is the first with text. The other one is added at the end if its text differs. */
  let channel: ReasoningChannel | undefined;
  let otherText = '';
  const blocks = createBlocks(id, writer);

  const item: ReasoningItem = {
    closed: false,

    openPart: index => {
      if (channel !== 'text') blocks.at(index);
    },

    writeDelta(from, index, delta) {
      channel ??= from;
      if (from === channel) blocks.append(from, index, delta);
      else otherText += delta;
    },

    completePart(from, index, text) {
      channel ??= from;
      if (from === channel) blocks.complete(from, index, text);
      else if (text.startsWith(otherText)) otherText = text;
    },

    settle() {
      // Encrypted content belongs to the end of the block.
      if (channel === 'text' && idOf(writer.announced?.encrypted_content) === undefined) blocks.settle();
    },

    isSameAs: wire => {
      const streamed = blocks.texts().join('');
      const texts = [toSummary(wire).join(''), toFullText(wire)];
      return (
        streamed === '' ||
        texts.join('') === '' ||
        texts.some(text => text !== '' && text.startsWith(streamed))
      );
    },

    finish(wire, { failed = false } = {}) {
      item.closed = true;
      const summary = wire === undefined ? [] : toSummary(wire);
      const fullText = wire === undefined ? '' : toFullText(wire);
      // As in a stream, where a summary follows the full text.
      channel ??= fullText === '' ? 'summary' : 'text';

      if (channel === 'text') blocks.complete(channel, 0, fullText);
      else for (const [index, text] of summary.entries()) blocks.complete(channel, index, text);

      const other = (channel === 'summary' ? fullText : summary.join('\n\n')) || otherText;
      if (other.trim() !== '' && toPlain(other) !== toPlain(blocks.texts().join('\n')))
        blocks.add(channel === 'summary' ? 'text' : 'summary', other);
      blocks.end(wire, failed);
    },
  };
  return item;
}

interface Block {
  readonly id: string;
  readonly text: TextBuffer;
  /** Undefined for an empty block. */
  channel: ReasoningChannel | undefined;
}

/** Writes the blocks of one item, of which only the newest is open. The first one begins at once. */
function createBlocks(id: string, writer: PartWriter) {
  const itemId = idOf(writer.announced?.id);
  const agent = subAgentOf(writer.announced);
  const facts: PartFacts = agent === undefined ? {} : { agent };
  /** Blocks by the wire's index of their part. */
  const blocks = new Map<number, Block>();
  let open: Block | undefined;

  begin(0);

  return {
    at,

    texts: (): string[] => [...blocks.values()].map(block => block.text.toString()),

    append(channel: ReasoningChannel, index: number, delta: string): void {
      writeDelta(blockOf(channel, index), channel, delta);
    },

    /** Adds the end of a complete text. */
    complete(channel: ReasoningChannel, index: number, text: string): void {
      const streamed = channel === 'text' ? joined() : at(index).text.toString();
      const rest = text.startsWith(streamed) ? text.slice(streamed.length) : '';
      if (rest !== '') writeDelta(blockOf(channel, index), channel, rest);
    },

    add(channel: ReasoningChannel, text: string): void {
      writeDelta(begin(blocks.size), channel, text);
    },

    /** Closes the block if its text has begun, and if the next request can name its item. */
    settle(): void {
      if (open !== undefined && open.text.length > 0 && itemId !== undefined)
        close({ itemId, reasoningEncryptedContent: null });
    },

    /** Closes the last block. */
    end(wire: PlainObject | undefined, failed: boolean): void {
      // Encrypted content that arrives late gets a block of its own.
      if (open === undefined && idOf(wire?.encrypted_content) !== undefined) begin(blocks.size);
      close(
        {
          ...toMetadata(wire),
          // llama.cpp sends an empty string instead of nothing.
          reasoningEncryptedContent: idOf(wire?.encrypted_content) ?? null,
        },
        failed,
      );
    },
  };

  /** Full text is one block, because vLLM increments `content_index` with every delta. Another one follows a settled block. */
  function blockOf(channel: ReasoningChannel, index: number): Block {
    return channel === 'text' ? (open ?? begin(blocks.size)) : at(index);
  }

  function joined(): string {
    return [...blocks.values()].map(block => block.text.toString()).join('');
  }

  function at(index: number): Block {
    return blocks.get(index) ?? begin(index);
  }

  function begin(index: number): Block {
    // The empty block that `added` opened becomes the first part, regardless of its index.
    if (open !== undefined && open.text.length === 0 && blocks.size === 1) {
      blocks.clear();
      blocks.set(index, open);
      return open;
    }
    close(toMetadata());
    open = { id: `${id}:${blocks.size}`, text: new TextBuffer(), channel: undefined };
    blocks.set(index, open);
    writer.write({
      type: 'reasoning-start',
      id: open.id,
      providerMetadata: { openai: { ...toMetadata(), reasoningEncryptedContent: null } },
      ...(agent !== undefined && { own: facts }),
    });
    return open;
  }

  function writeDelta(block: Block, channel: ReasoningChannel, delta: string): void {
    // An earlier part is already closed in the stream: its late deltas are lost.
    if (delta === '' || block !== open) return;
    block.channel = channel;
    block.text.append(delta);
    writer.write({ type: 'reasoning-delta', id: block.id, delta });
  }

  function close(openai: Record<string, string | null>, broken = false): void {
    if (open === undefined) return;
    // The next request sends full text in another field than a summary.
    const own: PartFacts = {
      ...facts,
      ...(open.channel === 'text' && { reasoningChannel: 'text' }),
      ...(broken && { broken }),
    };
    writer.write({
      type: 'reasoning-end',
      id: open.id,
      providerMetadata: { openai },
      ...(Object.keys(own).length > 0 && { own }),
    });
    open = undefined;
  }

  function toMetadata(wire?: PlainObject): { itemId?: string } {
    const finalId = itemId ?? idOf(wire?.id);
    return finalId === undefined ? {} : { itemId: finalId };
  }
}

/** Returns text without differences in white space. */
const toPlain = (text: string): string => text.replace(/\s+/g, ' ').trim();

const toSummary = (wire: PlainObject): string[] => objectsOf(wire.summary).map(part => stringOf(part.text));

/** Returns the text of the content, which is a list, or a string (SGLang's gateway). */
const toFullText = (item: PlainObject): string =>
  typeof item.content === 'string'
    ? item.content
    : objectsOf(item.content)
        .map(part => stringOf(part.text))
        .join('');

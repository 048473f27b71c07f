import type { LanguageModelV2Source, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { subAgentOf, withCommentary } from '../../parts/commentary.js';
import { toCitedSource } from '../../parts/sources.js';
import { createTextBuffer } from '../../parts/text-buffer.js';
import { beginsLikeJson, type JsonAnswer } from './json-answer.js';
import type { OutputItem, PartWriter } from './output-item.js';
import { asJson, idOf, isNonEmptyArray, objectsOf, stringOf, type PlainObject } from '../../shared/json.js';

/**
 * A message of the model: one block with the sources that its annotations cite. A message that does not belong to the
 * answer is a reasoning block, because hosts join all text blocks.
 */
export interface MessageItem extends OutputItem {
  readonly kind: 'message';
  writeText(delta: string): void;
  /** Adds the text of a complete content part that its deltas did not contain. */
  completeText(text: string): void;
  writeRefusal(delta: string): void;
  completeRefusal(text: string): void;
  annotate(annotation: PlainObject): void;
}

export interface MessageWriter extends PartWriter {
  /** Called with the log probabilities of a message that was not streamed. */
  readonly onLogprobs: (logprobs: unknown[]) => void;
  /** Called if the model refuses to answer. */
  readonly onRefusal: () => void;
  /** Set if the host requested JSON. */
  readonly jsonAnswer: JsonAnswer | undefined;
  /** Called with the source of each citation. */
  readonly onCitation: (source: LanguageModelV2Source) => void;
}

export function createMessageItem(
  id: string,
  { write, announced, onLogprobs, onRefusal, onCitation, jsonAnswer }: MessageWriter,
): MessageItem {
  const itemId = idOf(announced?.id);
  let phase = idOf(announced?.phase);
  const agent = subAgentOf(announced);
  let isRefusal = false;
  /** The kind of the block. Undefined while it is unknown, and the text is held back. */
  let block: 'text' | 'reasoning' | undefined;
  let finalId = itemId;
  /** The text so far, including refusals. */
  const written = createTextBuffer();
  /** The first character that is not white space. */
  let beginning = '';
  /** The offset of the first unfinished content part in the text. */
  let partStart = 0;
  const cited = createCitations();
  const annotations: PlainObject[] = [];

  const item: MessageItem = {
    kind: 'message',
    closed: false,

    writeText: append,
    writeRefusal: delta => refuse(delta, append),
    completeText: completePart,
    completeRefusal: text => refuse(text, completePart),

    annotate(annotation) {
      annotations.push(annotation);
      if (cited.isNew('event', annotation)) cite(annotation);
    },

    isSameAs: wire => {
      const text = toText(wire);
      const streamed = written.toString();
      return text === '' || streamed === '' || text.startsWith(streamed) || streamed.startsWith(text);
    },

    finish(wire) {
      const final = wire === undefined ? '' : toText(wire);
      const streamed = written.toString();
      if (streamed === '') {
        for (const part of objectsOf(wire?.content))
          if (isNonEmptyArray(part.logprobs)) onLogprobs(part.logprobs);
      }
      for (const part of objectsOf(wire?.content))
        if (part.type === 'refusal') refuse(stringOf(part.refusal), () => {});
      phase = idOf(wire?.phase) ?? phase;
      finalId ??= idOf(wire?.id);
      const finalBlock = toBlock();
      if (block === undefined && finalBlock !== undefined) begin(finalBlock);
      // Streamed text cannot be revoked: a final text that differs adds nothing.
      if (final.startsWith(streamed)) append(final.slice(streamed.length));
      const listed = objectsOf(wire?.content).flatMap(part => objectsOf(part.annotations));
      for (const annotation of listed) if (cited.isNew('item', annotation)) cite(annotation);
      if (listed.length > annotations.length) annotations.splice(0, annotations.length, ...listed);
      if (isRefusal && agent === undefined && phase !== 'commentary') onRefusal();
      item.closed = true;
      if (block !== undefined) end();
    },
  };
  const known = toBlock();
  if (known === undefined) jsonAnswer?.hold(begin);
  else begin(known);
  return item;

  /** Returns the kind of the block if it can be determined now. */
  function toBlock(): 'text' | 'reasoning' | undefined {
    if (agent !== undefined) return 'reasoning';
    if (jsonAnswer === undefined || isRefusal) return 'text';
    if (phase === 'commentary') return 'reasoning';
    if (phase === 'final_answer') return 'text';
    // A message of a new phase may be the answer or not, like one without a phase.
    return beginsLikeJson(beginning) ? 'text' : undefined;
  }

  /** Begins the block with the text so far, unless it has begun. */
  function begin(kind: 'text' | 'reasoning'): void {
    if (block !== undefined) return;
    block = kind;
    write({ type: `${kind}-start`, id, providerMetadata: metadata() });
    if (written.length > 0) writeDelta(written.toString());
    if (item.closed) end();
  }

  function end(): void {
    if (block !== undefined) write({ type: `${block}-end`, id, providerMetadata: metadata() });
  }

  function append(delta: string): void {
    if (delta === '') return;
    written.append(delta);
    if (beginning === '') beginning = /\S/.exec(delta)?.[0] ?? '';
    if (block !== undefined) return writeDelta(delta);
    const kind = toBlock();
    if (kind !== undefined) begin(kind);
  }

  function writeDelta(delta: string): void {
    if (block === 'text') jsonAnswer?.begin();
    write({ type: block === 'reasoning' ? 'reasoning-delta' : 'text-delta', id, delta });
  }

  function refuse(text: string, add: (text: string) => void): void {
    if (text !== '') isRefusal = true;
    add(text);
  }

  /** Servers may finish a part late, when the next one has begun, or twice. Text must not be written again. */
  function completePart(text: string): void {
    const streamed = written.toString();
    const part = streamed.slice(partStart);
    if (part.startsWith(text)) {
      partStart += text.length;
    } else if (part === '' ? !streamed.endsWith(text) : text.startsWith(part)) {
      append(text.slice(part.length));
      partStart += text.length;
    }
  }

  function cite(annotation: PlainObject): void {
    const source = toCitedSource(annotation, `${id}:source-${cited.count}`);
    if (source === undefined) return;
    onCitation(source);
    write(source);
  }

  function metadata(): SharedV2ProviderMetadata {
    const commentary = withCommentary({ id: finalId, phase, agent });
    const openai = {
      ...commentary.openai,
      ...(item.closed && annotations.length > 0 && { annotations: asJson(annotations) }),
    };
    return block === 'reasoning' ? { ...commentary, openai } : { openai };
  }
}

/** Returns the text of a finished message, in the order of its parts. */
const toText = (wire: PlainObject): string =>
  typeof wire.content === 'string'
    ? wire.content
    : objectsOf(wire.content)
        .map(part => (part.type === 'refusal' ? stringOf(part.refusal) : stringOf(part.text)))
        .join('');

/**
 * Recognizes citations that were already emitted. The same citation comes as an event and again in the finished item, with other
 * offsets on some servers; a page cited twice is two citations.
 */
function createCitations() {
  const seen = { event: new Map<string, number>(), item: new Map<string, number>() };
  const cited = new Map<string, number>();
  return {
    count: 0,
    isNew(origin: keyof typeof seen, annotation: PlainObject): boolean {
      const key = `${stringOf(annotation.type)} ${stringOf(annotation.url)} ${stringOf(annotation.file_id)}`;
      const times = (seen[origin].get(key) ?? 0) + 1;
      seen[origin].set(key, times);
      if (times <= (cited.get(key) ?? 0)) return false;
      cited.set(key, times);
      this.count++;
      return true;
    },
  };
}

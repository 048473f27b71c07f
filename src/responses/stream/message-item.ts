import type { LanguageModelV2Source } from '@ai-sdk/provider';
import { createTextBuffer } from '../../parts/text-buffer.js';
import type { OutputItem, PartWriter } from './output-item.js';
import {
  asJson,
  idOf,
  isNonEmptyArray,
  isPlainObject,
  numberOf,
  objectsOf,
  stringOf,
  type PlainObject,
} from '../../shared/json.js';

/** A message of the model: one text block with the sources that its annotations cite. */
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
}

export function createMessageItem(id: string, { write, announced, onLogprobs }: MessageWriter): MessageItem {
  const itemId = idOf(announced?.id);
  let phase = idOf(announced?.phase);
  /** The text so far, including refusals. */
  const written = createTextBuffer();
  /** The offset of the first unfinished content part in the text. */
  let partStart = 0;
  const cited = createCitations();
  const annotations: PlainObject[] = [];

  write({ type: 'text-start', id, providerMetadata: { openai: metadata() } });

  const item: MessageItem = {
    kind: 'message',
    closed: false,

    writeText: append,
    writeRefusal: append,
    completeText: completePart,
    completeRefusal: completePart,

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
      item.closed = true;
      const final = wire === undefined ? '' : toText(wire);
      const streamed = written.toString();
      if (streamed === '') {
        for (const part of objectsOf(wire?.content))
          if (isNonEmptyArray(part.logprobs)) onLogprobs(part.logprobs);
      }
      // Streamed text cannot be revoked: a final text that differs adds nothing.
      if (final.startsWith(streamed)) append(final.slice(streamed.length));
      phase = idOf(wire?.phase) ?? phase;
      const listed = objectsOf(wire?.content).flatMap(part => objectsOf(part.annotations));
      for (const annotation of listed) if (cited.isNew('item', annotation)) cite(annotation);
      const all = listed.length > annotations.length ? listed : annotations;
      write({
        type: 'text-end',
        id,
        providerMetadata: {
          openai: { ...metadata(wire), ...(all.length > 0 && { annotations: asJson(all) }) },
        },
      });
    },
  };
  return item;

  function append(delta: string): void {
    if (delta === '') return;
    written.append(delta);
    write({ type: 'text-delta', id, delta });
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
    const source = toSource(annotation, `${id}:source-${cited.count}`);
    if (source !== undefined) write(source);
  }

  function metadata(wire?: PlainObject) {
    const finalId = itemId ?? idOf(wire?.id);
    return { ...(finalId !== undefined && { itemId: finalId }), ...(phase !== undefined && { phase }) };
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

function toSource(annotation: PlainObject, id: string): LanguageModelV2Source | undefined {
  // Chat-style servers nest the citation in a field named after its type.
  const fields = isPlainObject(annotation.url_citation) ? annotation.url_citation : annotation;
  switch (annotation.type) {
    case 'url_citation': {
      const url = idOf(fields.url);
      return url === undefined
        ? undefined
        : { type: 'source', sourceType: 'url', id, url, title: idOf(fields.title) };
    }
    case 'file_citation':
    case 'container_file_citation':
    case 'file_path': {
      const fileId = idOf(fields.file_id);
      const name = idOf(fields.filename) ?? idOf(fields.quote) ?? fileId;
      if (name === undefined) return undefined;
      const index = numberOf(fields.index);
      const containerId = idOf(fields.container_id);
      return {
        type: 'source',
        sourceType: 'document',
        id,
        mediaType: annotation.type === 'file_citation' ? 'text/plain' : 'application/octet-stream',
        title: name,
        filename: idOf(fields.filename) ?? fileId,
        providerMetadata: {
          openai: {
            type: annotation.type,
            ...(fileId !== undefined && { fileId }),
            ...(containerId !== undefined && { containerId }),
            ...(index !== undefined && { index }),
          },
        },
      };
    }
    default:
      return undefined;
  }
}

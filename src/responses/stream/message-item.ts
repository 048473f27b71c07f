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

/** A message of the model: one text block, with the sources that its annotations cite. */
export interface MessageItem extends OutputItem {
  readonly kind: 'message';
  writeText(delta: string): void;
  /** A part's whole text: adds what its deltas left out. */
  completeText(text: string): void;
  writeRefusal(delta: string): void;
  completeRefusal(text: string): void;
  annotate(annotation: PlainObject): void;
}

export interface MessageWriter extends PartWriter {
  /** Told of the log probabilities of a message that was not streamed. */
  readonly onLogprobs: (logprobs: unknown[]) => void;
}

export function createMessageItem(id: string, { write, announced, onLogprobs }: MessageWriter): MessageItem {
  const itemId = idOf(announced?.id);
  let phase = idOf(announced?.phase);
  /** Everything said so far, refusals included. */
  const spoken = createTextBuffer();
  /** Where the text of the first content part that is not done begins in what was said. */
  let partStart = 0;
  const cited = createCitations();
  const annotations: PlainObject[] = [];

  write({ type: 'text-start', id, providerMetadata: { openai: metadata() } });

  const item: MessageItem = {
    kind: 'message',
    closed: false,

    writeText: say,
    writeRefusal: say,
    completeText: completePart,
    completeRefusal: completePart,

    annotate(annotation) {
      annotations.push(annotation);
      if (cited.isNew('event', annotation)) cite(annotation);
    },

    isSameAs: wire => {
      const text = toSaid(wire);
      const said = spoken.toString();
      return text === '' || said === '' || text.startsWith(said) || said.startsWith(text);
    },

    finish(wire) {
      item.closed = true;
      const final = wire === undefined ? '' : toSaid(wire);
      const said = spoken.toString();
      if (said === '') {
        for (const part of objectsOf(wire?.content))
          if (isNonEmptyArray(part.logprobs)) onLogprobs(part.logprobs);
      }
      // What was streamed cannot be taken back: a final text that differs adds nothing.
      if (final.startsWith(said)) say(final.slice(said.length));
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

  function say(delta: string): void {
    if (delta === '') return;
    spoken.append(delta);
    write({ type: 'text-delta', id, delta });
  }

  /** Servers may declare a part done late, when the next is being written, or twice: nothing may be said again. */
  function completePart(text: string): void {
    const said = spoken.toString();
    const written = said.slice(partStart);
    if (written.startsWith(text)) {
      partStart += text.length;
    } else if (written === '' ? !said.endsWith(text) : text.startsWith(written)) {
      say(text.slice(written.length));
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

/** What a finished message says, in the order of its parts. */
const toSaid = (wire: PlainObject): string =>
  typeof wire.content === 'string'
    ? wire.content
    : objectsOf(wire.content)
        .map(part => (part.type === 'refusal' ? stringOf(part.refusal) : stringOf(part.text)))
        .join('');

/**
 * Knows which citations were seen. The same citation comes as an event and again in the finished item, with other
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

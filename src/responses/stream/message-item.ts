import { subAgentOf, withCommentary } from '../../core/custom.js';
import type { Content, Part, Reasoning, Source, Text } from '../../core/part.js';
import type { PartFacts, ProviderMetadata } from '../../core/prompt.js';
import { toCitations, toCitedSource, toDocumentSource, toUrlSource } from '../../core/sources.js';
import { createTextBuffer } from '../../core/collector.js';
import type { FoundSource } from '../hosted-tools/hosted-tool.js';
import type { OutputItem, PartWriter } from './output-item.js';
import { isSameText, sharedLength, type StreamedText } from './verdict.js';
import {
  asJson,
  idOf,
  isNonEmptyArray,
  isWholeJson,
  objectsOf,
  type PlainObject,
  stringOf,
} from '../../shared/json.js';

/**
 * A message of the model: one block with the sources that its annotations cite. A message that does not belong to the
 * answer is a reasoning block, because hosts join all text blocks.
 */
export interface MessageItem extends OutputItem {
  writeText(delta: string): void;
  /** Adds the text of a complete content part that its deltas did not contain. */
  completeText(text: string): void;
  writeRefusal(delta: string): void;
  completeRefusal(text: string): void;
  annotate(annotation: PlainObject): void;
  /** Returns the text with what the server reported of it. */
  streamed(place: Pick<StreamedText, 'isListed'>): StreamedText;
}

export interface MessageWriter extends PartWriter {
  /** Called with the log probabilities of a message that was not streamed. */
  readonly onLogprobs: (logprobs: unknown[]) => void;
  /** Called if the model refuses to answer. */
  readonly onRefusal: () => void;
  /** Set if the host requested JSON. */
  readonly jsonAnswer: JsonAnswer | undefined;
  /** Returns true if all events so far have arrived in order, so that another final text is a habit of the server. */
  readonly isIntact: () => boolean;
  /** Called with the source of each citation. */
  readonly onCitation: (source: Source) => void;
}

export function createMessageItem(
  id: string,
  { write, announced, onLogprobs, onRefusal, onCitation, jsonAnswer, isIntact }: MessageWriter,
): MessageItem {
  let phase = idOf(announced?.phase);
  const agent = subAgentOf(announced);
  let isRefusal = false;
  /** The kind of the block. Undefined while it is unknown, and the text is held back. */
  let block: BlockKind | undefined;
  let finalId = idOf(announced?.id);
  /** The text so far, including refusals. */
  const written = createTextBuffer();
  let beginning = '';
  /** The offset of the first unfinished content part in the text. */
  let partStart = 0;
  let reported: string | undefined;
  let differsAt: number | undefined;
  let isBroken = false;
  const citations = createCitations(id, { write, onCitation });

  const item: MessageItem = {
    closed: false,

    writeText: append,
    writeRefusal: delta => refuse(delta, append),
    completeText: completePart,
    completeRefusal: text => refuse(text, completePart),
    annotate: citations.add,

    isSameAs: wire => {
      const [text, streamed] = [toText(wire), written.toString()];
      return text.startsWith(streamed) || streamed.startsWith(text);
    },

    confirm(wire) {
      reported = toText(wire) || reported;
    },

    streamed: ({ isListed }) => ({
      ...{ itemId: finalId, shown: written.toString(), final: reported, confirmed: partStart, differsAt },
      isListed: isListed || reported !== undefined,
    }),

    finish(wire, { failed = false } = {}) {
      const final = wire === undefined ? '' : toText(wire);
      const streamed = written.toString();
      const content = objectsOf(wire?.content);
      for (const part of content) {
        if (streamed === '' && isNonEmptyArray(part.logprobs)) onLogprobs(part.logprobs);
        if (part.type === 'refusal') refuse(stringOf(part.refusal), () => {});
      }
      phase = idOf(wire?.phase) ?? phase;
      finalId ??= idOf(wire?.id);
      const finalBlock = toBlock();
      if (finalBlock !== undefined) begin(finalBlock);
      // Streamed text cannot be revoked: a final text that differs adds nothing, and the verdict reports it.
      if (final.startsWith(streamed)) append(final.slice(streamed.length));
      if (final !== '') reported = final;
      const differs = reported !== undefined && !isSameText(written.toString(), reported);
      isBroken = failed || (differs && !isIntact());
      citations.complete(content.flatMap(part => objectsOf(part.annotations)));
      if (isRefusal && agent === undefined && phase !== 'commentary') onRefusal();
      item.closed = true;
      end();
    },
  };
  const known = toBlock();
  if (known === undefined) jsonAnswer?.hold(begin);
  else begin(known);
  return item;

  /** Returns the kind of the block if it can be determined now. */
  function toBlock(): BlockKind | undefined {
    if (agent !== undefined) return 'reasoning';
    return jsonAnswer === undefined || isRefusal ? 'text' : toJsonBlock(phase, beginning);
  }

  /** Begins the block with the text so far, unless it has begun. */
  function begin(kind: BlockKind): void {
    if (block !== undefined) return;
    block = kind;
    write({ type: `${kind}-start`, id, ...facts() });
    if (written.length > 0) writeDelta(written.toString());
    if (item.closed) end();
  }

  function end(): void {
    const { own, ...rest } = facts();
    const ownFacts = isBroken ? { ...own, broken: true } : own;
    if (block === 'reasoning') write({ type: 'reasoning-end', id, ...rest, own: ownFacts });
    if (block !== 'text') return;
    const cited = toCitations(citations.annotations());
    write({
      ...{ type: 'text-end', id, ...rest },
      ...(ownFacts !== undefined && { own: ownFacts }),
      ...(cited.length > 0 && { citations: cited }),
    });
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
    isRefusal ||= text !== '';
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
    } else if (part !== '') {
      differsAt ??= partStart + sharedLength(part, text);
    }
  }

  function facts(): { providerMetadata: ProviderMetadata; own?: PartFacts | undefined } {
    const { providerMetadata, own } = withCommentary({ id: finalId, phase, agent });
    const annotations = citations.annotations();
    const openai = {
      ...providerMetadata?.openai,
      ...(item.closed && annotations.length > 0 && { annotations: asJson(annotations) }),
    };
    return { providerMetadata: { openai }, ...(block === 'reasoning' && { own }) };
  }
}

/** Returns the kind of the block if the host requested JSON. A message of a new phase may be the answer or not. */
function toJsonBlock(phase: string | undefined, beginning: string): BlockKind | undefined {
  if (phase === 'commentary') return 'reasoning';
  return phase === 'final_answer' || beginsLikeJson(beginning) ? 'text' : undefined;
}

const toText = (wire: PlainObject): string =>
  typeof wire.content === 'string'
    ? wire.content
    : objectsOf(wire.content)
        .map(part => (part.type === 'refusal' ? stringOf(part.refusal) : stringOf(part.text)))
        .join('');

/**
 * Writes the sources that the annotations of a message cite. The same citation comes as an event and again in the finished
 * item, with other offsets on some servers; a page cited twice is two citations.
 */
function createCitations(id: string, { write, onCitation }: Pick<MessageWriter, 'write' | 'onCitation'>) {
  let annotations: PlainObject[] = [];
  let count = 0;
  const seen = { event: new Map<string, number>(), item: new Map<string, number>() };
  const cited = new Map<string, number>();

  return {
    annotations: () => annotations,

    add(annotation: PlainObject): void {
      annotations.push(annotation);
      cite('event', annotation);
    },

    /** Adds the annotations of the finished item. */
    complete(listed: PlainObject[]): void {
      for (const annotation of listed) cite('item', annotation);
      if (listed.length > annotations.length) annotations = listed;
    },
  };

  function cite(origin: keyof typeof seen, annotation: PlainObject): void {
    const key = `${stringOf(annotation.type)} ${stringOf(annotation.url)} ${stringOf(annotation.file_id)}`;
    const times = (seen[origin].get(key) ?? 0) + 1;
    seen[origin].set(key, times);
    if (times <= (cited.get(key) ?? 0)) return;
    cited.set(key, times);
    count++;
    const source = toCitedSource(annotation, `${id}:source-${count}`);
    if (source === undefined) return;
    onCitation(source);
    write(source);
  }
}

/**
 * Collects the pages and files that the tools of one response have found. The text cites some of them, with a title. The
 * others become sources at the end, so that no page and no file is a source twice.
 */
export function createFoundSources() {
  const found = new Map<string, FoundSource>();
  const cited = new Set<string>();
  return {
    add(sources: readonly FoundSource[]): void {
      for (const source of sources) {
        const key = 'url' in source ? toUrlKey(source.url) : source.fileId;
        if (!found.has(key)) found.set(key, source);
      }
    },
    /** Records a source that the text cites. */
    cite(source: Source): void {
      const fileId = idOf(source.providerMetadata?.openai?.fileId);
      cited.add(source.sourceType === 'url' ? toUrlKey(source.url) : (fileId ?? ''));
    },
    /** Writes the sources that the text does not cite. */
    write(write: (part: Part) => void): void {
      const uncited = [...found].filter(([key]) => !cited.has(key));
      for (const [index, [, source]] of uncited.entries()) write(toPart(source, `found-source-${index}`));
      found.clear();
    },
  };
}

/** OpenAI marks the addresses of citations, but not those of search results. */
const toUrlKey = (url: string): string => url.replace(/[?&]utm_source=openai(?=&|#|$)/, '');

const toPart = (source: FoundSource, id: string): Source =>
  'url' in source
    ? toUrlSource({ id, url: source.url, title: source.title })
    : toDocumentSource({
        ...{ id, title: source.filename, filename: source.filename },
        openai: { type: 'file_search', fileId: source.fileId },
      });

/*
 * Models write prose before the JSON that a host has requested. Hosts parse all text of a response together, so the prose
 * must be reasoning. OpenAI marks it with the phase `commentary`. On servers without phases, a message that does not begin
 * like JSON is held back until the next item or the end of the response shows what it is.
 */

export type BlockKind = 'text' | 'reasoning';

/** Decides which messages of a streamed response are the JSON answer. */
export interface JsonAnswer {
  /** Holds a message back. `begin` is called when its kind is known. */
  hold(begin: (kind: BlockKind) => void): void;
  /** Reports that the text of the answer has begun. */
  begin(): void;
  /** Handles the beginning of another item: a message before it is not the answer. */
  continue(): void;
  /** Handles the end of the response: its last message is the answer, unless the answer has begun before. */
  end(): void;
}

export function createJsonAnswer(): JsonAnswer {
  let held: ((kind: BlockKind) => void) | undefined;
  let hasBegun = false;
  const release = (kind: BlockKind): void => {
    held?.(kind);
    held = undefined;
  };
  return {
    hold(begin) {
      held = begin;
    },
    begin() {
      hasBegun = true;
    },
    continue: () => release('reasoning'),
    end: () => release(hasBegun ? 'reasoning' : 'text'),
  };
}

/**
 * Returns true for the first character of a JSON object, array or string, of a Markdown code block, and of the tags that
 * adapters convert. Other JSON values are so short that they need not be streamed.
 */
const beginsLikeJson = (first: string): boolean => first !== '' && '{["`<'.includes(first);

/**
 * Converts messages to reasoning that a server marked too late, or not at all, as commentary. If the texts together are
 * not valid JSON and the last one is, the last one is the answer.
 */
export function toJsonContent(content: readonly Content[]): Content[] {
  const texts = content.filter(
    (part): part is Text => part.type === 'text' && part.text.trim() !== '' && !isCommentary(part),
  );
  const last = texts.at(-1);
  const joined = texts.map(({ text }) => text).join('');
  const isLastAlone = last !== undefined && !isWholeJson(joined) && isWholeJson(last.text);
  return content.map(part =>
    part.type === 'text' && (isCommentary(part) || (isLastAlone && part !== last)) ? toReasoning(part) : part,
  );
}

const isCommentary = ({ providerMetadata }: Text): boolean =>
  providerMetadata?.openai?.phase === 'commentary';

function toReasoning({ text, providerMetadata, own }: Text): Reasoning {
  const openai = providerMetadata?.openai ?? {};
  const commentary = withCommentary({ id: idOf(openai.itemId), phase: idOf(openai.phase) });
  return {
    type: 'reasoning',
    text,
    providerMetadata: {
      ...providerMetadata,
      openai: { ...openai, ...commentary.providerMetadata?.openai },
    },
    own: { ...own, ...commentary.own },
  };
}

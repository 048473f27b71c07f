import { subAgentOf, withCommentary } from '../../core/custom.js';
import type { Content, Part, Reasoning, Source, Text } from '../../core/part.js';
import type { PartFacts, ProviderMetadata } from '../../core/prompt.js';
import { toCitations, toCitedSource, toDocumentSource, toUrlSource } from '../../core/sources.js';
import { TextBuffer } from '../../core/collector.js';
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
} from '../../core/shared/json.js';

export interface MessageWriter extends PartWriter {
  /** Set if the host requested JSON. */
  readonly jsonAnswer: JsonAnswer | undefined;
  /** Returns true if all events so far have arrived in order, so that another final text is a habit of the server. */
  readonly isIntact: () => boolean;
  /** Called with the source of each citation. */
  readonly onCitation: (source: Source) => void;
}

/**
 * A message of the model: one block with the sources that its annotations cite. A message that does not belong to the
 * answer is a reasoning block, because hosts join all text blocks.
 */
export class MessageItem implements OutputItem {
  closed = false;
  readonly #id: string;
  readonly #writer: MessageWriter;
  readonly #agent: ReturnType<typeof subAgentOf>;
  readonly #citations: ReturnType<typeof createCitations>;
  #phase: string | undefined;
  #isRefusal = false;
  /** The kind of the block. Undefined while it is unknown, and the text is held back. */
  #block: BlockKind | undefined;
  #finalId: string | undefined;
  /** The text so far, including refusals. */
  readonly #written = new TextBuffer();
  #beginning = '';
  /** The offset of the first unfinished content part in the text. */
  #partStart = 0;
  #reported: string | undefined;
  #differsAt: number | undefined;
  #isBroken = false;

  constructor(id: string, writer: MessageWriter) {
    const { write, announced, onCitation, jsonAnswer } = writer;
    this.#id = id;
    this.#writer = writer;
    this.#phase = idOf(announced?.phase);
    this.#agent = subAgentOf(announced);
    this.#finalId = idOf(announced?.id);
    this.#citations = createCitations(id, { write, onCitation });
    const known = this.#toBlock();
    if (known === undefined) jsonAnswer?.hold(kind => this.#begin(kind));
    else this.#begin(known);
  }

  writeText(delta: string): void {
    if (delta === '') return;
    this.#written.append(delta);
    if (this.#beginning === '') this.#beginning = /\S/.exec(delta)?.[0] ?? '';
    if (this.#block !== undefined) return this.#writeDelta(delta);
    const kind = this.#toBlock();
    if (kind !== undefined) this.#begin(kind);
  }

  writeRefusal(delta: string): void {
    this.#isRefusal ||= delta !== '';
    this.writeText(delta);
  }

  /**
   * Adds the text of a complete content part that its deltas did not contain. Servers may finish a part late, when the next
   * one has begun, or twice. Text must not be written again.
   */
  completeText(text: string): void {
    const streamed = this.#written.toString();
    const part = streamed.slice(this.#partStart);
    if (part.startsWith(text)) {
      this.#partStart += text.length;
    } else if (part === '' ? !streamed.endsWith(text) : text.startsWith(part)) {
      this.writeText(text.slice(part.length));
      this.#partStart += text.length;
    } else if (part !== '') {
      this.#differsAt ??= this.#partStart + sharedLength(part, text);
    }
  }

  completeRefusal(text: string): void {
    this.#isRefusal ||= text !== '';
    this.completeText(text);
  }

  annotate(annotation: PlainObject): void {
    this.#citations.add(annotation);
  }

  isSameAs(wire: PlainObject): boolean {
    const [text, streamed] = [toText(wire), this.#written.toString()];
    return text.startsWith(streamed) || streamed.startsWith(text);
  }

  confirm(wire: PlainObject): void {
    this.#reported = toText(wire) || this.#reported;
  }

  /** Returns the text with what the server reported of it. */
  streamed(isListed: boolean): StreamedText {
    return {
      itemId: this.#finalId,
      shown: this.#written.toString(),
      final: this.#reported,
      confirmed: this.#partStart,
      differsAt: this.#differsAt,
      isListed: isListed || this.#reported !== undefined,
    };
  }

  finish(wire: PlainObject | undefined, options: { failed?: boolean } = {}): void {
    const { reports, isIntact } = this.#writer;
    const final = wire === undefined ? '' : toText(wire);
    const streamed = this.#written.toString();
    const content = objectsOf(wire?.content);
    for (const part of content) {
      if (streamed === '' && isNonEmptyArray(part.logprobs)) reports.logprobs.push(part.logprobs);
      if (part.type === 'refusal') this.#isRefusal ||= stringOf(part.refusal) !== '';
    }
    this.#phase = idOf(wire?.phase) ?? this.#phase;
    this.#finalId ??= idOf(wire?.id);
    const finalBlock = this.#toBlock();
    if (finalBlock !== undefined) this.#begin(finalBlock);
    // Streamed text cannot be revoked: a final text that differs adds nothing, and the verdict reports it.
    if (final.startsWith(streamed)) this.writeText(final.slice(streamed.length));
    if (final !== '') this.#reported = final;
    const differs = this.#reported !== undefined && !isSameText(this.#written.toString(), this.#reported);
    this.#isBroken = (options.failed ?? false) || (differs && !isIntact());
    this.#citations.complete(content.flatMap(part => objectsOf(part.annotations)));
    if (this.#isRefusal && this.#agent === undefined && this.#phase !== 'commentary')
      reports.hasRefusal = true;
    this.closed = true;
    this.#end();
  }

  /** Returns the kind of the block if it can be determined now. */
  #toBlock(): BlockKind | undefined {
    if (this.#agent !== undefined) return 'reasoning';
    if (this.#writer.jsonAnswer === undefined || this.#isRefusal) return 'text';
    return toJsonBlock(this.#phase, this.#beginning);
  }

  /** Begins the block with the text so far, unless it has begun. */
  #begin(kind: BlockKind): void {
    if (this.#block !== undefined) return;
    this.#block = kind;
    this.#writer.write({ type: `${kind}-start`, id: this.#id, ...this.#facts() });
    if (this.#written.length > 0) this.#writeDelta(this.#written.toString());
    if (this.closed) this.#end();
  }

  #end(): void {
    const { own, ...rest } = this.#facts();
    const id = this.#id;
    const ownFacts = this.#isBroken ? { ...own, broken: true } : own;
    if (this.#block === 'reasoning')
      this.#writer.write({ type: 'reasoning-end', id, ...rest, own: ownFacts });
    if (this.#block !== 'text') return;
    const cited = toCitations(this.#citations.annotations());
    this.#writer.write({
      type: 'text-end',
      id,
      ...rest,
      ...(ownFacts !== undefined && { own: ownFacts }),
      ...(cited.length > 0 && { citations: cited }),
    });
  }

  #writeDelta(delta: string): void {
    if (this.#block === 'text') this.#writer.jsonAnswer?.begin();
    const type = this.#block === 'reasoning' ? 'reasoning-delta' : 'text-delta';
    this.#writer.write({ type, id: this.#id, delta });
  }

  #facts(): { providerMetadata: ProviderMetadata; own?: PartFacts | undefined } {
    const { providerMetadata, own } = withCommentary({
      id: this.#finalId,
      phase: this.#phase,
      agent: this.#agent,
    });
    const annotations = this.#citations.annotations();
    const openai = {
      ...providerMetadata?.openai,
      ...(this.closed && annotations.length > 0 && { annotations: asJson(annotations) }),
    };
    return { providerMetadata: { openai }, ...(this.#block === 'reasoning' && { own }) };
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
function createCitations(id: string, writer: Pick<MessageWriter, 'write' | 'onCitation'>) {
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
    writer.onCitation(source);
    writer.write(source);
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
        id,
        title: source.filename,
        filename: source.filename,
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
  const joined = texts.map(entry => entry.text).join('');
  const isLastAlone = last !== undefined && !isWholeJson(joined) && isWholeJson(last.text);
  return content.map(part =>
    part.type === 'text' && (isCommentary(part) || (isLastAlone && part !== last)) ? toReasoning(part) : part,
  );
}

const isCommentary = (text: Text): boolean => text.providerMetadata?.openai?.phase === 'commentary';

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

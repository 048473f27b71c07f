import type { APICallError } from '@ai-sdk/provider';
import { objectOf, stringOf, tryParseJson } from '../../core/shared/json.js';
import type { ResponsesRequestBody } from '../wire.js';

/*
 * The text of a rejection, as far as it is the server's own. Servers quote what the caller sent, and what other servers
 * answered, such as one from which a file could not be downloaded. Both may contain the words of a rejection.
 */

/** Maximum length of a text that is read. Rejections are sentences. */
const MAX_LENGTH = 100_000;
const MAX_DEPTH = 20;

/** Number of characters of a match that decide whose words it is. */
const HEAD = 16;

interface Segment {
  readonly start: number;
  readonly text: string;
  /** The ranges in quotes. Undefined for the fields of an error object. */
  readonly quoted?: readonly (readonly [start: number, end: number])[];
}

export class RejectionText {
  /** The parameter that the error object names, without positions. */
  readonly param: string | undefined;
  readonly #segments: readonly Segment[];
  readonly #text: string;
  readonly #body: ResponsesRequestBody;
  #callerTexts: readonly string[] | undefined;

  constructor({ message, responseBody = '' }: APICallError, body: ResponsesRequestBody) {
    this.#body = body;
    const parsed = tryParseJson(responseBody);
    const sentences = new Set<string>();
    const fields: unknown[] = [];
    for (const value of [message, parsed ?? responseBody]) fields.push(split(value, sentences));
    const fault = objectOf(objectOf(parsed)?.error) ?? objectOf(parsed);
    const param = stringOf(fault?.param);
    this.param = param === '' ? undefined : param.replaceAll(/\[\d+\]/g, '');
    const segments: Segment[] = [];
    let start = 0;
    const add = (text: string, quoted?: Segment['quoted']): void => {
      segments.push({ start, text, ...(quoted && { quoted }) });
      start += text.length + 1;
    };
    for (const sentence of sentences) add(sentence, quotesIn(sentence));
    add(withoutEscapes(JSON.stringify(fields)));
    this.#segments = segments;
    this.#text = segments.map(segment => segment.text).join(' ');
  }

  /** Returns the first match in the server's own words. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    const global = new RegExp(pattern, `${pattern.flags}g`);
    for (const match of [this.#text, withSingleQuotes(this.#text)].flatMap(text => [
      ...text.matchAll(global),
    ])) {
      // Patterns may go on after what was quoted.
      const words = match[0].slice(0, HEAD);
      if (!this.#isQuoted(match.index, words.length) && !this.#callers().some(text => text.includes(words)))
        return match;
    }
    return undefined;
  }

  /** Returns true if a match begins a sentence: before it are only the names that errors have. */
  isAtBeginning({ index }: RegExpExecArray): boolean {
    const { start, text } = this.#segmentAt(index);
    const known = new Set(this.#body.model.split(/[^\w.-]+/));
    const words = text.slice(0, index - start).match(/[\w.-]+/g) ?? [];
    return words.every(
      (word, position) =>
        /^models?$/i.test(words[position - 1] ?? '') ||
        !/[a-z]/i.test(word) ||
        known.has(word) ||
        PREFIXES.test(word),
    );
  }

  /** Texts of the conversation that the rejection quotes, which may be its cause. */
  quotes(): string[] {
    const found = new Set<string>();
    const texts = textsOf(this.#body.input, 8);
    for (const text of texts) if (this.#text.includes(text)) found.add(text);
    return [...found];
  }

  #callers(): readonly string[] {
    // The values of `include` are the API's.
    const { include: _, model: __, ...fields } = this.#body;
    return (this.#callerTexts ??= textsOf(fields, 4, { withNames: true }));
  }

  #segmentAt(index: number): Segment {
    return this.#segments.findLast(segment => segment.start <= index) ?? { start: 0, text: '' };
  }

  #isQuoted(index: number, length: number): boolean {
    const { start, quoted = [] } = this.#segmentAt(index);
    const [from, to] = [index - start, index - start + length];
    return quoted.some(([open, close]) => open < from && to <= close);
  }
}

/** Words before a rejection: names of errors, statuses and fields of error objects. */
const PREFIXES =
  /^(?:[\w.]*(?:error|exception)s?|argument|bad|body|code|detail|failed|for|invalid|message|model|msg|none|null|param|provider|reason|request|returned|status|the|this|type|upstream|validation|invalid_request_error)$/i;

/** Removes line breaks, and the escapes of nested JSON strings, in which gateways forward errors. */
const withoutEscapes = (text: string): string =>
  text.replaceAll(/\\+(n?)|\s+/g, (_, lineBreak?: string) => (lineBreak === '' ? '' : ' '));

/** Servers quote a name in their own way. */
const withSingleQuotes = (text: string): string => text.replaceAll(/["`\u2018\u2019\u201c\u201d]/g, "'");

/**
 * Returns an error object without its sentences, which are added to a set. Gateways forward objects as JSON texts, also inside
 * of a sentence.
 */
function split(value: unknown, sentences: Set<string>, depth = 0): unknown {
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return value.map(item => split(item, sentences, depth + 1));
  if (typeof value === 'string') {
    const text = value.slice(0, MAX_LENGTH);
    const embedded = parseEmbedded(text);
    if (embedded !== undefined) {
      for (const part of embedded.around) if (part.trim() !== '') sentences.add(withoutEscapes(part));
      return split(embedded.value, sentences, depth + 1);
    }
    // A name or an id.
    if (text.length <= 64 && !/\s/.test(text)) return text;
    sentences.add(withoutEscapes(text));
    return undefined;
  }
  const object = objectOf(value);
  if (object === undefined) return value;
  return Object.fromEntries(
    Object.entries(object).map(([name, item]) => [name, split(item, sentences, depth + 1)]),
  );
}

/** Returns the JSON object, or the list of objects, in a text, and the text around it. */
function parseEmbedded(text: string): { around: string[]; value: object } | undefined {
  const start = text.search(/\{|\[\s*\{/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
  const value = start < 0 || end <= start ? undefined : tryParseJson(text.slice(start, end));
  if (typeof value !== 'object' || value === null) return undefined;
  return { around: [text.slice(0, start), text.slice(end)], value };
}

/**
 * Returns the ranges of a sentence that are in quotes. An apostrophe in a word is none, and neither is the message in an object
 * that a server has printed: `{'message': "…"}`.
 */
function quotesIn(sentence: string): [start: number, end: number][] {
  const literal = sentence.search(/[[{(] *['"]\w+['"] *[:,]/);
  const text = literal < 0 ? sentence : sentence.slice(0, literal);
  const ranges: [number, number][] = [];
  let open: number | undefined;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? '';
    if (!QUOTES.test(character) || isApostrophe(text, index)) continue;
    if (open === undefined) {
      if (!/\w/.test(text[index - 1] ?? '')) open = index;
    } else if (closes(text[open] ?? '', character)) {
      ranges.push([open, index]);
      open = undefined;
    }
  }
  // A quote that was truncated.
  if (open !== undefined) ranges.push([open, sentence.length]);
  return ranges;
}

const QUOTES = /['"`“”‘’«»]/;

const closes = (open: string, character: string): boolean =>
  character === ({ '“': '”', '‘': '’', '«': '»' }[open] ?? open);

const isApostrophe = (text: string, index: number): boolean =>
  /\w/.test(text[index - 1] ?? '') && /\w/.test(text[index + 1] ?? '');

/** Fields of items whose values are the API's. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['type', 'role', 'status', 'phase', 'detail']);

/**
 * Returns the texts in a value that have a minimum length, also those that are encoded as JSON or in a URL.
 *
 * @param withNames Includes the names of fields: those in metadata and schemas are the caller's.
 */
function textsOf(value: unknown, minimum: number, { withNames = false } = {}): string[] {
  const found = new Set<string>();
  const add = (text: string): void => {
    const plain = withoutEscapes(text);
    if (plain.length >= minimum) found.add(plain);
  };
  const remaining: unknown[] = [value];
  while (remaining.length > 0) {
    const next = remaining.pop();
    if (typeof next === 'string') {
      add(next);
      if (/[%+]/.test(next)) add(decode(next));
      if (/^\s*[[{"]/.test(next)) remaining.push(tryParseJson(next));
    } else if (typeof next === 'object' && next !== null) {
      for (const [name, item] of Object.entries(next)) {
        // A rule has this name of JSON Schema.
        if (withNames && !Array.isArray(next) && name !== 'additionalProperties') add(name);
        if (!OWN_FIELDS.has(name)) remaining.push(item);
      }
    }
  }
  return [...found];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text.replaceAll('+', ' ');
  }
}

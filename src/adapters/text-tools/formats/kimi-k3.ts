import { type ArgumentWriter, createArgumentWriter } from '../values/argument-writer.js';
import { readCallArguments } from '../values/json-call.js';
import { isPrototypeKey } from '../values/json-scanner.js';
import { endsUnclosed } from '../tags/tagged-call.js';
import { BEFORE_MENTION } from '../reading/markup.js';
import type { Reading, TextCursor } from '../reading/text-cursor.js';
import type { TextCalls, TextToolFormat } from '../reading/text-tool-format.js';

const SEPARATOR = '<|sep|>';

/** Returns a tag as the model writes it, and as servers write it that put spaces between special tokens. */
const tag = (token: 'open' | 'close', name: string): readonly [string, string] => [
  `<|${token}|>${name}${SEPARATOR}`,
  `<|${token}|> ${name} ${SEPARATOR}`,
];

/** Tags around the sections of a message. Only reasoning and calls have a meaning. */
const response = tag('open', 'response');
const responseEnd = tag('close', 'response');
const tools = tag('open', 'tools');
const toolsEnd = tag('close', 'tools');
const messageEnd = [...tag('close', 'message'), '<|end_of_msg|>'];

/**
 * `<|open|>tools<|sep|>`, then `<|open|>call tool="…" index="1"<|sep|>` for each call of Kimi K3, with
 * `<|open|>argument key="…" type="…"<|sep|>value<|close|>argument<|sep|>` for each argument. Strings are raw text, all
 * other values JSON. A call may contain one `json` element with all arguments instead.
 */
export const kimiK3: TextToolFormat = {
  name: 'kimi-k3',
  openers: ['<|open|>call tool="', '<|open|> call tool="'],
  prefixes: tools,
  closers: [...toolsEnd, ...tag('close', 'call')],
  artefacts: [...response, ...responseEnd, ...messageEnd, '<|open|>message role="assistant"<|sep|>'],
  reasoningEnders: [...tools, ...response, ...responseEnd],
  *read(cursor, calls) {
    const header = yield* takeHeader(cursor);
    const name = toAttributes(`tool="${header ?? ''}`).get('tool') ?? '';
    if (name === '') return false;
    yield* cursor.takeSpace();
    if (yield* takesTag(cursor, jsonStart)) {
      if (!(yield* readCallArguments(cursor, calls, { name }))) return false;
      yield* cursor.takeSpace();
      yield* takesTag(cursor, jsonEnd);
      return true;
    }
    return yield* readCall(cursor, calls, name);
  },
};

const argumentStart = ['<|open|>argument ', '<|open|> argument '];
const argumentEnd = tag('close', 'argument');
const callEnd = tag('close', 'call');
const jsonStart = tag('open', 'json type="object"');
const jsonEnd = tag('close', 'json');

function* readCall(cursor: TextCursor, calls: TextCalls, name: string): Reading<boolean> {
  const tool = calls.begin(name);
  const writer = createArgumentWriter(tool, calls.input);
  let isUnclear = false;
  while (yield* takesTag(cursor, argumentStart)) {
    const end = yield* readArgument(cursor, writer);
    if (end === undefined) return false;
    isUnclear ||= end.isUnclear;
    yield* cursor.takeSpace();
  }
  // The end of all calls proves that nothing is missing.
  const isClosed = (yield* takesTag(cursor, callEnd)) || (yield* cursor.match(toolsEnd)) !== undefined;
  if (isUnclear || (!isClosed && !(yield* endsUnclosed(cursor, tool, writer)))) return false;
  writer.end();
  calls.end({ isUnclosed: !isClosed });
  return true;
}

const TOKEN_START = /</g;

/** A special token, or a misspelt one, which is no part of a value unless text mentions it. */
const SPECIAL_TOKEN = /^<\|[a-z]{2,8}\|$/i;

/** Reads an argument. Undefined if it cannot be read. Its value is unclear if it contains a token, which may be a real one. */
function* readArgument(
  cursor: TextCursor,
  writer: ArgumentWriter,
): Reading<{ isUnclear: boolean } | undefined> {
  const attributes = toAttributes((yield* takeHeader(cursor)) ?? '');
  const key = attributes.get('key');
  if (key === undefined || isPrototypeKey(key) || writer.has(key)) return undefined;
  const type = attributes.get('type');
  const value = writer.open(key, { ...(type !== undefined && { isJson: type !== 'string' }) });
  let isUnclear = false;
  for (let isStart = true; ; isStart = false) {
    if ((yield* cursor.passUntil(TOKEN_START, value.push)) === undefined) return undefined;
    if (yield* takesTag(cursor, argumentEnd)) break;
    const isMention = !isStart && BEFORE_MENTION.test(cursor.previous) && cursor.previous !== '\n';
    isUnclear ||= !isMention && SPECIAL_TOKEN.test(yield* cursor.look(/[^\s>]/, { most: 12 }));
    value.push(cursor.take(1));
  }
  value.end();
  return { isUnclear };
}

function* takesTag(cursor: TextCursor, tags: readonly string[]): Reading<boolean> {
  const found = yield* cursor.match(tags);
  if (found !== undefined) cursor.take(found.length);
  return found !== undefined;
}

/** Longer than any tag with the name of a tool or parameter. */
const MAX_HEADER = 300;

/** Takes the rest of a tag, up to its separator. */
function* takeHeader(cursor: TextCursor): Reading<string | undefined> {
  const { length } = yield* cursor.look(/[^<]/, { most: MAX_HEADER });
  if (!(yield* cursor.sees(SEPARATOR, length))) return undefined;
  return cursor.take(length + SEPARATOR.length).slice(0, length);
}

const toAttributes = (header: string): ReadonlyMap<string, string> =>
  new Map(
    [...header.matchAll(/(?<![\w-])([\w-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [
      key,
      value.replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    ]),
  );

import { readCallArguments } from '../values/json-call.js';
import { readReasoning } from '../parser/reasoning.js';
import { MAX_SPACE, type Reading, readName, type TextCursor } from '../reading/text-cursor.js';
import type { TextCalls, TextToolFormat } from '../reading/text-tool-format.js';

interface Header {
  readonly channel: string;
  /** The tool that the message is for, or an empty string. */
  readonly recipient: string;
}

const START = '<|start|>assistant';
const CHANNEL = '<|channel|>';
const CONSTRAIN = '<|constrain|>';
const MESSAGE = '<|message|>';
const MESSAGE_ENDS = ['<|end|>', '<|return|>', '<|call|>'];

/**
 * Messages of gpt-oss, each with a header: `<|channel|>analysis<|message|>` contains reasoning, `final` text, and
 * `commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>` a call. Headers also start with
 * `<|start|>assistant`, and may name the recipient before the channel.
 *
 * @see https://cookbook.openai.com/articles/openai-harmony
 */
export const harmony: TextToolFormat = {
  name: 'harmony',
  openers: [CHANNEL, START],
  closers: MESSAGE_ENDS,
  artefacts: MESSAGE_ENDS,
  isMessageMarkup: true,
  *read(cursor, calls, opener) {
    const header = yield* readHeader(cursor, { expectsChannel: opener === CHANNEL });
    return header !== undefined && (yield* readMessage(cursor, calls, header));
  },
};

const BARE_REASONING = 'analysis';
const BARE_CALL = 'commentary to=functions.';
/** A call on the channel of thoughts (https://github.com/jundot/omlx/issues/2032). */
const BARE_ANALYSIS_CALL = 'analysis to=functions.';
const BARE_RECIPIENT = 'to=functions.';
const BARE_CHANNELS = ['assistantfinal', 'assistantcommentary', 'assistantanalysis'];

/**
 * The same messages from servers that drop special tokens: `analysis…assistantfinal…`. Only a response that starts with
 * reasoning or with a call of a declared tool is recognized.
 */
export const bareHarmony: TextToolFormat = {
  name: 'bare-harmony',
  openers: [`assistant${BARE_CALL}`],
  startOpeners: [BARE_REASONING, BARE_ANALYSIS_CALL, BARE_CALL, BARE_RECIPIENT],
  isMessageMarkup: true,
  *accepts(cursor, calls) {
    const isCall = yield* cursor.sees(BARE_ANALYSIS_CALL);
    if (!isCall && (yield* cursor.sees(BARE_REASONING))) {
      // "analysis of" is prose. In a message, its first word follows directly.
      const first = yield* cursor.peek(BARE_REASONING.length);
      return first !== undefined && /[\p{Lu}"'\u3000-\uffff]/u.test(first);
    }
    let start = 0;
    for (const opener of [BARE_ANALYSIS_CALL, BARE_CALL, BARE_RECIPIENT]) {
      if (yield* cursor.sees(opener)) start = opener.length;
    }
    return calls.isDeclared(yield* cursor.look(WORD, { start }));
  },
  *read(cursor, calls, opener) {
    if (opener === BARE_REASONING) return yield* readBareMessages(cursor, calls);
    if (!(yield* cursor.takes('analysis '))) yield* cursor.takes('commentary ');
    // Up to the name, the opener after text was taken.
    const recipient = opener.startsWith('assistant') ? `functions.${yield* readWord(cursor)}` : '';
    const header = yield* readHeader(cursor, { recipient });
    return header !== undefined && (yield* readMessage(cursor, calls, header));
  },
};

/** More than a header has, with a second channel. */
const MAX_PARTS = 12;
const WORD = /[^\s<{]/;
const channels = new Set(['analysis', 'commentary', 'final']);

/** Takes a header. Returns undefined for other text. */
function* readHeader(
  cursor: TextCursor,
  options: { expectsChannel?: boolean; recipient?: string } = {},
): Reading<Header | undefined> {
  let { expectsChannel = false, recipient = '' } = options;
  let channel = '';
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    yield* cursor.takeSpace(MAX_SPACE);
    if (expectsChannel) {
      channel = yield* readWord(cursor);
      if (!channels.has(channel)) return undefined;
      expectsChannel = false;
    } else if (yield* cursor.takes(MESSAGE)) {
      return { channel, recipient };
    } else if (yield* cursor.takes(CHANNEL)) {
      expectsChannel = true;
      // gpt-oss-20b writes an empty message for itself before the header.
      if (recipient === 'assistant') recipient = '';
    } else if (yield* cursor.takes(START)) {
      channel = '';
      recipient = '';
    } else if (yield* cursor.takes('to=')) {
      recipient = yield* readWord(cursor);
    } else if ((yield* cursor.peek()) === '{' && recipient !== '') {
      return { channel, recipient };
    } else if (!(yield* cursor.takes(CONSTRAIN)) && (yield* readWord(cursor)) === '') {
      return undefined;
    }
  }
  return undefined;
}

const readWord = (cursor: TextCursor): Reading<string> => readName(cursor, WORD);

/** Reads the body of a call or of reasoning. The body of other messages is text, which only loses its header. */
function* readMessage(
  cursor: TextCursor,
  calls: TextCalls,
  { channel, recipient }: Header,
): Reading<boolean> {
  if (recipient.startsWith('functions.') || (recipient !== '' && calls.isDeclared(recipient))) {
    return yield* readCall(cursor, calls, recipient);
  }
  calls.drop();
  if (channel === 'analysis' && recipient === '') {
    const enders = ['<|return|>', '<|call|>', '<|start|>', CHANNEL];
    yield* readReasoning(cursor, '<|end|>', enders, calls.reasoning);
    calls.drop();
  }
  return false;
}

function* readCall(cursor: TextCursor, calls: TextCalls, name: string): Reading<boolean> {
  yield* cursor.takeSpace(MAX_SPACE);
  if ((yield* cursor.match(MESSAGE_ENDS)) === undefined) {
    return yield* readCallArguments(cursor, calls, { name });
  }
  calls.begin(name);
  calls.end();
  return true;
}

/** Reads messages without special tokens: `analysis…assistantcommentary to=functions.name json{…}`. */
function* readBareMessages(cursor: TextCursor, calls: TextCalls): Reading<boolean> {
  cursor.take(BARE_REASONING.length);
  for (;;) {
    yield* readReasoning(cursor, 'assistantanalysis', BARE_CHANNELS, calls.reasoning);
    calls.drop();
    const channel = yield* cursor.match(BARE_CHANNELS);
    if (channel === undefined) {
      if ((yield* cursor.peek()) === undefined) return false;
      if (!(yield* cursor.sees(` ${BARE_RECIPIENT}`))) continue;
    }
    cursor.take(channel?.length ?? 0);
    yield* cursor.takeSpace(MAX_SPACE);
    const mayCall = channel !== 'assistantfinal';
    if (!mayCall || !(yield* cursor.sees(BARE_RECIPIENT))) {
      calls.drop();
      return false;
    }
    const header = yield* readHeader(cursor);
    if (header === undefined || !(yield* readCall(cursor, calls, header.recipient))) return false;
    if ((yield* cursor.match(BARE_CHANNELS)) === undefined) return true;
  }
}

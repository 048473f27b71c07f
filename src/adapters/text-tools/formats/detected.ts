import { findSpaceEnd, MAX_SPACE, type Reading, type TextCursor } from '../reading/text-cursor.js';
import {
  type ReasoningTags,
  type TextCalls,
  type TextToolFormat,
  thinkTags,
} from '../reading/text-tool-format.js';
import * as formats from './index.js';
import { createJsonListFormat } from './json-lists.js';

/** A format that is read in the text of any model. */
interface DetectedRow {
  readonly format: TextToolFormat;
  /** The markers that occur in no other kind of text. @default those of the format */
  readonly openers?: readonly string[];
  /** The texts of which one follows a marker. @default any text that the format accepts */
  readonly next?: readonly string[];
  /** The markers are tags around the calls, so that an opener of the format must follow. */
  readonly isList?: boolean;
  /** The name of a declared tool follows. */
  readonly isNamed?: boolean;
}

/** A call in a header of a message. A message of another kind loses its header, which may be that of another family. */
const HARMONY = ['commentary to=', '<|channel|>commentary to=', 'to='].map(start => `${start}functions.`);

/** The markers of calls that prose, code and other markup do not contain. Tags that other markup has too count only before a call. */
const ROWS: readonly DetectedRow[] = [
  { format: formats.hermes, next: ['{'] },
  { format: formats.qwenXml, openers: ['<tool_call>'], isList: true },
  { format: formats.glm, isNamed: true },
  { format: formats.mistral },
  { format: formats.lfm },
  { format: formats.kimi },
  { format: formats.deepseek },
  { format: formats.dsml },
  { format: formats.spacedDsml },
  { format: formats.dsmlVariants },
  { format: formats.gcml },
  { format: formats.step3 },
  { format: formats.gemma4, next: ['call:'] },
  { format: formats.functionGemma, next: ['call:'] },
  { format: formats.phiToken, next: ['['] },
  { format: formats.minimax, openers: ['<minimax:tool_call>'], isList: true },
  { format: formats.longcat },
  { format: formats.seed, openers: ['<seed:tool_call>'], isList: true },
  { format: formats.solar },
  { format: formats.callList, next: ['[', '{', '<tool_call>', '<tool_call:'] },
  { format: formats.callList, openers: ['<tool_calls:'] },
  { format: formats.pairCall, openers: ['<tool_call:'] },
  { format: formats.horizon },
  { format: formats.iquest },
  { format: formats.dots, openers: ['<dots_function_call>'], isList: true },
  { format: formats.dotsJson },
  { format: formats.plamo },
  { format: formats.kimiK3 },
  { format: formats.minimaxM3 },
  { format: formats.commandR },
  { format: formats.internlm },
  { format: formats.apertus },
  { format: formats.nemotron },
  { format: formats.toolRequest },
  { format: formats.llama, next: ['{'] },
  { format: formats.llamaPythonic },
  { format: createJsonListFormat('gigachat', { openers: ['<|function_call|>'] }), next: ['{'] },
  { format: formats.harmony, next: HARMONY },
  { format: formats.inkling, openers: ['<|content_invoke_tool_json|>'], next: ['{'] },
];

/** Returns a format whose markers count anywhere, and change no text that is no call. */
function toDetected({
  format,
  openers = format.openers,
  next,
  isList = false,
  isNamed = false,
}: DetectedRow): TextToolFormat {
  function* accepts(cursor: TextCursor, calls: TextCalls): Reading<boolean> {
    if (isNamed) return yield* seesDeclaredName(cursor, calls);
    if (isList) return (yield* findNext(cursor, format.openers)) !== undefined;
    if (next !== undefined && (yield* findNext(cursor, next)) === undefined) return false;
    return format.accepts === undefined || (yield* format.accepts(cursor, calls));
  }

  /** Reads the calls that follow each other. Elsewhere their openers are text. */
  function* readList(cursor: TextCursor, calls: TextCalls): Reading<boolean> {
    for (let isFirst = true; ; isFirst = false) {
      const start = yield* findNext(cursor, format.openers);
      if (start === undefined) return !isFirst;
      cursor.take(start.end);
      yield* cursor.takeSpace(MAX_SPACE);
      if (!(yield* format.read(cursor, calls, start.text))) return false;
    }
  }

  return {
    name: format.name,
    openers,
    prefixes: isList ? [] : (format.prefixes ?? []),
    closers: (format.closers ?? []).filter(closer => closer !== thinkTags.close),
    isDetected: true,
    accepts,
    read: isList ? readList : (cursor, calls, opener) => format.read(cursor, calls, opener),
  };
}

/** Returns the text of a list that follows white space, and its end. Takes nothing. */
function* findNext(
  cursor: TextCursor,
  texts: readonly string[],
): Reading<{ text: string; end: number } | undefined> {
  const start = yield* findSpaceEnd(cursor);
  for (const text of texts) if (yield* cursor.sees(text, start)) return { text, end: start + text.length };
  return undefined;
}

function* seesDeclaredName(cursor: TextCursor, calls: TextCalls): Reading<boolean> {
  const name = yield* cursor.look(/[^\s<>{]/);
  return calls.isDeclared(name) || calls.isDeclared(name.slice(name.lastIndexOf('/') + 1));
}

/** The formats for models of which no adapter is known. */
const detectedFormats: readonly TextToolFormat[] = ROWS.map(toDetected);

/** The tags of reasoning, which stays text. No call in it counts. */
const detectedReasoning: readonly ReasoningTags[] = [
  thinkTags,
  { open: '[THINK]', close: '[/THINK]' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '<longcat_think>', close: '</longcat_think>' },
  { open: '<mm:think>', close: '</mm:think>' },
  { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  { open: '<|inner_prefix|>', close: '<|inner_suffix|>' },
  { open: '<|think:start|>', close: '<|think:end|>' },
  { open: '<|content_thinking|>', close: '<|end_message|>', isAnywhere: true },
  { open: '<|channel>', close: '<channel|>', isAnywhere: true },
  { open: '<|channel|>analysis<|message|>', close: '<|end|>', isAnywhere: true },
];

/** The syntax that is read in the text of models of which no adapter is known. */
export const detectedSyntax = { formats: detectedFormats, reasoning: detectedReasoning } as const;

import type { HeldCalls, ReasoningCalls } from './reasoning-calls.js';
import { type Reading, type TextCursor, toStopExpression } from '../reading/text-cursor.js';

/** A pair of tags around reasoning. */
export interface ReasoningTags {
  readonly open: string;
  readonly close: string;
  /**
   * The opening tag is a special token and counts anywhere. Other tags count only before text, which may mention them.
   * @default false
   */
  readonly isAnywhere?: boolean;
}

/** The tags of most reasoning models. */
export const thinkTags: ReasoningTags = { open: '<think>', close: '</think>' };

/** The tags of Magistral and later Mistral models. */
export const mistralThinkTags: ReasoningTags = { open: '[THINK]', close: '[/THINK]' };

/** The tags of Command R. */
export const cohereThinkTags: ReasoningTags = { open: '<|START_THINKING|>', close: '<|END_THINKING|>' };

export interface ReadReasoningOptions {
  readonly close: string;
  /** Markers that also end the reasoning. They are not taken. */
  readonly enders: readonly string[];
  readonly onText: (text: string) => void;
  /** Finds calls at the end of unclosed reasoning. */
  readonly calls?: ReasoningCalls | undefined;
  /** Passes the reasoning on unchanged, with its closing tag. */
  readonly isKept?: boolean;
}

/** The end of reasoning. */
export interface ReasoningEnd {
  /** False if the text ended before the reasoning did. */
  readonly isClosed: boolean;
  /** The calls at the end of unclosed reasoning. Their text was taken, but not passed on. */
  readonly calls?: HeldCalls | undefined;
}

/**
 * Takes reasoning up to its closing tag. Surrounding white space and empty reasoning are dropped: chat templates write the
 * tags on separate lines.
 */
export function* readReasoning(
  cursor: TextCursor,
  { close, enders, onText, calls, isKept = false }: ReadReasoningOptions,
): Reading<ReasoningEnd> {
  const ends = [close, ...enders];
  const stop = toStopExpression(ends);
  let isBlank = !isKept;
  /** White space that is emitted with the text that follows. */
  let held = '';
  const emit = (text: string) => {
    const trimmed = isBlank ? text.trimStart() : text;
    if (trimmed === '') return;
    isBlank = false;
    const end = isKept ? trimmed.length : trimmed.trimEnd().length;
    if (end > 0) onText(held + trimmed.slice(0, end));
    held = (end > 0 ? '' : held) + trimmed.slice(end);
  };
  const add = (text: string) => emit(calls === undefined ? text : calls.push(text));
  for (;;) {
    if ((yield* cursor.passUntil(stop, add)) === undefined) break;
    const end = yield* cursor.match(ends);
    if (end === undefined) {
      add(cursor.take(1));
      continue;
    }
    if (calls !== undefined) emit(calls.close());
    const tag = end === close ? cursor.take(close.length) : '';
    if (isKept) emit(tag);
    return { isClosed: true };
  }
  if (calls === undefined) return { isClosed: false };
  const rest = calls.end();
  emit(rest.reasoning);
  return { isClosed: false, calls: rest.calls };
}

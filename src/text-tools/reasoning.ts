import { type Reading, type TextCursor, toStopExpression } from './text-cursor.js';

/** A pair of tags around reasoning. */
export interface ReasoningTags {
  readonly open: string;
  readonly close: string;
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
  /** Passes the reasoning on unchanged, with its closing tag. */
  readonly isKept?: boolean;
}

/**
 * Takes reasoning up to its closing tag. Leading white space and empty reasoning are dropped.
 *
 * @returns false if the text ended before the reasoning did.
 */
export function* readReasoning(
  cursor: TextCursor,
  { close, enders, onText, isKept = false }: ReadReasoningOptions,
): Reading<boolean> {
  const ends = [close, ...enders];
  const stop = toStopExpression(ends);
  let isBlank = !isKept;
  const emit = (text: string) => {
    const trimmed = isBlank ? text.trimStart() : text;
    if (trimmed === '') return;
    isBlank = false;
    onText(trimmed);
  };
  for (;;) {
    emit(cursor.takeUntil(stop));
    if ((yield* cursor.peek()) === undefined) return false;
    const end = yield* cursor.match(ends);
    if (end === close) {
      const tag = cursor.take(close.length);
      if (isKept) emit(tag);
    }
    if (end !== undefined) return true;
    emit(cursor.take(1));
  }
}

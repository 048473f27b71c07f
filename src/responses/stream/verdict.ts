/*
 * The verdict on a response. Servers report a text up to five times: as deltas, and at the end of its part, of its item and of
 * the response. Deltas that a proxy lost, doubled or reordered are shown before the end is known, so that the end decides
 * if the answer is whole.
 */

/** A text that was streamed, with what the server reported of it. */
export interface StreamedText {
  readonly itemId: string | undefined;
  readonly shown: string;
  /** The last report of the complete text. Undefined if there is none. */
  readonly final: string | undefined;
  /** The length that the ends of content parts have confirmed. */
  readonly confirmed: number;
  /** The offset at which the end of a content part differs from its deltas. */
  readonly differsAt: number | undefined;
  /** False if the server names its messages when it announces or finishes them, but has not named this one. */
  readonly isListed: boolean;
}

/** What else is known about the texts. */
export interface Evidence {
  /** True if every event arrived, in order. */
  readonly hasAllEvents: boolean;
  /** True if events around the streamed text are missing or out of order. */
  readonly hasTextGap: boolean;
  /** Number of deltas that belong to no item of the response. */
  readonly foreignDeltas: number;
  readonly isIncomplete: boolean;
}

/** The reason why a response is not whole. */
export interface Contradiction {
  readonly itemId: string | undefined;
  readonly offset: number;
  /** The complete text. Undefined if the server has not reported it. */
  readonly final: string | undefined;
}

export interface Verdict {
  /** Undefined for a whole response. */
  readonly contradiction: Contradiction | undefined;
  /** Differences that do not change the answer. */
  readonly notes: readonly string[];
}

/**
 * Judges the texts of a response that has ended. If all events have arrived in order, the server itself has reported two texts,
 * and would do so again: the difference is noted. So is one in an incomplete response, which does not look finished.
 */
export function judge(texts: readonly StreamedText[], evidence: Evidence): Verdict {
  const isIntact =
    evidence.hasAllEvents && evidence.foreignDeltas === 0 && texts.every(text => text.isListed);
  const notes: string[] = [];
  if (evidence.foreignDeltas > 0)
    notes.push(`Ignored ${evidence.foreignDeltas} text deltas of items that the response did not announce.`);
  let contradiction: Contradiction | undefined;
  for (const text of texts) {
    const offset = contradictedAt(text, evidence.hasTextGap);
    const { itemId, final, shown } = text;
    if (offset !== undefined && (isIntact || evidence.isIncomplete))
      notes.push(
        `The streamed text of ${nameOf(itemId)} differs from its final text at character ${offset}.`,
      );
    else if (offset !== undefined) contradiction ??= { itemId, offset, final };
    else if (final !== undefined && final !== shown)
      notes.push(`The streamed text of ${nameOf(itemId)} differs from its final text in white space.`);
  }
  return { contradiction, notes };
}

/** Returns the offset at which a text is not what the server reported, or may not be. */
function contradictedAt(
  { shown, final, confirmed, differsAt, isListed }: StreamedText,
  hasGap: boolean,
): number | undefined {
  if (shown === '') return undefined;
  // Some servers report a text without the white space at its ends. Where an event is missing, it may have been in it.
  if (final !== undefined)
    return shown === final || (!hasGap && isSameText(shown, final)) ? undefined : sharedLength(shown, final);
  if (!isListed) return 0;
  if (differsAt !== undefined) return differsAt;
  return confirmed < shown.length && hasGap ? confirmed : undefined;
}

/** Returns true if two texts differ at most in white space at their ends. */
export const isSameText = (shown: string, final: string): boolean =>
  shown === final || shown.trim() === final.trim();

export function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

export const nameOf = (itemId: string | undefined): string =>
  itemId === undefined ? 'a message' : `message ${JSON.stringify(itemId)}`;

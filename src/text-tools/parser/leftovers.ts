import type { MarkerKind, Markers } from './markers.js';
import type { Preceding } from './text-output.js';
import { findSpaceEnd, type Reading, type TextCursor } from '../reading/text-cursor.js';

export interface LeftoverOptions {
  /** The marker at the current position. */
  readonly marker: string;
  readonly kind: Exclude<MarkerKind, 'reasoning' | 'wrapper' | 'wrapper-end'>;
  readonly preceding: Preceding;
  readonly markers: Markers;
  /** The text before the marker may be reasoning whose opening tag is missing. */
  readonly mayBeReasoning: boolean;
  /** The text contains the start of a call that is none, so the end of a call may belong to it. */
  readonly hasOpener: boolean;
}

/** Characters before and after a marker that prose mentions. */
const BEFORE_MENTION = /[ \t"'“”‘’«»(]/;
const AFTER_MENTION = /[ \t"'“”‘’«»).,;:!?]/;

/** Returns true if a marker is dropped, and false if it is part of the text, which may mention it. */
export function* isLeftover(
  cursor: TextCursor,
  { marker, kind, preceding, markers, mayBeReasoning, hasOpener }: LeftoverOptions,
): Reading<boolean> {
  const mayBeMention = preceding === 'text' && followsMention(cursor);
  switch (kind) {
    case 'leftover':
      return true;
    case 'reasoning-end':
      return preceding === 'nothing' || (mayBeReasoning && !mayBeMention);
    case 'artefact':
      return !mayBeMention || !(yield* isMention(cursor, marker));
    case 'turn-end':
      return !mayBeMention && (yield* endsText(cursor, { marker, markers }));
    case 'closer':
      if (mayBeMention || hasOpener) return false;
      if (
        (preceding !== 'text' || cursor.previous === '\n') &&
        /[\r\n]/.test((yield* cursor.peek(marker.length)) ?? '')
      )
        return true;
      return (
        (yield* endsText(cursor, { marker, markers })) || (yield* precedesCall(cursor, { marker, markers }))
      );
  }
}

const followsMention = (cursor: TextCursor): boolean => BEFORE_MENTION.test(cursor.previous);

/** Returns true if the text mentions the marker in a sentence. */
export function* isMention(cursor: TextCursor, marker: string): Reading<boolean> {
  if (!followsMention(cursor)) return false;
  const next = yield* cursor.peek(marker.length);
  return next !== undefined && AFTER_MENTION.test(next);
}

/** The maximum number of markers at the end of a turn. */
const MAX_ENDS = 4;

const MAX_SPACE = 32;

function* precedesCall(
  cursor: TextCursor,
  { marker, markers }: Pick<LeftoverOptions, 'marker' | 'markers'>,
): Reading<boolean> {
  const offset = yield* findSpaceEnd(cursor, { start: marker.length, most: MAX_SPACE });
  return yield* startsCall(cursor, { offset, markers });
}

/** Returns true if a marker that starts a call comes at `offset`. */
export function* startsCall(
  cursor: TextCursor,
  { offset, markers }: { offset: number; markers: Markers },
): Reading<boolean> {
  for (const start of [...markers.openers.keys(), ...markers.afterPrefix.keys()]) {
    if (!markers.isBare(start) && (yield* cursor.sees(start, offset))) return true;
  }
  return false;
}

/** Returns true if only white space, ends of turns and ends of calls follow. */
function* endsText(
  cursor: TextCursor,
  { marker, markers }: Pick<LeftoverOptions, 'marker' | 'markers'>,
): Reading<boolean> {
  let offset = marker.length;
  for (let count = 0; count < MAX_ENDS; count++) {
    offset = yield* findSpaceEnd(cursor, { start: offset, most: MAX_SPACE });
    if ((yield* cursor.peek(offset)) === undefined) return true;
    const next = yield* findEnd(cursor, { offset, markers });
    if (next === undefined) return false;
    offset += next.length;
  }
  return (yield* cursor.peek(offset)) === undefined;
}

function* findEnd(
  cursor: TextCursor,
  { offset, markers }: { offset: number; markers: Markers },
): Reading<string | undefined> {
  for (const end of markers.ends) if (yield* cursor.sees(end, offset)) return end;
  return undefined;
}

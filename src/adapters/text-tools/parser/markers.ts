import { findSpaceEnd, type Reading, type TextCursor, toStopExpression } from '../reading/text-cursor.js';
import type { Preceding } from './text-output.js';
import type { ReasoningTags, TextToolFormat } from '../reading/text-tool-format.js';

/** The markers that a parser recognizes, and their positions. */
export interface Markers {
  /** The markers that count after each kind of content, and at the start of a line within text. */
  readonly after: Readonly<Record<Preceding | 'line-break', readonly string[]>>;
  /** Matches the first character of any marker that counts after each kind of content. */
  readonly start: Readonly<Record<Preceding, RegExp>>;
  isStart(character: string, preceding: Preceding): boolean;
  readonly longest: number;
  /** Returns true if the marker is part of the call itself. */
  isBare(marker: string): boolean;
  /** Returns true if formats read the marker themselves. */
  isWhole(marker: string): boolean;
  /** The formats of calls that start with a marker. */
  readonly openers: ReadonlyMap<string, readonly TextToolFormat[]>;
  /** The markers that may follow a prefix. */
  readonly afterPrefix: ReadonlyMap<string, readonly string[]>;
  /** The closing tag of each opening tag. */
  readonly reasoning: ReadonlyMap<string, string>;
  readonly reasoningEnders: readonly string[];
  /** Returns true if the opening tag of reasoning counts anywhere. */
  isAnywhere(open: string): boolean;
  /** Returns true if a name may follow the opening tag of reasoning. */
  hasName(open: string): boolean;
  /** The end of the tag pair around the visible text, by its start. */
  readonly wrappers: ReadonlyMap<string, string>;
  /** Returns what a marker is that starts no call. */
  kindOf(marker: string, preceding: Preceding): MarkerKind | undefined;
  /** The ends of turns and of calls, which only white space may follow at the end of a text. */
  readonly ends: readonly string[];
}

export type MarkerKind =
  /** The opening or closing tag of reasoning. */
  | 'reasoning'
  | 'reasoning-end'
  /** The tags around the visible text. */
  | 'wrapper'
  | 'wrapper-end'
  /** A leftover after a call or reasoning, which belongs to it. */
  | 'leftover'
  /** Dropped everywhere. */
  | 'artefact'
  /** The end of a call that did not start. */
  | 'closer'
  /** Dropped at the end of the text. */
  | 'turn-end';

interface FormatMarkers {
  readonly all: Markers;
  /** The markers that matter without tools. Used if no tool is declared. */
  readonly undeclared: Markers;
}

const cache = new WeakMap<readonly TextToolFormat[], Map<readonly ReasoningTags[], FormatMarkers>>();

/** Cached by the identity of the lists, so that the first delta of a response does not wait for the computation. */
export function markersOf(
  formats: readonly TextToolFormat[],
  reasoning: readonly ReasoningTags[],
): FormatMarkers {
  const byReasoning = cache.get(formats) ?? new Map<readonly ReasoningTags[], FormatMarkers>();
  const markers = byReasoning.get(reasoning) ?? {
    all: toMarkers(formats, reasoning),
    undeclared: toMarkers(formats.map(toUndeclared), reasoning),
  };
  cache.set(formats, byReasoning.set(reasoning, markers));
  return markers;
}

/** Returns a format without calls, unless they matter without tools. */
function toUndeclared(format: TextToolFormat): TextToolFormat {
  if (format.undeclared !== undefined || format.isMessageMarkup === true) return format;
  const { artefacts = [], turnEnds = [], wrappers = [], ...rest } = format;
  return { name: rest.name, read: rest.read, openers: [], artefacts, turnEnds, wrappers };
}

function toMarkers(formats: readonly TextToolFormat[], reasoning: readonly ReasoningTags[]): Markers {
  const openers = new Map<string, TextToolFormat[]>();
  const afterPrefix = new Map<string, string[]>();
  for (const format of formats) {
    const starts = [...format.openers, ...(format.lineOpeners ?? []), ...(format.startOpeners ?? [])];
    for (const opener of starts) openers.set(opener, [...(openers.get(opener) ?? []), format]);
    for (const prefix of format.prefixes ?? []) {
      const next = [...(afterPrefix.get(prefix) ?? []), ...starts, ...(format.prefixes ?? [])];
      afterPrefix.set(prefix, unique(next));
    }
  }
  const allOf = (list: (format: TextToolFormat) => readonly string[] | undefined) =>
    formats.flatMap(format => list(format) ?? []);
  const artefacts = allOf(format => format.artefacts);
  const turnEnds = unique(allOf(format => format.turnEnds));
  const closers = allOf(format => format.closers);
  const reasoningStarts = reasoning.map(tags => tags.open);
  const reasoningEnds = reasoning.map(tags => tags.close);
  const bare = new Set(allOf(format => format.startOpeners));
  const wrappers = new Map(
    formats.flatMap(format => (format.wrappers ?? []).map(wrapper => [wrapper.open, wrapper.close] as const)),
  );
  const wrapperEnds = [...wrappers.values()].flatMap(close => [close, `\n${close}`]);
  const callStarts = [...allOf(format => format.openers), ...afterPrefix.keys()];
  const ownClosers = allOf(format => (format.isDetected === true ? [] : format.closers));
  const strayClosers = unique(ownClosers.filter(closer => isMarkupOf(closer, callStarts)));
  const anywhere = [
    ...callStarts,
    ...strayClosers,
    ...artefacts,
    ...turnEnds,
    ...wrapperEnds,
    ...reasoningStarts,
    ...reasoningEnds,
  ];
  const atLineStart = [...anywhere, ...allOf(format => format.lineOpeners)];
  const atStart = [...atLineStart, ...bare, ...wrappers.keys()];
  const after = {
    nothing: unique(atStart),
    call: unique([...atStart, ...closers]),
    reasoning: unique(atStart),
    text: unique(anywhere),
    'line-break': unique(atLineStart),
  };
  const all = unique(Object.values(after).flat());
  const firstOf = (preceding: keyof typeof after) =>
    new Set(after[preceding].map(marker => marker.charAt(0)));
  const starts = {
    nothing: firstOf('nothing'),
    call: firstOf('call'),
    reasoning: firstOf('reasoning'),
    text: firstOf('line-break'),
  };

  return {
    after,
    start: {
      nothing: toStopExpression(after.nothing),
      call: toStopExpression(after.call),
      reasoning: toStopExpression(after.reasoning),
      text: toStopExpression(after['line-break']),
    },
    isStart: (character, preceding) => starts[preceding].has(character),
    longest: Math.max(0, ...all.map(marker => marker.length)),
    isBare: marker => bare.has(marker),
    isWhole: marker => openers.get(marker)?.some(format => format.readsOpener === true) === true,
    openers,
    afterPrefix,
    reasoning: new Map(reasoning.map(tags => [tags.open, tags.close])),
    reasoningEnders: unique(allOf(format => format.reasoningEnders)),
    isAnywhere: open => reasoning.some(tags => tags.open === open && tags.isAnywhere === true),
    hasName: open => reasoning.some(tags => tags.open === open && tags.hasName === true),
    wrappers,
    ends: unique([...turnEnds, ...strayClosers]),
    kindOf(marker, preceding) {
      const belongsTo = preceding === 'call' ? [...closers, ...reasoningEnds] : reasoningEnds;
      if ((preceding === 'call' || preceding === 'reasoning') && belongsTo.includes(marker))
        return 'leftover';
      if (reasoningStarts.includes(marker)) return 'reasoning';
      // The end of reasoning may end text as well.
      if (preceding === 'text' && artefacts.includes(marker) && !openers.has(marker)) return 'artefact';
      if (reasoningEnds.includes(marker)) return 'reasoning-end';
      if (wrappers.has(marker)) return 'wrapper';
      if (wrapperEnds.includes(marker)) return 'wrapper-end';
      if (artefacts.includes(marker) && !openers.has(marker)) return 'artefact';
      if (turnEnds.includes(marker)) return 'turn-end';
      return strayClosers.includes(marker) && !openers.has(marker) && !afterPrefix.has(marker)
        ? 'closer'
        : undefined;
    },
  };
}

/** Returns true for a special token, and for the closing tag of an element that starts calls. Others may be HTML. */
function isMarkupOf(closer: string, callStarts: readonly string[]): boolean {
  const [, name] = /^<\/(.*)>$/.exec(closer) ?? [];
  if (name !== undefined) return callStarts.some(start => /^<([\w:.-]+)/.exec(start)?.[1] === name);
  return /^[<[]/.test(closer);
}

const unique = (markers: readonly string[]): string[] => [...new Set(markers)];

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
      if (hasOpener) return false;
      // Text that ends a line with the marker mentions it, unless a call is next.
      if (mayBeMention)
        return (
          (yield* cursor.peek(marker.length)) === '\n' && (yield* precedesCall(cursor, { marker, markers }))
        );
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

function* precedesCall(
  cursor: TextCursor,
  options: Pick<LeftoverOptions, 'marker' | 'markers'>,
): Reading<boolean> {
  const offset = yield* findSpaceEnd(cursor, { start: options.marker.length });
  return yield* startsCall(cursor, offset, options.markers);
}

/** Returns true if a marker that starts a call comes at `offset`. */
export function* startsCall(cursor: TextCursor, offset: number, markers: Markers): Reading<boolean> {
  for (const start of [...markers.openers.keys(), ...markers.afterPrefix.keys()]) {
    if (!markers.isBare(start) && (yield* cursor.sees(start, offset))) return true;
  }
  return false;
}

/** Returns true if only white space, ends of turns and ends of calls follow. */
function* endsText(
  cursor: TextCursor,
  options: Pick<LeftoverOptions, 'marker' | 'markers'>,
): Reading<boolean> {
  let offset = options.marker.length;
  for (let count = 0; count < MAX_ENDS; count++) {
    offset = yield* findSpaceEnd(cursor, { start: offset });
    if ((yield* cursor.peek(offset)) === undefined) return true;
    const next = yield* findEnd(cursor, { offset, markers: options.markers });
    if (next === undefined) return false;
    offset += next.length;
  }
  return (yield* cursor.peek(offset)) === undefined;
}

function* findEnd(
  cursor: TextCursor,
  options: { offset: number; markers: Markers },
): Reading<string | undefined> {
  for (const end of options.markers.ends) if (yield* cursor.sees(end, options.offset)) return end;
  return undefined;
}

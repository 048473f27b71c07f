import type { ReasoningTags } from './reasoning-tags.js';
import type { TextToolFormat } from './text-tool-format.js';

/** What a place in a text is behind: nothing at all, a call, reasoning, or other text. */
export type Behind = 'nothing' | 'call' | 'reasoning' | 'text';

/** The texts that mean something to a parser, and where they do. */
export interface Markers {
  /** Those that count at a place. */
  readonly behind: Readonly<Record<Behind, readonly string[]>>;
  /** Finds what may be the beginning of one. */
  readonly start: RegExp;
  isStart(character: string): boolean;
  readonly longest: number;
  /** Whether the marker is part of the call itself. */
  isBare(marker: string): boolean;
  /** The formats of a call that begins with the marker. */
  readonly openers: ReadonlyMap<string, readonly TextToolFormat[]>;
  /** What may stand behind a prefix. */
  readonly behindPrefix: ReadonlyMap<string, readonly string[]>;
  /** The closing tag for an opening one. */
  readonly reasoning: ReadonlyMap<string, string>;
  readonly reasoningEnders: readonly string[];
  /** Whether the marker is left over, and dropped. */
  isDropped(marker: string, behind: Behind): boolean;
}

interface MarkersOfFormats {
  readonly all: Markers;
  /** Where no tool is declared: of the formats that have a use for calls of others. */
  readonly undeclared: Markers;
}

/** By the lists they are made of, which are the same for all answers that go through a middleware. */
const known = new WeakMap<readonly TextToolFormat[], Map<readonly ReasoningTags[], MarkersOfFormats>>();

/** Made once for lists that are the same objects: the first word of an answer should not wait for it. */
export function markersOf(
  formats: readonly TextToolFormat[],
  reasoning: readonly ReasoningTags[],
): MarkersOfFormats {
  const byReasoning = known.get(formats) ?? new Map<readonly ReasoningTags[], MarkersOfFormats>();
  const undeclared = formats.filter(format => format.undeclared !== undefined);
  const markers = byReasoning.get(reasoning) ?? {
    all: toMarkers(formats, reasoning),
    undeclared: toMarkers(undeclared, reasoning),
  };
  known.set(formats, byReasoning.set(reasoning, markers));
  return markers;
}

function toMarkers(formats: readonly TextToolFormat[], reasoning: readonly ReasoningTags[]): Markers {
  const openers = new Map<string, TextToolFormat[]>();
  const behindPrefix = new Map<string, string[]>();
  for (const format of formats) {
    const own = [...format.openers, ...(format.startOpeners ?? [])];
    for (const opener of own) openers.set(opener, [...(openers.get(opener) ?? []), format]);
    for (const prefix of format.prefixes ?? []) {
      const next = [...(behindPrefix.get(prefix) ?? []), ...own, ...(format.prefixes ?? [])];
      behindPrefix.set(prefix, [...new Set(next)]);
    }
  }
  const allOf = (list: (format: TextToolFormat) => readonly string[] | undefined) =>
    formats.flatMap(format => list(format) ?? []);
  const artefacts = allOf(format => format.artefacts);
  const closers = allOf(format => format.closers);
  const reasoningEnds = reasoning.map(({ close }) => close);
  const bare = new Set(allOf(format => format.startOpeners));
  const anywhere = [...allOf(format => format.openers), ...behindPrefix.keys(), ...artefacts];
  const atStart = [
    ...anywhere,
    ...allOf(format => format.startOpeners),
    ...reasoning.map(({ open }) => open),
  ];
  const behind = {
    nothing: unique(atStart),
    call: unique([...atStart, ...closers]),
    reasoning: unique([...atStart, ...reasoningEnds]),
    text: unique(anywhere),
  };
  const all = unique(Object.values(behind).flat());
  const starts = new Set(all.map(marker => marker.charAt(0)));

  return {
    behind,
    start: toStop(all),
    isStart: character => starts.has(character),
    longest: Math.max(0, ...all.map(marker => marker.length)),
    isBare: marker => bare.has(marker),
    openers,
    behindPrefix,
    reasoning: new Map(reasoning.map(({ open, close }) => [open, close])),
    reasoningEnders: unique(allOf(format => format.reasoningEnders)),
    isDropped: (marker, place) =>
      artefacts.includes(marker) ||
      (place === 'call' && closers.includes(marker)) ||
      (place === 'reasoning' && reasoningEnds.includes(marker)),
  };
}

const unique = (markers: readonly string[]): readonly string[] => [...new Set(markers)];

/** Finds the first characters of the markers. Without any marker it finds nothing. */
export const toStop = (markers: readonly string[]): RegExp =>
  new RegExp(
    markers.length === 0
      ? '(?!)'
      : `[${unique(markers.map(marker => `\\u${marker.charCodeAt(0).toString(16).padStart(4, '0')}`)).join('')}]`,
    'g',
  );

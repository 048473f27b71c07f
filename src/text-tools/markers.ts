import type { ReasoningTags } from './reasoning.js';
import { toStopExpression } from './text-cursor.js';
import type { TextToolFormat } from './text-tool-format.js';

/** The content directly before a position in a text. */
export type Preceding = 'nothing' | 'call' | 'reasoning' | 'text';

/** The markers that a parser recognizes, and their positions. */
export interface Markers {
  /** The markers that count after each kind of content. */
  readonly after: Readonly<Record<Preceding, readonly string[]>>;
  /** Matches the first character of any marker. */
  readonly start: RegExp;
  isStart(character: string): boolean;
  readonly longest: number;
  /** Returns true if the marker is part of the call itself. */
  isBare(marker: string): boolean;
  /** The formats of calls that start with a marker. */
  readonly openers: ReadonlyMap<string, readonly TextToolFormat[]>;
  /** The markers that may follow a prefix. */
  readonly afterPrefix: ReadonlyMap<string, readonly string[]>;
  /** The closing tag of each opening tag. */
  readonly reasoning: ReadonlyMap<string, string>;
  readonly reasoningEnders: readonly string[];
  /** Returns true if the marker is a leftover that is dropped. */
  isDropped(marker: string, preceding: Preceding): boolean;
}

interface FormatMarkers {
  readonly all: Markers;
  /** The markers of formats that replace calls of undeclared tools. Used if no tool is declared. */
  readonly undeclared: Markers;
}

const cache = new WeakMap<readonly TextToolFormat[], Map<readonly ReasoningTags[], FormatMarkers>>();

/** Cached by the identity of the lists, so that the first delta of a response does not wait for the computation. */
export function markersOf(
  formats: readonly TextToolFormat[],
  reasoning: readonly ReasoningTags[],
): FormatMarkers {
  const byReasoning = cache.get(formats) ?? new Map<readonly ReasoningTags[], FormatMarkers>();
  const undeclared = formats.filter(format => format.undeclared !== undefined);
  const markers = byReasoning.get(reasoning) ?? {
    all: toMarkers(formats, reasoning),
    undeclared: toMarkers(undeclared, reasoning),
  };
  cache.set(formats, byReasoning.set(reasoning, markers));
  return markers;
}

function toMarkers(formats: readonly TextToolFormat[], reasoning: readonly ReasoningTags[]): Markers {
  const openers = new Map<string, TextToolFormat[]>();
  const afterPrefix = new Map<string, string[]>();
  for (const format of formats) {
    const starts = [...format.openers, ...(format.startOpeners ?? [])];
    for (const opener of starts) openers.set(opener, [...(openers.get(opener) ?? []), format]);
    for (const prefix of format.prefixes ?? []) {
      const next = [...(afterPrefix.get(prefix) ?? []), ...starts, ...(format.prefixes ?? [])];
      afterPrefix.set(prefix, unique(next));
    }
  }
  const allOf = (list: (format: TextToolFormat) => readonly string[] | undefined) =>
    formats.flatMap(format => list(format) ?? []);
  const artefacts = allOf(format => format.artefacts);
  const closers = allOf(format => format.closers);
  const reasoningEnds = reasoning.map(({ close }) => close);
  const bare = new Set(allOf(format => format.startOpeners));
  const anywhere = [...allOf(format => format.openers), ...afterPrefix.keys(), ...artefacts];
  const atStart = [...anywhere, ...bare, ...reasoning.map(({ open }) => open)];
  const after = {
    nothing: unique(atStart),
    call: unique([...atStart, ...closers]),
    reasoning: unique([...atStart, ...reasoningEnds]),
    text: unique(anywhere),
  };
  const all = unique(Object.values(after).flat());
  const starts = new Set(all.map(marker => marker.charAt(0)));

  return {
    after,
    start: toStopExpression(all),
    isStart: character => starts.has(character),
    longest: Math.max(0, ...all.map(marker => marker.length)),
    isBare: marker => bare.has(marker),
    openers,
    afterPrefix,
    reasoning: new Map(reasoning.map(({ open, close }) => [open, close])),
    reasoningEnders: unique(allOf(format => format.reasoningEnders)),
    isDropped: (marker, preceding) =>
      artefacts.includes(marker) ||
      (preceding === 'call' && closers.includes(marker)) ||
      (preceding === 'reasoning' && reasoningEnds.includes(marker)),
  };
}

const unique = (markers: readonly string[]): string[] => [...new Set(markers)];

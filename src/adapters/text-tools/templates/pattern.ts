/*
 * Regular expressions of Python, as response templates contain them. They are run on all alternatives at once, so that the
 * time is linear in the text for any expression, and text may arrive in chunks.
 */

import {
  literalNode,
  literalsOf,
  type Node,
  PatternError,
  prefixesOf,
  readPattern,
} from './pattern-syntax.js';

type Instruction =
  | { readonly kind: 'character'; readonly accepts: (character: string) => boolean }
  | { readonly kind: 'start' | 'end' | 'match' }
  | { readonly kind: 'split'; readonly first: number; readonly second: number }
  | { readonly kind: 'save'; readonly slot: number };

/** A compiled expression. */
export interface TemplatePattern {
  readonly program: readonly Instruction[];
  /** The names of the groups. Group `i` has the slots `2i + 2` and `2i + 3`. */
  readonly names: readonly string[];
  /** The literal texts with which a match starts, or undefined if a match may start with anything. */
  readonly prefixes: readonly string[] | undefined;
  /** The texts that match, if these are a few literals, apart from white space around them. */
  readonly literals: readonly string[] | undefined;
  /** The expression matches the empty text at the start. */
  readonly matchesStart: boolean;
}

const MAX_SIZE = 2000;

/** Compiles an expression of Python in which the dot matches line feeds. @throws PatternError */
export function compileTemplatePattern(source: string): TemplatePattern {
  const { alternatives, names } = readPattern(source);
  const root: Node = { kind: 'group', alternatives };
  const prefixes = prefixesOf([root]);
  return {
    program: toProgram(root, names),
    names,
    prefixes: prefixes?.includes('') === true && !alternatives.some(isStartOnly) ? undefined : prefixes,
    literals: literalsOf(alternatives),
    matchesStart: alternatives.some(isStartOnly) || onlyGroup(alternatives)?.some(isStartOnly) === true,
  };
}

/** Compiles an expression that matches one of several texts, the longest first. */
export const compileLiterals = (literals: readonly string[]): TemplatePattern => {
  const ordered = literals.toSorted((a, b) => b.length - a.length);
  const root: Node = { kind: 'group', alternatives: ordered.map(text => [...text].map(literalNode)) };
  return {
    program: toProgram(root, []),
    names: [],
    prefixes: ordered,
    literals: ordered,
    matchesStart: false,
  };
};

const isStartOnly = (nodes: readonly Node[]): boolean => nodes.length === 1 && nodes[0]?.kind === 'start';

const onlyGroup = ([nodes, ...others]: readonly (readonly Node[])[]) => {
  const [node, ...rest] = nodes ?? [];
  return others.length === 0 && rest.length === 0 && node?.kind === 'group' ? node.alternatives : undefined;
};

function toProgram(root: Node, names: readonly string[]): Instruction[] {
  const program: Instruction[] = [];
  const add = (instruction: Instruction): number => {
    if (program.push(instruction) > MAX_SIZE) throw new PatternError('a shorter expression');
    return program.length - 1;
  };

  function addNode(node: Node): void {
    switch (node.kind) {
      case 'group': {
        const slot = node.name === undefined ? 0 : 2 * names.indexOf(node.name) + 2;
        if (slot > 0) add({ kind: 'save', slot });
        addAlternatives(node.alternatives);
        if (slot > 0) add({ kind: 'save', slot: slot + 1 });
        return;
      }
      case 'repeat':
        addRepeat(node);
        return;
      default:
        add(node);
    }
  }

  function addAlternatives([first = [], ...others]: readonly (readonly Node[])[]): void {
    if (others.length === 0) return first.forEach(addNode);
    const split = add({ kind: 'match' });
    first.forEach(addNode);
    const jump = add({ kind: 'match' });
    program[split] = { kind: 'split', first: split + 1, second: program.length };
    addAlternatives(others);
    program[jump] = { kind: 'split', first: program.length, second: program.length };
  }

  function addRepeat({ node, least, most, isLazy }: Extract<Node, { kind: 'repeat' }>): void {
    const choice = (into: number, past: number): Instruction =>
      isLazy ? { kind: 'split', first: past, second: into } : { kind: 'split', first: into, second: past };
    for (let count = 0; count < least; count++) addNode(node);
    if (most === Infinity) {
      const split = add({ kind: 'match' });
      addNode(node);
      add({ kind: 'split', first: split, second: split });
      program[split] = choice(split + 1, program.length);
      return;
    }
    const splits: number[] = [];
    for (let count = least; count < most; count++) {
      splits.push(add({ kind: 'match' }));
      addNode(node);
    }
    for (const split of splits) program[split] = choice(split + 1, program.length);
  }

  addNode(root);
  add({ kind: 'match' });
  return program;
}

/** A match of an expression: positions, and the texts of the named groups. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  /** Positions by slot. */
  readonly slots: readonly (number | undefined)[];
}

interface Thread {
  readonly at: number;
  readonly slots: readonly (number | undefined)[];
}

/** Runs an expression over text that arrives in chunks. */
export class PatternRun {
  /** The match, once it is certain. */
  match: PatternMatch | undefined;
  /** True if the match is certain, or no match is possible any more. */
  isDone = false;
  /** The number of steps, which measures the work done. */
  steps = 0;
  private threads: Thread[] = [];
  private found: PatternMatch | undefined;

  /** @param isSearch A match may start at any position. */
  constructor(
    private readonly pattern: TemplatePattern,
    private readonly isSearch: boolean,
  ) {}

  /** The position from which text may belong to a match. */
  get heldFrom(): number | undefined {
    return Math.min(...this.threads.map(thread => thread.slots[0] ?? 0), this.found?.start ?? Infinity);
  }

  /** Reads the character at a position, or the end of the text. `isStart` is true at the start of the response. */
  step(character: string | undefined, position: number, isStart: boolean): void {
    if (this.isDone) return;
    const started = this.found === undefined && (this.isSearch || this.steps === 0);
    const pending = started ? [...this.threads, { at: 0, slots: [position] }] : this.threads;
    this.steps++;
    const seen = new Set<number>();
    const next: Thread[] = [];
    for (const thread of pending) {
      if (this.follow(thread, { character, position, isStart, seen, next })) break;
    }
    this.threads = next;
    const canStart = this.isSearch && this.found === undefined;
    if (character === undefined || (next.length === 0 && !canStart)) {
      this.isDone = true;
      this.match = this.found;
    }
  }

  /** Follows a thread up to the characters that it accepts. Returns true if it matches, which ends those of lower priority. */
  private follow(
    thread: Thread,
    context: {
      character: string | undefined;
      position: number;
      isStart: boolean;
      seen: Set<number>;
      next: Thread[];
    },
  ): boolean {
    const { character, position, isStart, seen, next } = context;
    const open = [thread];
    for (let current = open.pop(); current !== undefined; current = open.pop()) {
      const { at, slots } = current;
      if (seen.has(at)) continue;
      seen.add(at);
      this.steps++;
      const instruction = this.pattern.program[at];
      switch (instruction?.kind) {
        case 'split':
          open.push({ at: instruction.second, slots }, { at: instruction.first, slots });
          break;
        case 'save': {
          const saved = [...slots];
          saved[instruction.slot] = position;
          open.push({ at: at + 1, slots: saved });
          break;
        }
        case 'start':
          if (isStart) open.push({ at: at + 1, slots });
          break;
        case 'end':
          if (character === undefined) open.push({ at: at + 1, slots });
          break;
        case 'character':
          if (character !== undefined && instruction.accepts(character)) next.push({ at: at + 1, slots });
          break;
        case 'match':
          this.found = { start: slots[0] ?? 0, end: position, slots };
          return true;
        case undefined:
          break;
      }
    }
    return false;
  }
}

/** Returns the matches of an expression in a complete text, or undefined if the search takes too long. */
export function findAll(
  pattern: TemplatePattern,
  text: string,
): readonly Readonly<Record<string, string | undefined>>[] | undefined {
  const matches: Record<string, string | undefined>[] = [];
  const most = 64 * (text.length + 64) * 8;
  let steps = 0;
  for (let from = 0; from <= text.length;) {
    const run = new PatternRun(pattern, true);
    for (let at = from; at <= text.length && !run.isDone; at++) run.step(text[at], at, at === 0);
    steps += run.steps;
    if (steps > most) return undefined;
    if (run.match === undefined) break;
    matches.push(groupsOf(pattern, run.match, text));
    from = run.match.end > from ? run.match.end : from + 1;
  }
  return matches;
}

/** Returns the texts of the named groups of a match. */
export function groupsOf(
  pattern: TemplatePattern,
  match: PatternMatch,
  text: string,
): Record<string, string | undefined> {
  const groups: Record<string, string | undefined> = {};
  for (const [index, name] of pattern.names.entries()) {
    const start = match.slots[2 * index + 2];
    const end = match.slots[2 * index + 3];
    groups[name] = start === undefined || end === undefined ? undefined : text.slice(start, end);
  }
  return groups;
}

/*
 * The syntax of the regular expressions of Python that response templates contain.
 */

/** The parts of an expression. */
export type Node =
  | {
      readonly kind: 'character';
      readonly accepts: (character: string) => boolean;
      readonly literal?: string;
    }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | {
      readonly kind: 'group';
      readonly name?: string | undefined;
      readonly alternatives: readonly (readonly Node[])[];
    }
  | {
      readonly kind: 'repeat';
      readonly node: Node;
      readonly least: number;
      readonly most: number;
      readonly isLazy: boolean;
    };

/** An expression that cannot be used. The message completes "expected …". */
export class PatternError extends Error {}

const isWord = (character: string): boolean => /[\p{L}\p{N}_]/u.test(character);
const isSpace = (character: string): boolean => /\s/.test(character);
const isDigit = (character: string): boolean => /\p{Nd}/u.test(character);
const CLASSES: Readonly<Record<string, (character: string) => boolean>> = {
  w: isWord,
  s: isSpace,
  d: isDigit,
  W: character => !isWord(character),
  S: character => !isSpace(character),
  D: character => !isDigit(character),
};
const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\u0007',
};
const CODES: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

export const literalNode = (literal: string): Node => ({
  kind: 'character',
  literal,
  accepts: character => character === literal,
});

/** Reads an expression of Python. @throws PatternError */
export function readPattern(source: string): { alternatives: Node[][]; names: string[] } {
  const reader = new PatternReader(source);
  return { alternatives: reader.read(), names: reader.names };
}

/** Reads an expression. */
class PatternReader {
  readonly names: string[] = [];
  private readonly characters: readonly string[];
  private at = 0;

  constructor(source: string) {
    this.characters = [...source];
  }

  read(): Node[][] {
    const alternatives = this.readAlternatives();
    if (this.at < this.characters.length) throw new PatternError('an opening parenthesis');
    return alternatives;
  }

  private takes(text: string): boolean {
    if (this.characters.slice(this.at, this.at + text.length).join('') !== text) return false;
    this.at += text.length;
    return true;
  }

  private readAlternatives(): Node[][] {
    const alternatives: Node[][] = [[]];
    while (this.at < this.characters.length && this.characters[this.at] !== ')') {
      if (this.takes('|')) alternatives.push([]);
      else alternatives.at(-1)?.push(this.readQuantified(this.readAtom()));
    }
    return alternatives;
  }

  private readAtom(): Node {
    const character = this.characters[this.at++] ?? '';
    if (character === '(') return this.readGroup();
    if (character === '[') return this.readClass();
    if (character === '.') return { kind: 'character', accepts: () => true };
    if (character === '^') return { kind: 'start' };
    if (character === '$') return { kind: 'end' };
    if (character === '\\') return this.readEscape();
    if ('*+?'.includes(character)) throw new PatternError(`something before \`${character}\``);
    return literalNode(character);
  }

  private readGroup(): Node {
    let name: string | undefined;
    if (this.takes('?P<')) {
      name = '';
      while (this.at < this.characters.length && this.characters[this.at] !== '>')
        name += this.characters[this.at++];
      if (!this.takes('>') || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name))
        throw new PatternError('a name in `(?P<…>`');
      if (this.names.includes(name)) throw new PatternError(`one group named \`${name}\``);
      this.names.push(name);
    } else if (!this.takes('?:') && this.characters[this.at] === '?') {
      const kind = this.characters.slice(this.at, this.at + 3).join('');
      throw new PatternError(
        /^\?(?:[=!]|<[=!])/.test(kind)
          ? `no look-around, got \`(${kind}\``
          : `groups of the kinds \`(\`, \`(?:\` and \`(?P<name>\`, got \`(${kind}\``,
      );
    }
    const alternatives = this.readAlternatives();
    if (!this.takes(')')) throw new PatternError('a closing parenthesis');
    return { kind: 'group', name, alternatives };
  }

  private readCode(letter: string): string {
    const length = CODES[letter] ?? 0;
    const digits = this.characters.slice(this.at, this.at + length).join('');
    if (!/^[\da-f]+$/i.test(digits) || digits.length < length)
      throw new PatternError(`digits after \`\\${letter}\``);
    this.at += length;
    return String.fromCodePoint(Number.parseInt(digits, 16));
  }

  /** Returns the literal of an escape sequence, or undefined for a class. */
  private readLiteral(letter: string): string {
    if (letter in CODES) return this.readCode(letter);
    if (letter in CONTROLS) return CONTROLS[letter] ?? '';
    if (/[\p{L}\p{N}]/u.test(letter) || letter === '') {
      throw new PatternError(`no \`\\${letter}\`, which this package does not support`);
    }
    return letter;
  }

  private readEscape(): Node {
    const letter = this.characters[this.at++] ?? '';
    if (letter === 'A') return { kind: 'start' };
    if (letter === 'Z') return { kind: 'end' };
    const accepts = CLASSES[letter];
    return accepts === undefined ? literalNode(this.readLiteral(letter)) : { kind: 'character', accepts };
  }

  private readClass(): Node {
    const isNegated = this.takes('^');
    const tests: ((character: string) => boolean)[] = [];
    for (let isFirst = true; isFirst || this.characters[this.at] !== ']'; isFirst = false) {
      const start = this.characters[this.at++];
      if (start === undefined) throw new PatternError('a closing bracket');
      const letter = start === '\\' ? (this.characters[this.at++] ?? '') : undefined;
      const accepts = letter === undefined ? undefined : CLASSES[letter];
      if (accepts !== undefined) {
        tests.push(accepts);
        continue;
      }
      const from = letter === undefined ? start : this.readLiteral(letter);
      let to = from;
      if (
        this.characters[this.at] === '-' &&
        this.characters[this.at + 1] !== ']' &&
        this.at + 1 < this.characters.length
      ) {
        this.at++;
        const end = this.characters[this.at++] ?? '';
        to = end === '\\' ? this.readLiteral(this.characters[this.at++] ?? '') : end;
      }
      tests.push(character => character >= from && character <= to);
    }
    this.at++;
    return { kind: 'character', accepts: character => tests.some(test => test(character)) !== isNegated };
  }

  private readQuantified(node: Node): Node {
    const [written, least, comma, most] =
      /^(?:[*+?]|\{(\d+)(,?)(\d*)\}|\{(?=,\d+\}),(\d+)\})/.exec(
        this.characters.slice(this.at, this.at + 16).join(''),
      ) ?? [];
    if (written === undefined) return node;
    this.at += written.length;
    if (this.characters[this.at] === '+') throw new PatternError('no possessive quantifier');
    const isLazy = this.takes('?');
    if (node.kind === 'start' || node.kind === 'end')
      throw new PatternError(`nothing after \`${node.kind}\``);
    if (written === '*') return { kind: 'repeat', node, least: 0, most: Infinity, isLazy };
    if (written === '+') return { kind: 'repeat', node, least: 1, most: Infinity, isLazy };
    if (written === '?') return { kind: 'repeat', node, least: 0, most: 1, isLazy };
    const from = Number(least ?? 0);
    const to = comma === '' ? from : most === undefined || most === '' ? Infinity : Number(most);
    return { kind: 'repeat', node, least: from, most: to, isLazy };
  }
}

const MAX_PREFIXES = 64;

/** Returns the literals with which a sequence starts. White space that may precede them is not part of them. */
export function prefixesOf(nodes: readonly Node[], isFirst = true): readonly string[] | undefined {
  const [node, ...rest] = nodes;
  if (node === undefined) return [''];
  if (node.kind === 'start' || node.kind === 'end') return prefixesOf(rest, isFirst);
  if (node.kind === 'repeat' && isFirst && isBlank(node)) return prefixesOf(rest);
  if (node.kind === 'character') {
    if (node.literal === undefined) return undefined;
    const after = prefixesOf(rest, false) ?? [''];
    return after.map(text => (node.literal ?? '') + text);
  }
  if (node.kind === 'group') {
    const all = node.alternatives.map(alternative => prefixesOf([...alternative, ...rest], isFirst));
    const found = all.flatMap(prefixes => prefixes ?? []);
    return all.includes(undefined) || found.length > MAX_PREFIXES ? undefined : found;
  }
  const first = prefixesOf([node.node], isFirst);
  if (node.least > 0 || first === undefined) return first;
  const without = prefixesOf(rest, isFirst);
  return without === undefined ? undefined : [...first, ...without];
}

const isBlank = (node: Node): boolean =>
  node.kind === 'repeat' &&
  node.node.kind === 'character' &&
  !node.node.accepts('<') &&
  node.node.accepts(' ') &&
  !node.node.accepts('a');

/** Returns the texts that the alternatives match, without white space around them. */
export function literalsOf(alternatives: readonly (readonly Node[])[]): readonly string[] | undefined {
  const all = alternatives.map(nodes => literalsOfSequence(nodes));
  const found = all.flatMap(texts => texts ?? []);
  return all.includes(undefined) || found.length > MAX_PREFIXES
    ? undefined
    : found.filter(text => text !== '');
}

function literalsOfSequence(nodes: readonly Node[]): readonly string[] | undefined {
  let texts: readonly string[] = [''];
  for (const [index, node] of nodes.entries()) {
    const isEdge = index === 0 || index === nodes.length - 1;
    if (node.kind === 'start' || (node.kind === 'repeat' && isEdge && isBlank(node))) continue;
    if (node.kind === 'character' && node.literal !== undefined) {
      texts = texts.map(text => text + node.literal);
    } else if (node.kind === 'group' && node.name === undefined) {
      const inner = nodes.length === 1 ? literalsOf(node.alternatives) : node.alternatives.flatMap(toExact);
      if (inner === undefined || inner.includes(INEXACT)) return undefined;
      texts = texts.flatMap(text => inner.map(one => text + one));
    } else {
      return undefined;
    }
  }
  return texts;
}

const INEXACT = '\0';
const toExact = (nodes: readonly Node[]): string =>
  nodes
    .map(node => (node.kind === 'character' ? (node.literal ?? INEXACT) : INEXACT))
    .join('')
    .includes(INEXACT)
    ? INEXACT
    : nodes.map(node => (node.kind === 'character' ? node.literal : '')).join('');

/*
 * Regular expressions of servers. An expression is untrusted, and the engine of JavaScript may take forever for a short one, so
 * it is followed with all of its alternatives at once, in a time that grows with its size times the length of the text.
 */

/** Returns true if a text matches, and undefined if the steps that are left do not suffice. */
export type Pattern = (text: string, steps: { left: number }) => boolean | undefined;

/** A position in the expression. It leads on to the positions in `next`, after a character if it has a test. */
interface State {
  /** Accepts one character. */
  readonly accepts?: (character: string) => boolean;
  /** Is passed between two characters. Undefined at an end of the text. */
  readonly holds?: (before: string | undefined, after: string | undefined) => boolean;
  readonly next: State[];
}

/** A part of the expression, from one state to another one. */
interface Part {
  readonly first: State;
  readonly last: State;
}

/** Maximum number of states. Repetitions with a number repeat their part. */
const MAX_STATES = 2000;

class UnsupportedPattern extends Error {}

/**
 * Compiles an ECMAScript expression, as JSON Schema uses it. Returns undefined for one that is invalid, too large, or has
 * references to groups or assertions about what follows or precedes.
 */
export function compilePattern(source: string): Pattern | undefined {
  try {
    const { first, last, size } = new Compiler(source).compile();
    return (text, steps) => run(first, { last, text, size, steps });
  } catch (error) {
    if (error instanceof UnsupportedPattern || error instanceof SyntaxError || error instanceof RangeError)
      return undefined;
    throw error;
  }
}

function run(
  first: State,
  { last, text, size, steps }: { last: State; text: string; size: number; steps: { left: number } },
): boolean | undefined {
  if ((text.length + 1) * size > steps.left) return undefined;
  steps.left -= (text.length + 1) * size;
  const characters = Array.from(text);
  let current = new Set<State>();
  for (let index = 0; index <= characters.length; index++) {
    const [before, after] = [characters[index - 1], characters[index]];
    current.add(first); // a match may begin anywhere
    for (const state of current) {
      if (state === last) return true;
      if (state.accepts !== undefined || state.holds?.(before, after) === false) continue;
      for (const next of state.next) current.add(next);
    }
    const following = new Set<State>();
    if (after !== undefined)
      for (const { accepts, next } of current)
        if (accepts?.(after) === true) for (const one of next) following.add(one);
    current = following;
  }
  return false;
}

class Compiler {
  #position = 0;
  #size = 0;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  compile(): Part & { readonly size: number } {
    // An invalid expression is not read differently from the engine.
    void new RegExp(this.#source, '');
    const part = this.#readAlternatives();
    if (this.#position < this.#source.length) throw new UnsupportedPattern();
    return { ...part, size: this.#size };
  }

  #state(fields: Omit<State, 'next'> = {}): State {
    if (++this.#size > MAX_STATES) throw new UnsupportedPattern();
    return { ...fields, next: [] };
  }

  #part(fields: Omit<State, 'next'> = {}): Part {
    const [first, last] = [this.#state(fields), this.#state()];
    first.next.push(last);
    return { first, last };
  }

  #take(text: string): boolean {
    const isNext = this.#source.startsWith(text, this.#position);
    if (isNext) this.#position += text.length;
    return isNext;
  }

  #takeMatch(expression: RegExp): RegExpExecArray | undefined {
    const found = expression.exec(this.#source.slice(this.#position, this.#position + 1000));
    if (found !== null) this.#position += found[0].length;
    return found ?? undefined;
  }

  #readAlternatives(): Part {
    const [first, last] = [this.#state(), this.#state()];
    do {
      const sequence = this.#readSequence();
      first.next.push(sequence.first);
      sequence.last.next.push(last);
    } while (this.#take('|'));
    return { first, last };
  }

  #readSequence(): Part {
    const first = this.#state();
    let last = first;
    while (this.#position < this.#source.length && !/[|)]/.test(this.#source.charAt(this.#position))) {
      const start = this.#position;
      const read = (): Part => {
        this.#position = start;
        return this.#readAtom();
      };
      let part = read();
      const quantifier = this.#readQuantifier();
      if (quantifier !== undefined) {
        const end = this.#position;
        part = this.#repeat(part, { ...quantifier, read });
        this.#position = end;
      }
      last.next.push(part.first);
      last = part.last;
    }
    return { first, last };
  }

  /** Repeats a part, which is read again for each repetition after the first one. */
  #repeat(
    part: Part,
    { minimum, maximum, read }: { minimum: number; maximum: number; read: () => Part },
  ): Part {
    const [first, end] = [this.#state(), this.#state()];
    const isEndless = maximum === Number.POSITIVE_INFINITY;
    const count = isEndless ? Math.max(minimum, 1) : maximum;
    let last = first;
    for (let index = 0; index < count; index++) {
      if (index >= minimum) last.next.push(end);
      const repeated = index === 0 ? part : read();
      last.next.push(repeated.first);
      last = repeated.last;
      if (isEndless && index === count - 1) last.next.push(repeated.first);
    }
    last.next.push(end);
    return { first, last: end };
  }

  #readQuantifier(): { minimum: number; maximum: number } | undefined {
    const [, sign, from, comma, to] = this.#takeMatch(/^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/) ?? [];
    const endless = Number.POSITIVE_INFINITY;
    if (sign !== undefined) return { minimum: sign === '+' ? 1 : 0, maximum: sign === '?' ? 1 : endless };
    if (from === undefined) return undefined;
    const minimum = Number(from);
    return { minimum, maximum: comma === '' ? minimum : to === '' ? endless : Number(to) };
  }

  #readAtom(): Part {
    if (this.#take('(')) return this.#readGroup();
    if (this.#take('^')) return this.#part({ holds: before => before === undefined });
    if (this.#take('$')) return this.#part({ holds: (_before, after) => after === undefined });
    if (this.#take('\\b')) return this.#part({ holds: (before, after) => isWord(before) !== isWord(after) });
    if (this.#take('\\B')) return this.#part({ holds: (before, after) => isWord(before) === isWord(after) });
    const [atom] =
      this.#takeMatch(
        /^(?:\[(?:\\[\s\S]|[^\]\\])*\]|\\[pP]\{\w+(?:=\w+)?\}|\\u\{[\da-f]+\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\c[a-z]|\\0(?!\d)|\\[^1-9kpPuxc]|[^\\])/iu,
      ) ?? [];
    if (atom === undefined) throw new UnsupportedPattern();
    return this.#part({ accepts: toTest(atom) });
  }

  #readGroup(): Part {
    if (!this.#take('?:')) this.#takeMatch(/^\?<\w+>/);
    if (this.#take('?')) throw new UnsupportedPattern();
    const part = this.#readAlternatives();
    if (!this.#take(')')) throw new UnsupportedPattern();
    return part;
  }
}

const isWord = (character: string | undefined): boolean => character !== undefined && /^\w$/.test(character);

/** Returns the test of an expression for one character. The engine cannot search in it. */
function toTest(atom: string): (character: string) => boolean {
  const expression = toExpression(atom);
  return character => expression.test(character);
}

function toExpression(atom: string): RegExp {
  try {
    return new RegExp(`^${atom}$`, 'u');
  } catch {
    return new RegExp(`^${atom}$`); // escapes that are superfluous, such as `[\w-.]`
  }
}

import { RegExpParser } from '@eslint-community/regexpp';

/*
 * Reports regular expressions that take quadratic time: those that begin with a repetition, and those whose beginning can
 * occur again and again within their first repetition. Without a match, the search reads the rest of the text once from each
 * position. `^`, a negative look-behind, `\\b` before
 * words and the flag `y` fix the position. An expression that is nothing but a repetition always
 * matches where it begins.
 */

const MESSAGE =
  'This expression begins with a repetition ({{part}}), so that a search takes quadratic time. Anchor it, make it sticky, ' +
  'bound the repetition, exclude its beginning from it, or search from the end of the text.';

/** ASCII, and one letter, space and symbol beyond it. */
const SAMPLES = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), 'é', '\u3000', '“'];

const isUnbounded = node => node.type === 'Quantifier' && node.max === Infinity;

/** Returns the samples that an element of one character matches, or undefined for other elements. */
function samplesOf(element, flags) {
  if (!['Character', 'CharacterClass', 'CharacterSet'].includes(element.type)) return undefined;
  const expression = new RegExp(`^(?:${element.raw})$`, flags.replace(/[gy]/g, ''));
  return SAMPLES.filter(character => expression.test(character));
}

const alternativesOf = element =>
  element.type === 'Group' || element.type === 'CapturingGroup' ? element.alternatives : undefined;

const WORD_CHARACTER = /^\w$/;

/**
 * Returns the first repetition that can take what precedes it, if text must follow the repetition. `before` are the characters
 * that match before it, `isWord` is true after `\\b`, and `hasMore` if the elements are within a group that more follows.
 */
function findRepetition(elements, { flags, before = [], isWord = false, hasMore = false }) {
  for (const [index, element] of elements.entries()) {
    const rest = hasMore || elements.slice(index + 1).some(isRequired);
    if (element.type === 'Assertion') {
      if (element.kind === 'start' || (element.kind === 'lookbehind' && element.negate)) return undefined;
      isWord ||= element.kind === 'word' && !element.negate;
      continue;
    }
    const inner = element.type === 'Quantifier' ? element.element : element;
    const groups = alternativesOf(inner);
    if (groups !== undefined) {
      for (const { elements: nested } of groups) {
        const isRepeated = isUnbounded(element) && nested.some(isRequired);
        const found = findRepetition(nested, { flags, before, isWord, hasMore: rest || isRepeated });
        if (found !== undefined) return found;
      }
      if (element.type === 'Quantifier' && element.min === 0) continue;
      return undefined;
    }
    const samples = samplesOf(inner, flags);
    if (samples === undefined) return undefined;
    if (isUnbounded(element)) {
      const set = new Set(samples);
      const takesBeginning = before.every(list => list.some(character => set.has(character)));
      const isWithinWord = isWord && samples.every(character => WORD_CHARACTER.test(character));
      // Nothing can be missing between a repetition of all characters and the end.
      const takesRest = samples.length === SAMPLES.length && elements.at(index + 1)?.kind === 'end';
      return takesBeginning && rest && !isWithinWord && !takesRest ? element : undefined;
    }
    // A bounded repetition may match nothing.
    if (element.type !== 'Quantifier' || element.min > 0) before = [...before, samples];
  }
  return undefined;
}

/** Returns true for an element that needs text to match, or a place of its own. */
const isRequired = element =>
  element.type === 'Quantifier'
    ? element.min > 0 && isRequired(element.element)
    : alternativesOf(element)?.every(({ elements }) => elements.some(isRequired)) !== false;

function check(context, node, pattern, flags) {
  if (flags.includes('y')) return;
  let parsed;
  try {
    parsed = new RegExpParser().parsePattern(pattern, 0, pattern.length, {
      unicode: flags.includes('u'),
      unicodeSets: flags.includes('v'),
    });
  } catch {
    return;
  }
  for (const { elements } of parsed.alternatives) {
    const found = findRepetition(elements, { flags });
    if (found !== undefined)
      return context.report({ node, messageId: 'quadratic', data: { part: found.raw } });
  }
}

const rule = {
  meta: { type: 'problem', messages: { quadratic: MESSAGE }, schema: [] },
  create: context => ({
    Literal(node) {
      if (node.regex !== undefined) check(context, node, node.regex.pattern, node.regex.flags);
    },
    'NewExpression[callee.name="RegExp"]'({ arguments: [source, flags] }) {
      if (typeof source?.value === 'string') check(context, source, source.value, String(flags?.value ?? ''));
    },
  }),
};

export const linearExpressions = { rules: { 'linear-expressions': rule } };

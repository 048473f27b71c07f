/**
 * The operators of RFC 6570: text before the first value, text between values, whether values have names, and whether
 * reserved characters stay as they are. An input is a text, so that a part of the RFC is enough.
 * https://www.rfc-editor.org/rfc/rfc6570#appendix-A
 */
const operators: Readonly<
  Record<string, { first: string; separator: string; isNamed: boolean; keepsReserved: boolean }>
> = {
  '': { first: '', separator: ',', isNamed: false, keepsReserved: false },
  '+': { first: '', separator: ',', isNamed: false, keepsReserved: true },
  '#': { first: '#', separator: ',', isNamed: false, keepsReserved: true },
  '.': { first: '.', separator: '.', isNamed: false, keepsReserved: false },
  '/': { first: '/', separator: '/', isNamed: false, keepsReserved: false },
  ';': { first: ';', separator: ';', isNamed: true, keepsReserved: false },
  '?': { first: '?', separator: '&', isNamed: true, keepsReserved: false },
  '&': { first: '&', separator: '&', isNamed: true, keepsReserved: false },
};

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;

/** `*` and `:3` after a name concern lists and prefixes. */
const toNames = (list: string): string[] =>
  list.split(',').map(name => name.replace(/(?:\*|:\d+)$/, '').trim());

/** Returns the names of the variables, each once. */
export const readVariables = (template: string): string[] => [
  ...new Set([...template.matchAll(EXPRESSION)].flatMap(([, , list = '']) => toNames(list))),
];

/** Expands a URI template with texts. Variables without a text are left out. */
export const expandTemplate = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(EXPRESSION, (_all, sign: string, list: string) => {
    const operator = operators[sign] ?? operators[''];
    if (operator === undefined) return '';
    const { first, separator, isNamed, keepsReserved } = operator;
    const parts = toNames(list).flatMap(name => {
      const value = values[name] ?? '';
      if (value === '') return [];
      const encoded = keepsReserved ? encodeURI(value) : encodeURIComponent(value);
      return isNamed ? `${name}=${encoded}` : encoded;
    });
    return parts.length === 0 ? '' : first + parts.join(separator);
  });

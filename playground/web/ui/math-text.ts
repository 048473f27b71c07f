/** Code, an escaped character, or a formula or its delimiter. */
const TOKEN = /(`+)(?!`)[^]*?[^`]\1(?!`)|\\[([][^]*?\\[)\]]|\\.|\$\$[^]*?\$\$|\$/g;

/** After the last `\)` and `\]`: each `\(` would be searched to the end of the text. */
const TOKEN_AFTER_BRACKETS = /(`+)(?!`)[^]*?[^`]\1(?!`)|\\.|\$\$[^]*?\$\$|\$/g;

/** True if a text may contain a formula, for which the parser is loaded. */
export const mayHaveMath = (text: string): boolean => /\$[^]*\$|\\[([]/.test(text);

/**
 * Writes formulas with dollars as Markdown expects them. Models also write `\(…\)` and `\[…\]`. A single dollar is a price
 * unless it follows Pandoc's rule (https://pandoc.org/MANUAL.html#math): no space inside the delimiters, and no digit after
 * the second one.
 */
export function toDollarMath(text: string): string {
  let result = '';
  let at = 0;
  const lastBracket = Math.max(text.lastIndexOf('\\)'), text.lastIndexOf('\\]'));
  const findToken = (): RegExpExecArray | null => {
    const pattern = at < lastBracket ? TOKEN : TOKEN_AFTER_BRACKETS;
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  for (let match = findToken(); match !== null; match = findToken()) {
    const [token] = match;
    result += text.slice(at, match.index);
    at = match.index + token.length;
    const isLine =
      token.startsWith('$$') && startsLine(text, match.index) && /^ *(\n|$)/.test(text.slice(at, at + 100));
    if (token.startsWith('\\(') && token.endsWith('\\)')) result += `$${token.slice(2, -2).trim()}$`;
    else if (token.startsWith('\\[') && token.endsWith('\\]'))
      result += `$$\n${token.slice(2, -2).trim()}\n$$`;
    else if (isLine) result += `$$\n${token.slice(2, -2).trim()}\n$$`;
    else if (token !== '$') result += token;
    else {
      const formula = /^\$[^\s$](?:(?:[^$\n\\]|\\[^])*[^\s$\\])?\$(?!\d)/.exec(text.slice(match.index))?.[0];
      result += formula ?? '\\$';
      at = match.index + (formula ?? token).length;
    }
  }
  return result + text.slice(at);
}

/** True if only spaces stand between a place and the start of its line. */
function startsLine(text: string, index: number): boolean {
  let start = index;
  while (text[start - 1] === ' ') start--;
  return start === 0 || text[start - 1] === '\n';
}

/** Code, an escaped character, or a delimiter of a formula. */
const TOKEN = /(`+)(?!`)[^]*?[^`]\1(?!`)|\\[([][^]*?\\[)\]]|\\.|\$\$[^]*?\$\$|\$/g;

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
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token] = match;
    result += text.slice(at, match.index);
    at = match.index + token.length;
    const isLine = /(^|\n) *$/.test(result) && /^ *(\n|$)/.test(text.slice(at, at + 100));
    if (token.startsWith('\\(') && token.endsWith('\\)')) result += `$${token.slice(2, -2).trim()}$`;
    else if (token.startsWith('\\[') && token.endsWith('\\]'))
      result += `$$\n${token.slice(2, -2).trim()}\n$$`;
    else if (isLine && token.startsWith('$$')) result += `$$\n${token.slice(2, -2).trim()}\n$$`;
    else if (token !== '$') result += token;
    else {
      const formula = /^\$[^\s$](?:(?:[^$\n\\]|\\[^])*[^\s$\\])?\$(?!\d)/.exec(text.slice(match.index))?.[0];
      result += formula ?? '\\$';
      at = match.index + (formula ?? token).length;
      TOKEN.lastIndex = at;
    }
  }
  return result + text.slice(at);
}

import { toAnchor } from './to-anchor.js';

/** Sections whose own headings are worth a line. */
const OPEN = new Set(['Drop it in', 'Recipes', 'Model families']);

/** The headings of a Markdown text as a list of links, except the one above that list. */
export function renderContents(markdown: string): string {
  const prose = markdown.replace(/^```.*?^```$/gms, '');
  let isOpen = false;
  const lines: string[] = [];
  for (const [, marks = '', title = ''] of prose.matchAll(/^(##|###) (.+)$/gm)) {
    if (marks === '##') isOpen = OPEN.has(title);
    if (title === 'Contents' || (marks === '###' && !isOpen)) continue;
    lines.push(`${marks === '###' ? '  ' : ''}- [${title}](#${toAnchor(title)})`);
  }
  return lines.join('\n');
}

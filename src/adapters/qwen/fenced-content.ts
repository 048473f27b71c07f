import type { UndeclaredCalls } from '../../text-tools/text-tool-format.js';

/** Where the content comes in the arguments, at the latest: behind a path. */
const CONTENT_BEFORE = 300;

/** Shows the file that a call was to write as fenced code. */
export const fencedContent: UndeclaredCalls = {
  mayShow: input => input.length < CONTENT_BEFORE || input.slice(0, CONTENT_BEFORE).includes('"content":'),
  show({ input }) {
    const { content }: { content?: unknown } = JSON.parse(input);
    if (typeof content !== 'string' || content.trim() === '') return undefined;
    const longestRun = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = '`'.repeat(longestRun + 1);
    return `${fence}\n${content}${content.endsWith('\n') ? '' : '\n'}${fence}`;
  },
};

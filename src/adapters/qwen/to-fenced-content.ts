/** The file that a call was to write, as fenced code, or undefined where it was to write none. */
export function toFencedContent({ input }: { input: string }): string | undefined {
  const { content }: { content?: unknown } = JSON.parse(input);
  if (typeof content !== 'string' || content.trim() === '') return undefined;
  const longestRun = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longestRun + 1);
  return `${fence}\n${content}${content.endsWith('\n') ? '' : '\n'}${fence}`;
}

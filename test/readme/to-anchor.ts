/** The name under which a page of Markdown on GitHub and npm has a heading. */
export const toAnchor = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

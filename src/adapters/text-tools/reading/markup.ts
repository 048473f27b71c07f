/** Characters before markup that text mentions. */
export const BEFORE_MENTION = /[\s"'`“”‘’«»(]/;

const MARKUP_END = /(?:<[/|｜\p{L}][^<>]*>|\[\/?[A-Z_]+\])\s*$/u;

/** Returns true if a text ends in markup. If the end of a value is missing, it may be a wrong one. */
export const endsInMarkup = (text: string): boolean => MARKUP_END.test(text);

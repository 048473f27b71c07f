/** Cuts text before each word; joined, the pieces are the text again. */
export const toWords = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];

/** Cuts arguments the way tokens do, regardless of words and quotes. */
export const toPieces = (text: string): string[] => text.match(/.{1,7}/gsu) ?? [];

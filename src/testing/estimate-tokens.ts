import type { OutputItem } from './wire.js';

/** Characters that make a token, roughly, in English. */
export const charactersPerToken = 4;

/** What a reasoning item costs; OpenAI counts them in steps of 64. */
export const reasoningTokensPerItem = 64;

/** A rough token count: four characters each, whatever the size of embedded images and files. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.replace(/data:[\w.+/-]+;base64,[\w+/=]+/g, 'data:').length / charactersPerToken);
}

/** The part of an item that is counted as output. Reasoning is counted apart. */
export function toOutputText(item: OutputItem): string {
  switch (item.type) {
    case 'message':
      return item.content.map(part => (part.type === 'refusal' ? part.refusal : part.text)).join('');
    case 'function_call':
      return item.name + item.arguments;
    case 'reasoning':
      return '';
    case 'raw':
      return JSON.stringify(item.item);
  }
}

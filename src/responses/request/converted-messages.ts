import type { LanguageModelV2Message } from '@ai-sdk/provider';
import type { InputItem } from '../wire.js';

/**
 * What the messages of a turn's last request became. The next request repeats them, as the same objects at the same
 * places, and adds some.
 */
export interface ConvertedMessages {
  at(index: number, message: LanguageModelV2Message): readonly InputItem[] | undefined;
  set(index: number, message: LanguageModelV2Message, items: readonly InputItem[]): void;
}

export function createConvertedMessages(): ConvertedMessages {
  const known: { message: LanguageModelV2Message; items: readonly InputItem[] }[] = [];
  return {
    at(index, message) {
      const converted = known[index];
      return converted?.message === message ? converted.items : undefined;
    },
    set(index, message, items) {
      known[index] = { message, items };
    },
  };
}

import { withCommentary } from '../../core/custom.js';
import type { Content, Reasoning, Text } from '../../core/part.js';
import { idOf, isWholeJson } from '../../shared/json.js';

/*
 * Models write prose before the JSON that a host has requested. Hosts parse all text of a response together, so the prose
 * must be reasoning. OpenAI marks it with the phase `commentary`. On servers without phases, a message that does not begin
 * like JSON is held back until the next item or the end of the response shows what it is.
 */

export type BlockKind = 'text' | 'reasoning';

/** Decides which messages of a streamed response are the JSON answer. */
export interface JsonAnswer {
  /** Holds a message back. `begin` is called when its kind is known. */
  hold(begin: (kind: BlockKind) => void): void;
  /** Reports that the text of the answer has begun. */
  begin(): void;
  /** Handles the beginning of another item: a message before it is not the answer. */
  continue(): void;
  /** Handles the end of the response: its last message is the answer, unless the answer has begun before. */
  end(): void;
}

export function createJsonAnswer(): JsonAnswer {
  let held: ((kind: BlockKind) => void) | undefined;
  let hasBegun = false;
  const release = (kind: BlockKind): void => {
    held?.(kind);
    held = undefined;
  };
  return {
    hold(begin) {
      held = begin;
    },
    begin() {
      hasBegun = true;
    },
    continue: () => release('reasoning'),
    end: () => release(hasBegun ? 'reasoning' : 'text'),
  };
}

/**
 * Returns true for the first character of a JSON object, array or string, of a Markdown code block, and of the tags that
 * adapters convert. Other JSON values are so short that they need not be streamed.
 */
export const beginsLikeJson = (first: string): boolean => first !== '' && '{["`<'.includes(first);

/**
 * Converts messages to reasoning that a server marked too late, or not at all, as commentary. If the texts together are
 * not valid JSON and the last one is, the last one is the answer.
 */
export function toJsonContent(content: readonly Content[]): Content[] {
  const texts = content.filter(
    (part): part is Text => part.type === 'text' && part.text.trim() !== '' && !isCommentary(part),
  );
  const last = texts.at(-1);
  const joined = texts.map(({ text }) => text).join('');
  const isLastAlone = last !== undefined && !isWholeJson(joined) && isWholeJson(last.text);
  return content.map(part =>
    part.type === 'text' && (isCommentary(part) || (isLastAlone && part !== last)) ? toReasoning(part) : part,
  );
}

const isCommentary = ({ providerMetadata }: Text): boolean =>
  providerMetadata?.openai?.phase === 'commentary';

function toReasoning({ text, providerMetadata, own }: Text): Reasoning {
  const openai = providerMetadata?.openai ?? {};
  const commentary = withCommentary({ id: idOf(openai.itemId), phase: idOf(openai.phase) });
  return {
    type: 'reasoning',
    text,
    providerMetadata: {
      ...providerMetadata,
      openai: { ...openai, ...commentary.providerMetadata?.openai },
    },
    own: { ...own, ...commentary.own },
  };
}

import type { LanguageModelV2Prompt } from '@ai-sdk/provider';
import { createUniqueIds, type UniqueIds } from '../shared/unique-ids.js';

/** Maps the ids of one round's parts to ids that are unique in the turn. */
export interface RoundIds {
  /** Returns the id of a text or reasoning block. */
  block(id: string): string;
  /** Returns the id of a tool call, also for its streamed input, which comes first. */
  call(id: string): string;
  /**
   * Returns the id of a complete call. A call that repeats an id of its round with other contents is another call:
   * Gemini-style servers number every call `call_0`.
   *
   * @returns undefined for a call that was sent twice.
   */
  completeCall(id: string, contents: string): string | undefined;
  /**
   * Returns the id of the call that a result belongs to: of the same round, else of an earlier one. The server sends the
   * output of a program in a later response than the program.
   */
  result(id: string): string;
}

export interface TurnIds {
  round(): RoundIds;
}

/**
 * Keeps track of all ids of a turn and of the conversation before it. Servers such as AWS Bedrock Mantle send `call_0`
 * in every response, and block ids are unique only in their own response.
 */
export function createTurnIds(prompt: LanguageModelV2Prompt): TurnIds {
  const blocks = createUniqueIds();
  const taken = prompt.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap(part => ('toolCallId' in part ? [part.toolCallId] : [])),
  );
  const calls = createUniqueIds({ taken });
  /** The newest name of each id of a call so far. */
  const newest = new Map(taken.map(id => [id, id]));

  return {
    round() {
      const contentsById = new Map<string, Set<string>>();
      const names = createNames(calls);
      const call = (id: string): string => {
        const name = names(id);
        newest.set(id, name);
        return name;
      };
      return {
        block: createNames(blocks),
        call,
        result: id => newest.get(id) ?? call(id),
        completeCall(id, contents) {
          const known = contentsById.get(id);
          if (known?.has(contents)) return undefined;
          contentsById.set(id, (known ?? new Set()).add(contents));
          return known === undefined ? call(id) : calls.take(id);
        },
      };
    },
  };
}

/** Assigns each id of one round a unique id, the same one every time. */
function createNames(ids: UniqueIds): (id: string) => string {
  const names = new Map<string, string>();
  return id => {
    const known = names.get(id);
    if (known !== undefined) return known;
    const name = ids.take(id);
    names.set(id, name);
    return name;
  };
}

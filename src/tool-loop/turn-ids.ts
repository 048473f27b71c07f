import type { LanguageModelV2Prompt } from '@ai-sdk/provider';
import { createUniqueIds, type UniqueIds } from '../shared/unique-ids.js';

/** Gives the ids of one round's parts names that are unique over the turn. */
export interface RoundIds {
  /** The id of a text or reasoning block. */
  block(id: string): string;
  /** The id of a tool call; also of its streamed input, which comes first. */
  call(id: string): string;
  /**
   * The id of a call that comes whole. A call that repeats an id of its own round with other contents is another call
   * (Gemini-style servers number every call `call_0`).
   *
   * @returns undefined for a call that was announced twice.
   */
  completeCall(id: string, contents: string): string | undefined;
}

/**
 * Knows every id of a turn and of the conversation before it. Servers such as AWS Bedrock Mantle send `call_0` in every
 * answer, and ids of blocks are unique in their own response at best.
 */
export function createTurnIds(prompt: LanguageModelV2Prompt): { round(): RoundIds } {
  const callIds = createUniqueIds({ taken: callIdsOf(prompt) });
  const blockIds = createUniqueIds();

  return {
    round() {
      const complete = new Map<string, Set<string>>();
      const call = createNames(callIds);
      return {
        block: createNames(blockIds),
        call,
        completeCall(id, contents) {
          const known = complete.get(id);
          if (known?.has(contents)) return undefined;
          complete.set(id, (known ?? new Set()).add(contents));
          return known === undefined ? call(id) : callIds.take(id);
        },
      };
    },
  };
}

function* callIdsOf(prompt: LanguageModelV2Prompt): Iterable<string> {
  for (const { content } of prompt) {
    if (typeof content === 'string') continue;
    for (const part of content) if (part.type === 'tool-call') yield part.toolCallId;
  }
}

/** Gives each id of one round its name, the same whenever it comes. */
function createNames(ids: UniqueIds): (id: string) => string {
  const names = new Map<string, string>();
  return id => {
    const name = names.get(id) ?? ids.take(id);
    names.set(id, name);
    return name;
  };
}

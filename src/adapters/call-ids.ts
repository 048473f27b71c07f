import type { LanguageModelV2Prompt } from '@ai-sdk/provider';
import type { CallIdForm, IdentifiedCall } from './call-ids/call-id-form.js';

/** The ids of a conversation's calls in two forms, one to one: the caller's, and those the model is shown. */
export interface CallIds {
  /** Whether the two differ for any call. */
  readonly hasChanges: boolean;
  toShown(id: string): string;
  /** The caller's id of a call that an answer names. Ids that are new are left as they are. */
  toOriginal(id: string): string;
}

/**
 * Reads the calls of a conversation. Ids that have the form already stay, and none is given twice: what depends on the
 * order of the calls depends on nothing else, so the same conversation has the same ids each time it is sent.
 */
export function createCallIds(prompt: LanguageModelV2Prompt, form: CallIdForm): CallIds {
  const calls = callsOf(prompt);
  const shown = new Map<string, string>();
  const originals = new Map<string, string>();
  const add = (original: string, id: string): void => {
    shown.set(original, id);
    originals.set(id, original);
  };

  // Genuine ids first: a later one is not to be taken by an earlier call.
  for (const call of calls) if (form.isValid(call)) add(call.toolCallId, call.toolCallId);
  for (const call of calls) {
    if (shown.has(call.toolCallId)) continue;
    let attempt = 0;
    let id = form.toValid(call, attempt);
    while (originals.has(id)) id = form.toValid(call, ++attempt);
    add(call.toolCallId, id);
  }

  const toNew = createNewIds(id => shown.has(id) || originals.has(id));
  return {
    hasChanges: calls.some(({ toolCallId }) => shown.get(toolCallId) !== toolCallId),
    toShown: id => shown.get(id) ?? id,
    toOriginal: form.repeated === 'new-call' ? toNew : id => originals.get(id) ?? id,
  };
}

/** Gives calls that repeat a known id one of their own, the same one in all parts of an answer. */
function createNewIds(isKnown: (id: string) => boolean): (id: string) => string {
  const given = new Map<string, string>();
  const taken = new Set<string>();
  return id => {
    let own = given.get(id) ?? id;
    if (!given.has(id)) {
      for (let number = 2; isKnown(own) || taken.has(own); number++) own = `${id}_${number}`;
      given.set(id, own);
      taken.add(own);
    }
    return own;
  };
}

/** Every id once, with the tool it was first used for. */
function callsOf(prompt: LanguageModelV2Prompt): IdentifiedCall[] {
  const calls = new Map<string, IdentifiedCall>();
  for (const { content } of prompt) {
    if (typeof content === 'string') continue;
    for (const part of content) {
      if (part.type !== 'tool-call' && part.type !== 'tool-result') continue;
      const { toolCallId, toolName } = part;
      if (!calls.has(toolCallId)) calls.set(toolCallId, { toolCallId, toolName, index: calls.size });
    }
  }
  return [...calls.values()];
}

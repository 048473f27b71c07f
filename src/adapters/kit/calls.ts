import { answerPartsOf, type Message, type Prompt } from '../../core/prompt.js';
import { withChanges } from '../../core/source.js';
import { createUniqueIds } from '../../core/shared/unique-ids.js';
import { normalizeToolName } from '../../core/tool-calls/tool-names.js';
import type { ModelMiddleware } from '../../core/versions/middleware.js';
import { createMiddleware } from './middleware.js';

/** The format of tool call ids that a model accepts. */
export interface CallIdFormat {
  isValid(call: IdentifiedCall): boolean;
  /**
   * Returns an id that the model accepts in place of another, always the same one for the same call.
   *
   * @param attempt Number of earlier results that were already in use.
   */
  toValid(call: IdentifiedCall, attempt: number): string;
  /**
   * The meaning of an id that a response repeats from the conversation: `same-call` is the earlier call, `new-call` a
   * new one, from a server that restarts its count in each response.
   * @default 'same-call'
   */
  repeated?: 'same-call' | 'new-call';
}

/** A tool call of a conversation. */
export interface IdentifiedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The number of calls before it in the conversation. */
  readonly index: number;
}

/** Sends call ids in the model's format, and translates them back in the response. */
export const callIdsMiddleware = (format: CallIdFormat): ModelMiddleware =>
  createMiddleware({
    wrap: model =>
      withChanges(model, call => {
        const ids = createCallIdMap(call.prompt, format);
        return {
          call: ids.hasChanges
            ? { ...call, prompt: call.prompt.map(message => withModelIds(message, ids.toModelId)) }
            : call,
          response: { part: (part, emit) => emit(withCallId(part, ids.toOriginal)) },
        };
      }),
  });

type ToId = (id: string) => string;

function withModelIds(message: Message, toModelId: ToId): Message {
  if (message.role === 'assistant') {
    return { ...message, content: message.content.map(part => withCallId(part, toModelId)) };
  }
  if (message.role === 'tool') {
    return { ...message, content: message.content.map(part => withCallId(part, toModelId)) };
  }
  return message;
}

/** Replaces the tool call id of a part of a prompt or a response. */
function withCallId<Part extends { type: string; id?: unknown; toolCallId?: unknown }>(
  part: Part,
  toId: ToId,
): Part {
  // Streamed input carries the call's id in `id`. All other parts use `toolCallId`.
  const field = part.type.startsWith('tool-input-') ? 'id' : 'toolCallId';
  const id = part[field];
  if (typeof id !== 'string') return part;
  const replaced = toId(id);
  return replaced === id ? part : { ...part, [field]: replaced };
}

/** Maps the ids of a conversation's calls one to one between the caller and the model. */
export interface CallIdMap {
  /** True if the two ids of any call differ. */
  readonly hasChanges: boolean;
  toModelId(id: string): string;
  /** Returns the caller's id for an id in a response. New ids are left unchanged. */
  toOriginal(id: string): string;
}

/**
 * Assigns an id to each call of a conversation. Ids that are valid already are kept, and no id is assigned twice. The
 * ids depend only on the calls and their order, so each request of a conversation contains the same ones.
 *
 * @internal
 */
export function createCallIdMap(prompt: Prompt, format: CallIdFormat): CallIdMap {
  const calls = identifiedCallsOf(prompt);
  const modelIds = new Map<string, string>();
  const originals = new Map<string, string>();
  const add = (original: string, id: string): void => {
    modelIds.set(original, id);
    originals.set(id, original);
  };

  // Valid ids come first, so that a replacement for an earlier call never takes one of them.
  for (const call of calls) if (format.isValid(call)) add(call.toolCallId, call.toolCallId);
  for (const call of calls) {
    if (modelIds.has(call.toolCallId)) continue;
    let attempt = 0;
    let id = format.toValid(call, attempt);
    while (originals.has(id)) id = format.toValid(call, ++attempt);
    add(call.toolCallId, id);
  }

  const toNew = createNewIds(id => modelIds.has(id) || originals.has(id));
  return {
    hasChanges: calls.some(call => modelIds.get(call.toolCallId) !== call.toolCallId),
    toModelId: id => modelIds.get(id) ?? id,
    toOriginal: format.repeated === 'new-call' ? toNew : id => originals.get(id) ?? id,
  };
}

/** Renames calls that repeat a known id, consistently in all parts of a response. */
function createNewIds(isKnown: (id: string) => boolean): ToId {
  const ids = createUniqueIds([], isKnown);
  const assigned = new Map<string, string>();
  return id => {
    const unique = assigned.get(id) ?? ids.take(id);
    assigned.set(id, unique);
    return unique;
  };
}

/** Returns every id once, with the tool that it was first used for. */
function identifiedCallsOf(prompt: Prompt): IdentifiedCall[] {
  const calls = new Map<string, IdentifiedCall>();
  for (const part of answerPartsOf(prompt)) {
    if (part.type !== 'tool-call' && part.type !== 'tool-result') continue;
    const { toolCallId, toolName } = part;
    if (!calls.has(toolCallId)) calls.set(toolCallId, { toolCallId, toolName, index: calls.size });
  }
  return [...calls.values()];
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The number of characters that 32 bits can fill. */
const BLOCK = 5;

/**
 * Hashes a text to a short id of letters and digits, synchronously and identically in every runtime. Two texts can
 * collide by chance; callers check for it.
 */
export function toAlphanumericId(text: string, options: { length: number }): string {
  let id = '';
  for (let seed = 0; id.length < options.length; seed++) {
    let bits = hash(text, seed);
    for (let position = 0; position < BLOCK; position++) {
      id += ALPHABET[bits % ALPHABET.length];
      bits = Math.floor(bits / ALPHABET.length);
    }
  }
  return id.slice(0, options.length);
}

/** Returns 32 bits that depend on the text and the seed. The constants are the mixers of MurmurHash3. */
function hash(text: string, seed: number): number {
  let bits = Math.imul(seed + 1, 0x9e3779b1);
  for (let index = 0; index < text.length; index++) {
    bits = Math.imul(bits ^ text.charCodeAt(index), 0x85ebca6b);
    bits ^= bits >>> 13;
  }
  bits = Math.imul(bits ^ (bits >>> 16), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Restores the declared names of tools that are called with extra characters around the name. */
export const toolNamesMiddleware = createMiddleware({
  wrap: model =>
    withChanges(model, call => {
      const declared = new Set((call.tools ?? []).map(tool => tool.name));
      if (declared.size === 0) return {};
      return {
        response: {
          part(part, emit) {
            if (!('toolName' in part)) return emit(part);
            const toolName = normalizeToolName(part.toolName, declared) ?? part.toolName;
            emit(toolName === part.toolName ? part : { ...part, toolName });
          },
        },
      };
    }),
});

import {
  asJson,
  idOf,
  isPlainObject,
  type JSONObject,
  objectOf,
  type PlainObject,
  stringOf,
} from './shared/json.js';
import type { Custom } from './part.js';
import type { PartFacts, ProviderMetadata } from './prompt.js';

/*
 * Items of the Responses API that are neither messages, reasoning, nor calls of tools that the host knows: compaction,
 * programs, tool searches, items of other agents, and types that this package does not know. The next request has to
 * contain them unchanged and in place. They are `custom` parts.
 */

/** The kind of `custom` part in which `@ai-sdk/openai` 4 carries a compaction. */
const COMPACTION_KIND = 'openai.compaction';

/** A part that may carry an item, of a response or of a prompt. */
export interface CarrierPart {
  readonly type: string;
  readonly kind?: string;
  readonly own?: PartFacts | undefined;
  readonly providerMetadata?: ProviderMetadata | undefined;
  readonly providerOptions?: ProviderMetadata | undefined;
}

/** Creates the part that carries an item. A compaction has the form of `@ai-sdk/openai` 4, which continues its history. */
export function toCustom(received: PlainObject, facts: PartFacts = {}): Custom {
  const item = withoutOutputFields(received);
  const { type, id, encrypted_content: encryptedContent, ...others } = item;
  const openai = { type: stringOf(type), ...(idOf(id) !== undefined && { itemId: stringOf(id) }) };
  const isPlainCompaction =
    type === 'compaction' && typeof encryptedContent === 'string' && Object.keys(others).length === 0;
  if (!isPlainCompaction)
    return {
      type: 'custom',
      kind: `openai.${stringOf(type)}`,
      providerMetadata: { openai },
      own: { ...facts, item: asJson(item) as JSONObject },
    };
  return {
    type: 'custom',
    kind: COMPACTION_KIND,
    providerMetadata: { openai: { ...openai, encryptedContent } },
    ...(Object.keys(facts).length > 0 && { own: facts }),
  };
}

/** Removes `created_by`, which the API returns but rejects in a request. Items of extensions stay as they are. */
export function withoutOutputFields(received: PlainObject): PlainObject {
  const { created_by: _, ...item } = received;
  return stringOf(received.type).includes(':') ? received : item;
}

/** Returns the item that a part carries. Undefined for other parts, and for content of other APIs. */
export function itemOf(part: CarrierPart): JSONObject | undefined {
  if (part.type !== 'custom') return undefined;
  const item = part.own?.item;
  if (item !== undefined) return item;
  return part.kind === COMPACTION_KIND
    ? compactionOf(part.providerMetadata ?? part.providerOptions)
    : undefined;
}

/** Returns the item of a compaction, whose metadata has the name of its provider as its key. */
function compactionOf(metadata: ProviderMetadata = {}): JSONObject | undefined {
  for (const value of [metadata.openai, ...Object.values(metadata)]) {
    const { itemId, encryptedContent } = value ?? {};
    if (typeof encryptedContent !== 'string') continue;
    const id = idOf(itemId);
    return { type: 'compaction', ...(id !== undefined && { id }), encrypted_content: encryptedContent };
  }
  return undefined;
}

/*
 * Messages that do not belong to the answer: prose before a JSON object that the host has requested, and messages of
 * agents that the model has started. Hosts join all text to the answer, so these messages are reasoning. A fact of the part
 * distinguishes them from reasoning, so that the next request contains messages again.
 */

/** The fields of a message that a request repeats, apart from its text. */
export interface Commentary {
  /** Id of the message item. */
  readonly id?: string;
  /** For example `commentary`. */
  readonly phase?: string;
  /** The agent that wrote the message, as in the item: `{ agent_name }`. */
  readonly agent?: JSONObject;
}

/** Returns the metadata of the reasoning that contains the text of a message. */
export const withCommentary = ({
  id,
  phase,
  agent,
}: Commentary): Pick<Custom, 'providerMetadata' | 'own'> => ({
  providerMetadata: {
    openai: { ...(id !== undefined && { itemId: id }), ...(phase !== undefined && { phase }) },
  },
  own: { commentary: true, ...(agent !== undefined && { agent }) },
});

/** Returns the message that a reasoning part of a response or a prompt contains. Undefined for reasoning. */
export function commentaryOf(part: CarrierPart): Commentary | undefined {
  if (part.own?.commentary !== true) return undefined;
  const openai = (part.providerMetadata ?? part.providerOptions)?.openai;
  const id = idOf(openai?.itemId);
  const phase = idOf(openai?.phase);
  return {
    ...(id !== undefined && { id }),
    ...(phase !== undefined && { phase }),
    ...(part.own.agent !== undefined && { agent: part.own.agent }),
  };
}

/** Returns the `agent` field of an item, which the next request repeats. Undefined for items of the main agent. */
export function subAgentOf(item: PlainObject | undefined): JSONObject | undefined {
  const agent = objectOf(item?.agent);
  const name = idOf(agent?.agent_name);
  return name === undefined || name === MAIN_AGENT || !isPlainObject(agent)
    ? undefined
    : (agent as JSONObject);
}

/** The agent that answers the user. */
const MAIN_AGENT = '/root';

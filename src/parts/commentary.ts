import type { JSONObject, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { idOf, isPlainObject, objectOf, type PlainObject } from '../shared/json.js';

/*
 * Messages that do not belong to the answer: prose before a JSON object that the host has requested, and messages of
 * agents that the model has started. Hosts join all text to the answer, so these messages are reasoning. A mark in the
 * metadata distinguishes them from reasoning, so that the next request contains messages again.
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

/** Returns the metadata of the reasoning block that contains the text of a message. */
export function withCommentary({ id, phase, agent }: Commentary): SharedV2ProviderMetadata {
  return {
    openai: { ...(id !== undefined && { itemId: id }), ...(phase !== undefined && { phase }) },
    kelivo: { commentary: true, ...(agent !== undefined && { agent }) },
  };
}

/**
 * Returns the message that a reasoning part contains, from its metadata or from the provider options of its prompt part.
 * Returns undefined for reasoning.
 */
export function commentaryOf(metadata: unknown): Commentary | undefined {
  const { openai, kelivo } = objectOf(metadata) ?? {};
  if (objectOf(kelivo)?.commentary !== true) return undefined;
  const id = idOf(objectOf(openai)?.itemId);
  const phase = idOf(objectOf(openai)?.phase);
  const agent = agentOf(metadata);
  return {
    ...(id !== undefined && { id }),
    ...(phase !== undefined && { phase }),
    ...(agent !== undefined && { agent }),
  };
}

/**
 * Returns the `agent` field of an item, which the next request repeats. Parts carry it in `providerMetadata.kelivo.agent`.
 * Undefined for items of the main agent.
 */
export function subAgentOf(item: PlainObject | undefined): JSONObject | undefined {
  const agent = objectOf(item?.agent);
  const name = idOf(agent?.agent_name);
  return name === undefined || name === MAIN_AGENT ? undefined : (agent as JSONObject);
}

/** Returns the agent that wrote a part, from its metadata or from the provider options of its prompt part. */
export function agentOf(metadata: unknown): JSONObject | undefined {
  const agent = objectOf(objectOf(metadata)?.kelivo)?.agent;
  return isPlainObject(agent) ? (agent as JSONObject) : undefined;
}

/** The agent that answers the user. */
const MAIN_AGENT = '/root';

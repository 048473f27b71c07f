import type { JSONObject, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { asJson, idOf, isPlainObject, objectOf, type PlainObject } from '../shared/json.js';

/*
 * Items of the Responses API that are neither messages, reasoning, nor calls of tools that the host knows: compaction,
 * programs, tool searches, items of other agents, and types that this package does not know. The next request has to
 * contain them unchanged and in place.
 *
 * No part of versions 2 and 3 of the model interface can express them. They are carried by an empty reasoning block
 * with the item in its metadata: every major of `ai` keeps such a block in its history, streamed or not, and shows no
 * text for it. Version 4 has `custom` parts, which its facade converts from and to these blocks.
 */

/** Returns the metadata of the reasoning block that carries an item. */
export function withOpaqueItem(item: PlainObject): SharedV2ProviderMetadata {
  const itemId = idOf(item.id);
  return {
    ...(itemId !== undefined && { openai: { itemId } }),
    kelivo: { item: asJson(withoutOutputFields(item)) },
  };
}

/**
 * Marks the carrier of a compaction whose conversation also contains the items before it: the server has kept them when it
 * compacted.
 */
export const asWindow = (metadata: SharedV2ProviderMetadata): SharedV2ProviderMetadata => ({
  ...metadata,
  kelivo: { ...metadata.kelivo, isWindow: true },
});

/** Returns true for the carrier of a compaction that `asWindow` has marked. */
export const isWindow = (metadata: unknown): boolean =>
  objectOf(objectOf(metadata)?.kelivo)?.isWindow === true;

/** Removes `created_by`, which the API returns but rejects in a request. */
export function withoutOutputFields({ created_by: _, ...item }: PlainObject): PlainObject {
  return item;
}

/** Returns the item that a part carries, from its metadata or from the provider options of its prompt part. */
export function opaqueItemOf(metadata: unknown): JSONObject | undefined {
  const item = objectOf(objectOf(metadata)?.kelivo)?.item;
  return isPlainObject(item) && typeof item.type === 'string' ? (item as JSONObject) : undefined;
}

/** The kind of `custom` part in which `@ai-sdk/openai` 4 carries a compaction. */
export const COMPACTION_KIND = 'openai.compaction';

/** Returns the item of a `custom` part of `@ai-sdk/openai` 4, whose metadata has the name of the provider as its key. */
export function compactionOf(metadata: PlainObject = {}): CompactionItem | undefined {
  for (const value of [metadata.openai, ...Object.values(metadata)]) {
    const { itemId, encryptedContent } = objectOf(value) ?? {};
    if (typeof encryptedContent !== 'string') continue;
    const id = idOf(itemId);
    return { type: 'compaction', ...(id !== undefined && { id }), encrypted_content: encryptedContent };
  }
  return undefined;
}

type CompactionItem = {
  readonly type: 'compaction';
  readonly id?: string;
  readonly encrypted_content: string;
};

import type { JSONObject } from '@ai-sdk/provider';
import { commentaryOf as commentaryOfPart } from '../../src/core/custom.js';
import type { ProviderMetadata } from '../../src/core/prompt.js';
import { splitFacts, toCarrier } from '../../src/core/versions/history/facts.js';

/* The facts of this package in the metadata of a part, as hosts of versions without `custom` parts keep them. */

/** Returns the metadata of the reasoning that carries an item. */
export const withOpaqueItem = ({ created_by: _, ...item }: Record<string, unknown>): ProviderMetadata =>
  toCarrier({ kind: '', metadata: undefined, own: undefined, item: item as JSONObject });

/** Returns the item that a part carries. */
export const opaqueItemOf = (metadata: ProviderMetadata | undefined) => splitFacts(metadata).own?.item;

/** Returns the agent that wrote a part. */
export const agentOf = (metadata: ProviderMetadata | undefined) => splitFacts(metadata).own?.agent;

/** Returns the message that a reasoning part contains. */
export function commentaryOf(metadata: ProviderMetadata | undefined) {
  const { metadata: providerMetadata, own } = splitFacts(metadata);
  return commentaryOfPart({ type: 'reasoning', providerMetadata, own });
}

import type { JSONObject, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { COMPACTION_KIND, compactionOf, opaqueItemOf, withOpaqueItem } from '../parts/opaque-items.js';
import { asJson, idOf, type PlainObject, stringOf } from '../shared/json.js';

// Version 4 has `custom` parts for content without a common form. Version 2 carries it in an empty reasoning block: an
// item of the Responses API as described in `opaque-items.ts`, content of other APIs with its kind in the metadata.

/** A `custom` part of version 4. */
export interface CustomPart {
  type: 'custom';
  kind: `${string}.${string}`;
  providerMetadata?: SharedV2ProviderMetadata;
}

/** Returns the `custom` part for the metadata of a reasoning block. Undefined for reasoning. */
export function toCustomPart(metadata: SharedV2ProviderMetadata | undefined): CustomPart | undefined {
  const { item: _, custom, ...kelivo } = metadata?.kelivo ?? {};
  const item = opaqueItemOf(metadata);
  if (item === undefined) {
    return isKind(custom)
      ? { type: 'custom', kind: custom, providerMetadata: withKelivo(metadata, kelivo) }
      : undefined;
  }
  const { type, id, encrypted_content: encryptedContent, ...others } = item;
  const openai = {
    ...metadata?.openai,
    type: stringOf(type),
    ...(idOf(id) !== undefined && { itemId: stringOf(id) }),
  };
  // The form of `@ai-sdk/openai` 4, so that both can continue the history of the other.
  return type === 'compaction' && Object.keys(others).length === 0
    ? {
        type: 'custom',
        kind: COMPACTION_KIND,
        providerMetadata: withKelivo(
          { ...metadata, openai: { ...openai, encryptedContent: asJson(encryptedContent) } },
          kelivo,
        ),
      }
    : {
        type: 'custom',
        kind: `openai.${stringOf(type)}`,
        providerMetadata: withKelivo({ ...metadata, openai }, { ...kelivo, item }),
      };
}

/** Returns the metadata of the reasoning block for a `custom` part. */
export function fromCustomPart({
  kind,
  metadata = {},
}: {
  kind: string;
  metadata?: PlainObject;
}): SharedV2ProviderMetadata {
  const given = metadata as SharedV2ProviderMetadata;
  if (opaqueItemOf(given) !== undefined) return given;
  const compaction = kind === COMPACTION_KIND ? compactionOf(given) : undefined;
  if (compaction === undefined) return { ...given, kelivo: { ...given.kelivo, custom: kind } };
  const carried = withOpaqueItem(compaction);
  return { ...given, ...carried, kelivo: { ...given.kelivo, ...carried.kelivo } };
}

/** Sets the metadata of this package, or removes it if it is empty. */
function withKelivo(
  metadata: SharedV2ProviderMetadata | undefined,
  kelivo: JSONObject,
): SharedV2ProviderMetadata {
  const { kelivo: _, ...others } = metadata ?? {};
  return Object.keys(kelivo).length > 0 ? { ...others, kelivo } : others;
}

const isKind = (value: unknown): value is CustomPart['kind'] =>
  typeof value === 'string' && value.includes('.');

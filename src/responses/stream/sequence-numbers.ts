import type { LanguageModelV2StreamPart, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { numberOf, type PlainObject } from '../../shared/json.js';

type Part = LanguageModelV2StreamPart;
type Write = (part: Part) => void;

/** Adds the numbers of events to the parts of a response that can be resumed. */
export interface SequenceNumbers {
  /** Called with each event, before its parts are written. */
  begin(event: PlainObject): void;
  write: Write;
}

/**
 * Adds `providerMetadata.kelivo.sequenceNumber` to parts. With `after`, the parts of the events up to that number are left
 * out, and blocks that are open then start again.
 */
export function createSequenceNumbers(
  write: Write,
  { after = -1 }: { after?: number | undefined },
): SequenceNumbers {
  /** The start of each open block, with its last metadata. */
  const open = new Map<string, Part & { id: string }>();
  let current: number | undefined;
  let isSkipping = after >= 0;

  return {
    begin({ sequence_number: value }) {
      current = numberOf(value) ?? current;
      if (!isSkipping || current === undefined || current <= after) return;
      isSkipping = false;
      for (const start of open.values()) write(withNumber(start));
    },

    write(part) {
      const isBlock = 'id' in part && part.id !== undefined && /-(start|delta|end)$/.test(part.type);
      const known = isBlock ? track(part as Part & { id: string }) : undefined;
      // Facts about the response and its end are new to the reader, whatever was received before.
      const isNew = ['response-metadata', 'raw', 'finish', 'error'].includes(part.type);
      if (!isSkipping || isNew) write(withNumber(part, known));
    },
  };

  /** Returns the metadata of the block. Hosts replace it by that of a delta. */
  function track(part: Part & { id: string }): SharedV2ProviderMetadata | undefined {
    const key = `${part.type.replace(/-\w+$/, '')} ${part.id}`;
    if (part.type.endsWith('-start')) open.set(key, part);
    const start = open.get(key);
    if (part.type.endsWith('-end')) open.delete(key);
    return start !== undefined && 'providerMetadata' in start ? start.providerMetadata : undefined;
  }

  function withNumber(part: Part, known?: SharedV2ProviderMetadata): Part {
    const hasMetadata = !['response-metadata', 'raw', 'error', 'stream-start', 'file'].includes(part.type);
    if (current === undefined || !hasMetadata) return part;
    const metadata =
      ('providerMetadata' in part
        ? (part.providerMetadata as SharedV2ProviderMetadata | undefined)
        : undefined) ?? known;
    const providerMetadata = {
      ...metadata,
      kelivo: { ...metadata?.kelivo, sequenceNumber: current },
    };
    return { ...part, providerMetadata } as Part;
  }
}

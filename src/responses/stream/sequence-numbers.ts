import type { Part } from '../../core/part.js';
import type { PartFacts, ProviderMetadata } from '../../core/prompt.js';
import { type JSONObject, numberOf, type PlainObject } from '../../core/shared/json.js';

/**
 * Adds the numbers of events to the parts of a response that can be resumed. With `after`, the parts of the events up to that number are left out, and blocks that
 * are open then start again.
 */
export function createSequenceNumbers(
  write: (part: Part) => void,
  { after = -1 }: { after?: number | undefined },
) {
  const open = new Map<string, Part & { id: string }>();
  let current: number | undefined;
  let isSkipping = after >= 0;

  return {
    /** Called with each event, before its parts are written. */
    begin(item: PlainObject): void {
      current = numberOf(item.sequence_number) ?? current;
      if (!isSkipping || current === undefined || current <= after) return;
      isSkipping = false;
      for (const start of open.values()) write(withNumber(start));
    },

    write(part: Part): void {
      const isBlock = 'id' in part && part.id !== undefined && /-(start|delta|end)$/.test(part.type);
      const start = isBlock ? track(part as Part & { id: string }) : undefined;
      // Facts about the response and its end are new to the reader, whatever was received before.
      const isNew = ['response-metadata', 'raw', 'finish', 'error'].includes(part.type);
      if (!isSkipping || isNew) write(withNumber(part, start));
    },
  };

  /** Returns the start of the block, whose facts hosts replace by those of a delta. */
  function track(part: Part & { id: string }): Part | undefined {
    const key = `${part.type.replace(/-\w+$/, '')} ${part.id}`;
    if (part.type.endsWith('-start')) open.set(key, part);
    const start = open.get(key);
    if (part.type.endsWith('-end')) open.delete(key);
    return start;
  }

  function withNumber(part: Part, start?: Part): Part {
    if (current === undefined || WITHOUT_FACTS.has(part.type)) return part;
    const { providerMetadata, own } = factsOf(part) ?? (start && factsOf(start)) ?? {};
    return {
      ...part,
      ...(providerMetadata !== undefined && { providerMetadata }),
      own: { ...own, sequenceNumber: current },
    } as Part;
  }
}

/** Parts that cannot contain facts, and files, which hosts keep without them. */
const WITHOUT_FACTS: ReadonlySet<Part['type']> = new Set<Part['type']>([
  'response-metadata',
  'raw',
  'error',
  'stream-start',
  'file',
]);

interface Facts {
  readonly providerMetadata?: ProviderMetadata | undefined;
  readonly own?: PartFacts | JSONObject | undefined;
}

function factsOf(part: Part): Facts | undefined {
  const { providerMetadata, own }: Facts = 'own' in part || 'providerMetadata' in part ? part : {};
  return providerMetadata === undefined && own === undefined ? undefined : { providerMetadata, own };
}

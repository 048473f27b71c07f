import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';

type Metadata = { openai?: Record<string, unknown> } | undefined;

/** One block or event of a response, without generated ids and delta boundaries. */
export interface NormalizedPart {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/**
 * Normalizes the parts of a stream, in the order in which they start. Each block becomes one entry with the metadata of
 * its end, which is what a host stores.
 */
export function normalizeParts(parts: readonly LanguageModelV2StreamPart[]): NormalizedPart[] {
  const normalized: Record<string, unknown>[] = [];
  const open = new Map<string, Record<string, unknown>>();
  for (const part of parts) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const block = {
          kind: part.type.replace('-start', ''),
          text: '',
          ...storedMetadata(part.providerMetadata),
        };
        open.set(`${block.kind} ${part.id}`, block);
        normalized.push(block);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const block = open.get(`${part.type.replace('-delta', '')} ${part.id}`);
        if (block !== undefined) block.text += part.delta;
        break;
      }
      case 'text-end':
      case 'reasoning-end':
        Object.assign(
          open.get(`${part.type.replace('-end', '')} ${part.id}`) ?? {},
          storedMetadata(part.providerMetadata),
        );
        break;
      case 'tool-call': {
        const { toolCallId, toolName, input, providerExecuted, providerMetadata } = part;
        const value = input.trim() === '' ? {} : JSON.parse(input);
        normalized.push({
          kind: 'call',
          toolCallId,
          toolName,
          value,
          providerExecuted,
          ...storedMetadata(providerMetadata),
        });
        break;
      }
      case 'tool-result':
        normalized.push({
          kind: 'result',
          toolCallId: part.toolCallId,
          toolName: part.toolName,
          result: plain(part.result),
        });
        break;
      case 'source':
        normalized.push({
          kind: 'source',
          of: part.sourceType === 'url' ? part.url : part.filename,
          title: part.title,
        });
        break;
      case 'response-metadata':
        normalized.push({
          kind: 'response',
          id: part.id,
          modelId: part.modelId,
          at: part.timestamp?.getTime(),
        });
        break;
      case 'finish': {
        const { serviceTier, reasoningContext, usage } = part.providerMetadata?.openai ?? {};
        const responseId = part.providerMetadata?.openai?.responseId;
        const metadata = { responseId, serviceTier, reasoningContext, usage };
        normalized.push({ kind: 'finish', reason: part.finishReason, usage: part.usage, metadata });
        break;
      }
      case 'error':
        normalized.push({ kind: 'error' });
        break;
    }
  }
  return normalized.map(entry => plain(entry) as NormalizedPart).filter(entry => !isEmptyText(entry));
}

/** Hosts drop empty text blocks. */
const isEmptyText = (entry: NormalizedPart): boolean => entry.kind === 'text' && entry.text === '';

const storedMetadata = (metadata: Metadata) => {
  const { itemId, reasoningEncryptedContent, annotations, phase } = metadata?.openai ?? {};
  return {
    metadata: { itemId, reasoningEncryptedContent: reasoningEncryptedContent || null, annotations, phase },
  };
};

/** Removes undefined and null fields, which hosts treat alike. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, field: unknown) => (field === null ? undefined : field)) ?? 'null');

import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import type {
  LanguageModelV4Citation,
  LanguageModelV4StreamPart,
} from '../../src/core/versions/specification.js';

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
export function normalizeParts(
  parts: readonly (LanguageModelV2StreamPart | LanguageModelV4StreamPart)[],
): NormalizedPart[] {
  const approvalIds = new Map<string, string>();
  for (const part of parts)
    if (part.type === 'tool-approval-request') approvalIds.set(part.toolCallId, part.approvalId);
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
          'citations' in part && { citations: part.citations?.map(withoutSourceId) },
        );
        break;
      case 'tool-call': {
        const { toolCallId, toolName, input, providerExecuted, providerMetadata } = part;
        const { namespace, itemId } = providerMetadata?.openai ?? {};
        const { metadata } = storedMetadata(providerMetadata);
        const id = approvalIds.get(toolCallId) ?? toolCallId;
        normalized.push({
          kind: 'call',
          // The official provider generates the id of a call that waits for approval.
          toolCallId: id,
          // The name of a function in a namespace that is not declared contains the namespace here.
          toolName: toolName.replace(`${String(namespace)}.`, ''),
          value: input.trim() === '' ? {} : JSON.parse(input),
          providerExecuted,
          // Calls whose id is that of their item repeat it here, because `ai@5` drops the metadata of results.
          metadata: { ...metadata, namespace, itemId: itemId === id ? undefined : itemId },
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
      case 'tool-approval-request':
        normalized.push({ kind: 'approval', approvalId: part.approvalId });
        break;
      case 'custom': {
        const { itemId, type, encryptedContent } = part.providerMetadata?.openai ?? {};
        normalized.push({ kind: 'custom', of: part.kind, metadata: { itemId, type, encryptedContent } });
        break;
      }
      case 'file':
        normalized.push({ kind: 'file', mediaType: part.mediaType });
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
        const { responseId, serviceTier, reasoningContext, usage } = part.providerMetadata?.openai ?? {};
        // Version 4 has a field for the cache writes that version 2 has in the metadata.
        const metadata = {
          responseId,
          serviceTier,
          reasoningContext,
          ...(typeof part.finishReason === 'string' && { usage }),
        };
        const { finishReason, usage: counts } = part;
        const { unified, raw } =
          typeof finishReason === 'string' ? { unified: finishReason, raw: undefined } : finishReason;
        normalized.push({ kind: 'finish', reason: unified, rawReason: raw, usage: counts, metadata });
        break;
      }
      case 'error':
        normalized.push({ kind: 'error' });
        break;
    }
  }
  return normalized.map(entry => plain(entry) as NormalizedPart).filter(entry => !isEmptyText(entry));
}

/** Removes the generated id of a cited source. */
const withoutSourceId = ({ source: { id: _, ...source }, ...citation }: LanguageModelV4Citation) => ({
  ...citation,
  source,
});

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

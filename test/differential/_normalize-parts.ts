import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';

type Metadata = { openai?: Record<string, unknown> } | undefined;

/** One thing that a host sees of an answer, without ids that are made up and without how it was cut into deltas. */
export interface Seen {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/**
 * What a host sees in a stream, in the order in which things begin. Blocks are one entry each, with the metadata that a
 * host keeps, which is that of their end.
 */
export function normalizeParts(parts: readonly LanguageModelV2StreamPart[]): Seen[] {
  const seen: Record<string, unknown>[] = [];
  const open = new Map<string, Record<string, unknown>>();
  for (const part of parts) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const block = { kind: part.type.replace('-start', ''), text: '', ...kept(part.providerMetadata) };
        open.set(`${block.kind} ${part.id}`, block);
        seen.push(block);
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
          kept(part.providerMetadata),
        );
        break;
      case 'tool-call': {
        const { toolCallId, toolName, input, providerExecuted, providerMetadata } = part;
        const value = input.trim() === '' ? {} : JSON.parse(input);
        seen.push({ kind: 'call', toolCallId, toolName, value, providerExecuted, ...kept(providerMetadata) });
        break;
      }
      case 'tool-result':
        seen.push({
          kind: 'result',
          toolCallId: part.toolCallId,
          toolName: part.toolName,
          result: plain(part.result),
        });
        break;
      case 'source':
        seen.push({
          kind: 'source',
          of: part.sourceType === 'url' ? part.url : part.filename,
          title: part.title,
        });
        break;
      case 'response-metadata':
        seen.push({ kind: 'response', id: part.id, modelId: part.modelId, at: part.timestamp?.getTime() });
        break;
      case 'finish': {
        const { serviceTier, reasoningContext, usage } = part.providerMetadata?.openai ?? {};
        const responseId = part.providerMetadata?.openai?.responseId;
        const metadata = { responseId, serviceTier, reasoningContext, usage };
        seen.push({ kind: 'finish', reason: part.finishReason, usage: part.usage, metadata });
        break;
      }
      case 'error':
        seen.push({ kind: 'error' });
        break;
    }
  }
  return seen.map(entry => plain(entry) as Seen).filter(entry => !isEmptyText(entry));
}

/** Hosts drop text blocks without text. */
const isEmptyText = (entry: Seen): boolean => entry.kind === 'text' && entry.text === '';

const kept = (metadata: Metadata) => {
  const { itemId, reasoningEncryptedContent, annotations, phase } = metadata?.openai ?? {};
  return {
    metadata: { itemId, reasoningEncryptedContent: reasoningEncryptedContent || null, annotations, phase },
  };
};

/** Without fields that are undefined or null, which differ in nothing that a host can see. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, field: unknown) => (field === null ? undefined : field)) ?? 'null');

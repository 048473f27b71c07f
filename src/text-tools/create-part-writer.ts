import type { LanguageModelV2StreamPart, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import type { TextEvents } from './create-text-parser.js';

/** Turns what a text says into parts, in blocks of their own around calls. */
export interface PartWriter extends TextEvents {
  /** A text block of the model begins. Its metadata goes with the first block that comes of it. */
  startText(block: { id: string; providerMetadata?: SharedV2ProviderMetadata | undefined }): void;
  /** It ends. */
  endText(options: { providerMetadata?: SharedV2ProviderMetadata | undefined }): void;
  /** Takes note of an id that the model uses itself. */
  claim(id: string): void;
  /** How many calls were written. */
  readonly calls: number;
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  input: string;
}

export function createPartWriter(emit: (part: LanguageModelV2StreamPart) => void): PartWriter {
  const used = new Set<string>();
  let source: { id: string; providerMetadata?: SharedV2ProviderMetadata | undefined } = { id: 'text' };
  let block: { type: 'text' | 'reasoning'; id: string } | undefined;
  let call: OpenCall | undefined;
  let calls = 0;

  function toUnused(id: string, next: (attempt: number) => string): string {
    let unused = id;
    for (let attempt = 2; used.has(unused); attempt++) unused = next(attempt);
    used.add(unused);
    return unused;
  }

  function closeBlock(metadata: { providerMetadata?: SharedV2ProviderMetadata } = {}): void {
    if (block !== undefined) emit({ type: `${block.type}-end`, id: block.id, ...metadata });
    block = undefined;
  }

  function write(type: 'text' | 'reasoning', delta: string): void {
    if (block?.type !== type) {
      closeBlock();
      const { id, providerMetadata } = source;
      block = { type, id: toUnused(id, attempt => `${id}-${attempt}`) };
      emit({ type: `${type}-start`, id: block.id, ...(providerMetadata && { providerMetadata }) });
      source = { id };
    }
    emit({ type: `${type}-delta`, id: block.id, delta });
  }

  return {
    startText(start) {
      source = start;
    },
    endText({ providerMetadata }) {
      closeBlock(providerMetadata && { providerMetadata });
    },
    claim: id => void used.add(id),
    get calls() {
      return calls;
    },

    text: delta => write('text', delta),
    reasoning: delta => write('reasoning', delta),
    callStart({ name, id }) {
      closeBlock();
      call = { id: toUnused(id ?? generateId(), generateId), name, input: '' };
      emit({ type: 'tool-input-start', id: call.id, toolName: name });
    },
    callInput(delta) {
      if (call === undefined || delta === '') return;
      call.input += delta;
      emit({ type: 'tool-input-delta', id: call.id, delta });
    },
    callEnd() {
      if (call === undefined) return;
      const { id, name, input } = call;
      emit({ type: 'tool-input-end', id });
      emit({ type: 'tool-call', toolCallId: id, toolName: name, input });
      calls++;
      call = undefined;
    },
    callLost() {
      if (call !== undefined) emit({ type: 'tool-input-end', id: call.id });
      call = undefined;
    },
  };
}

import type { LanguageModelV2StreamPart, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import type { TextEvents } from './text-events.js';

/** Turns what a text says into parts, in blocks of their own around calls. */
export interface PartWriter extends TextEvents {
  /** A text block of the model begins. Its metadata goes with the first block that comes of it. */
  startText(block: { id: string; providerMetadata?: SharedV2ProviderMetadata | undefined }): void;
  /** It ends. */
  endText(options: { providerMetadata?: SharedV2ProviderMetadata | undefined }): void;
  /** Takes note of an id that the model uses itself. */
  claim(id: string): void;
  /** Emits what has been written since. Deltas are as long as what came from the model, however it was read. */
  flush(): void;
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
  /** How many blocks came of it. */
  let blocks = 0;
  let block: { type: 'text' | 'reasoning'; id: string } | undefined;
  let call: OpenCall | undefined;
  let calls = 0;
  /** The delta of the open block, or of the open call. */
  let delta = '';

  function toUnused(id: string, next: () => string): string {
    let unused = id;
    while (used.has(unused)) unused = next();
    used.add(unused);
    return unused;
  }

  const nextBlockId = () => (++blocks === 1 ? source.id : `${source.id}-${blocks}`);

  function flush(): void {
    if (delta !== '' && call !== undefined) {
      call.input += delta;
      emit({ type: 'tool-input-delta', id: call.id, delta });
    } else if (delta !== '' && block !== undefined) {
      emit({ type: `${block.type}-delta`, id: block.id, delta });
    }
    delta = '';
  }

  function closeBlock(metadata: { providerMetadata?: SharedV2ProviderMetadata } = {}): void {
    flush();
    if (block !== undefined) emit({ type: `${block.type}-end`, id: block.id, ...metadata });
    block = undefined;
  }

  function write(type: 'text' | 'reasoning', text: string): void {
    if (block?.type !== type) {
      closeBlock();
      const { id, providerMetadata } = source;
      block = { type, id: toUnused(nextBlockId(), nextBlockId) };
      emit({ type: `${type}-start`, id: block.id, ...(providerMetadata && { providerMetadata }) });
      source = { id };
    }
    delta += text;
  }

  return {
    startText(start) {
      source = start;
      blocks = 0;
    },
    endText({ providerMetadata }) {
      closeBlock(providerMetadata && { providerMetadata });
    },
    claim: id => void used.add(id),
    get calls() {
      return calls;
    },

    flush,

    text: text => write('text', text),
    reasoning: text => write('reasoning', text),
    callStart({ name, id }) {
      closeBlock();
      call = { id: toUnused(id ?? generateId(), generateId), name, input: '' };
      emit({ type: 'tool-input-start', id: call.id, toolName: name });
    },
    callInput(text) {
      delta += text;
    },
    callEnd() {
      if (call === undefined) return;
      flush();
      const { id, name, input } = call;
      emit({ type: 'tool-input-end', id });
      emit({ type: 'tool-call', toolCallId: id, toolName: name, input });
      calls++;
      call = undefined;
    },
    callLost() {
      flush();
      if (call !== undefined) emit({ type: 'tool-input-end', id: call.id });
      call = undefined;
    },
  };
}

import type { LanguageModelV2StreamPart, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import type { TextEvents } from './text-output.js';

/** Converts the events of a text parser to stream parts. Calls interrupt the text and reasoning blocks. */
export interface PartWriter extends TextEvents {
  /** Starts a text block of the model. The first block that is written for it carries its metadata. */
  startText(block: { id: string; providerMetadata?: SharedV2ProviderMetadata | undefined }): void;
  endText(options: { providerMetadata?: SharedV2ProviderMetadata | undefined }): void;
  /** Reserves an id that the model uses itself. */
  claim(id: string): void;
  /** Emits the buffered delta, so that each delta of the model produces one delta. */
  flush(): void;
  /** The number of complete calls. */
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
  /** The number of blocks that were written for `source`. */
  let blocks = 0;
  let block: { type: 'text' | 'reasoning'; id: string } | undefined;
  let call: OpenCall | undefined;
  let calls = 0;
  /** The buffered delta of the open block or call. */
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
    startText({ id, providerMetadata }) {
      source = { id, providerMetadata };
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
    callEnd: endCall,
    callBroken() {
      flush();
      // Some hosts add brackets that are missing after a complete value, so another value is opened.
      if (call !== undefined && !endsInString(call.input)) delta = ',"';
      endCall();
    },
  };

  function endCall(): void {
    if (call === undefined) return;
    flush();
    const { id, name, input } = call;
    emit({ type: 'tool-input-end', id });
    emit({ type: 'tool-call', toolCallId: id, toolName: name, input });
    calls++;
    call = undefined;
  }
}

/** Returns true if truncated JSON ends within a string. */
function endsInString(json: string): boolean {
  let isInString = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') isInString = !isInString;
    else if (character === '\\' && isInString) at++;
  }
  return isInString;
}

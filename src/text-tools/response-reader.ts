import type { LanguageModelV2CallOptions, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import type { PartTransformer } from '../parts/transform.js';
import { createPartWriter } from './part-writer.js';
import { createTextParser, type TextParser, type TextParserOptions } from './text-parser.js';
import { toDeclaredTools } from './declared-tools.js';
import { toReason, withToolCalls } from './to-finish-reason.js';

type Emit = (part: LanguageModelV2StreamPart) => void;

export interface TextReaderOptions extends Pick<
  TextParserOptions,
  'formats' | 'reasoning' | 'startsInReasoning'
> {
  readonly params: Pick<LanguageModelV2CallOptions, 'tools' | 'toolChoice'>;
}

/**
 * Rewrites the parts of one answer. Text is read in one go up to content of another kind: a call does not reach across
 * it.
 */
export function createTextReader({
  formats,
  reasoning,
  startsInReasoning = false,
  params,
}: TextReaderOptions): PartTransformer {
  const tools = toDeclaredTools(params);
  let emit: Emit = () => {};
  const writer = createPartWriter(part => emit(part));
  let parser: TextParser | undefined;
  /** Half of a character that is written as two: it waits for the other half. */
  let half = '';
  /** Whether the first text may be reasoning from its beginning. */
  let mayStartInReasoning = startsInReasoning;
  /** Whether the server sets reasoning apart: what it leaves in the text, it means to be there. */
  let isSetApart = false;
  /** The first text, where it is taken for reasoning. */
  let assumed = '';

  const openParser = (startsInReasoning: boolean) =>
    createTextParser({ formats, reasoning, tools, startsInReasoning, keepsReasoning: isSetApart }, writer);

  function feed(delta: string): void {
    const text = half + delta;
    half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : '';
    const whole = text.slice(0, text.length - half.length);
    if (whole === '') return;
    parser ??= openParser(mayStartInReasoning);
    if (mayStartInReasoning) assumed += whole;
    parser.feed(whole);
    writer.flush();
  }

  function endText(metadata: Parameters<typeof writer.endText>[0] = {}): void {
    if (half !== '') {
      parser ??= openParser(mayStartInReasoning);
      parser.feed(half);
    }
    half = '';
    parser?.end();
    if (parser !== undefined) {
      if (!parser.isAllReasoning) assumed = '';
      mayStartInReasoning = false;
    }
    parser = undefined;
    writer.endText(metadata);
  }

  /** An answer that never ended its reasoning, and is over, was an answer. */
  function settle(reason: unknown): void {
    if (assumed === '' || toReason(reason) !== 'stop') return;
    parser = openParser(false);
    parser.feed(assumed);
    endText();
  }

  type Handlers = {
    [Type in LanguageModelV2StreamPart['type']]?: (
      part: Extract<LanguageModelV2StreamPart, { type: Type }>,
    ) => LanguageModelV2StreamPart | undefined;
  };
  const handlers: Handlers = {
    'text-start': ({ id, providerMetadata }) => {
      endText();
      writer.startText({ id, providerMetadata });
      return undefined;
    },
    'text-delta': ({ delta }) => {
      feed(delta);
      return undefined;
    },
    'text-end': ({ providerMetadata }) => {
      endText({ providerMetadata });
      return undefined;
    },
    'reasoning-start': part => {
      mayStartInReasoning = false;
      isSetApart = true;
      return other(part, part.id);
    },
    'tool-input-start': part => other(part, part.id),
    'tool-call': part => other(part, part.toolCallId),
    'tool-result': part => other(part),
    file: part => other(part),
    error: part => other(part),
    finish: part => {
      endText();
      settle(part.finishReason);
      return writer.calls === 0 ? part : { ...part, finishReason: withToolCalls(part.finishReason) };
    },
  };

  /** Content of another kind. */
  function other<Part extends LanguageModelV2StreamPart>(part: Part, id?: string): Part {
    endText();
    if (id !== undefined) writer.claim(id);
    return part;
  }

  return {
    part(part, write) {
      emit = write;
      const handle = handlers[part.type] as
        ((part: LanguageModelV2StreamPart) => LanguageModelV2StreamPart | undefined) | undefined;
      const rewritten = handle === undefined ? part : handle(part);
      if (rewritten !== undefined) write(rewritten);
    },
    flush(write) {
      emit = write;
      endText();
    },
  };
}

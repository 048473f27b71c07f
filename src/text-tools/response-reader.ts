import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2FinishReason,
  LanguageModelV2StreamPart,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import type { PartTransformer } from '../parts/transform.js';
import { createPartWriter } from './part-writer.js';
import { createDuplicateCalls } from './duplicate-calls.js';
import type { HeldCalls } from './reasoning-calls.js';
import type { UnclosedCall } from './text-output.js';
import { createTextParser, type TextParser, type TextParserOptions } from './text-parser.js';
import { forbidsCalls, toDeclaredTools } from './text-tool-format.js';

type Part = LanguageModelV2StreamPart;

export interface ResponseReaderOptions extends Pick<
  TextParserOptions,
  'formats' | 'reasoning' | 'startsInReasoning' | 'undeclared'
> {
  readonly params: Pick<LanguageModelV2CallOptions, 'tools' | 'toolChoice' | 'prompt'>;
}

/**
 * Rewrites the parts of one response. Consecutive text is parsed as a unit; other content ends it, so a call never
 * spans other content.
 */
export function createResponseReader({
  formats,
  reasoning,
  startsInReasoning = false,
  undeclared,
  params,
}: ResponseReaderOptions): PartTransformer {
  const tools = toDeclaredTools(params);
  const dropsCalls = forbidsCalls(params);
  let emit: (part: Part) => void = () => {};
  const duplicateCalls = createDuplicateCalls(params);
  const writer = createPartWriter(part => duplicateCalls.fromText(part, emit));
  let parser: TextParser | undefined;
  /** The first half of a surrogate pair, until the second half arrives. */
  let highSurrogate = '';
  /** True while the first text may begin with reasoning. */
  let mayStartInReasoning = startsInReasoning;
  /** True if the server separates reasoning from the text. Tags that it leaves in the text are intended. */
  let hasNativeReasoning = false;
  /** The first text while it is treated as reasoning. */
  let assumedReasoning = '';
  /** True if a text had the start of a call that is none. */
  let hasOpener = false;
  /** The calls at the end of the text that is treated as reasoning. */
  let heldCalls: HeldCalls | undefined;
  /** The call at the end of the latest text, if its end is missing. */
  let unclosedCall: UnclosedCall | undefined;

  const openParser = (startsInReasoning: boolean) =>
    createTextParser(
      {
        formats,
        reasoning,
        tools,
        undeclared,
        dropsCalls,
        startsInReasoning,
        keepsReasoning: hasNativeReasoning,
        hasOpener,
      },
      writer,
    );

  function feed(delta: string): void {
    const text = highSurrogate + delta;
    highSurrogate = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : '';
    const complete = text.slice(0, text.length - highSurrogate.length);
    if (complete === '') return;
    parser ??= openParser(mayStartInReasoning);
    if (mayStartInReasoning) assumedReasoning += complete;
    parser.feed(complete);
    writer.flush();
  }

  function endText(metadata: Parameters<typeof writer.endText>[0] = {}): void {
    if (highSurrogate !== '') {
      parser ??= openParser(mayStartInReasoning);
      parser.feed(highSurrogate);
    }
    highSurrogate = '';
    parser?.end();
    if (parser !== undefined) {
      if (!parser.isAllReasoning) assumedReasoning = '';
      heldCalls ??= parser.heldCalls;
      unclosedCall = parser.unclosedCall;
      hasOpener = parser.hasOpener;
      mayStartInReasoning = false;
    }
    parser = undefined;
    writer.endText(metadata);
  }

  /**
   * Emits reasoning that was never closed as text, once, unless the response was truncated, failed or made native calls:
   * an answer that is shown twice does less harm than one that is hidden. The calls at its end are calls unless the
   * response was truncated or failed.
   */
  function endAssumedReasoning(reason: unknown): void {
    const isFinished = replaceableReasons.has(unifiedReason(reason));
    const calls = heldCalls;
    const text = assumedReasoning.slice(0, assumedReasoning.length - (calls?.text.length ?? 0));
    assumedReasoning = '';
    heldCalls = undefined;
    if (isFinished && unifiedReason(reason) !== 'tool-calls' && text.trim() !== '') feedText(text);
    if (isFinished) calls?.emit(writer);
    else if (calls !== undefined) writer.reasoning(calls.text.trim());
    endText();
    endUnclosedCall(reason);
  }

  /**
   * Completes the call at the end of the response, if only its end is missing and the response finished normally.
   * Otherwise more arguments may be missing.
   */
  function endUnclosedCall(reason?: unknown): void {
    const call = unclosedCall;
    if (call === undefined) return;
    unclosedCall = undefined;
    if (finishedReasons.has(unifiedReason(reason))) call.complete();
    else call.discard();
    writer.endText({});
  }

  function feedText(text: string): void {
    parser = openParser(false);
    parser.feed(text);
    endText();
  }

  /** Ends the text before content of another type. */
  function endTextBefore(part: Part, id?: string): Part {
    endText();
    endUnclosedCall();
    if (id !== undefined) writer.claim(id);
    return part;
  }

  /** Returns the part that replaces `part`, or undefined for a part that has no replacement. */
  function rewrite(part: Part): Part | undefined {
    switch (part.type) {
      case 'text-start':
        endText();
        endUnclosedCall();
        writer.startText(part);
        return undefined;
      case 'text-delta':
        feed(part.delta);
        return undefined;
      case 'text-end':
        endText(part);
        return undefined;
      case 'reasoning-start':
        mayStartInReasoning = false;
        hasNativeReasoning = true;
        return endTextBefore(part, part.id);
      case 'tool-input-start':
        return endTextBefore(part, part.id);
      case 'tool-call':
        return endTextBefore(part, part.toolCallId);
      case 'tool-result':
      case 'file':
      case 'error':
        return endTextBefore(part);
      case 'finish':
        endText();
        endUnclosedCall(part.finishReason);
        endAssumedReasoning(part.finishReason);
        duplicateCalls.end(emit);
        return writer.calls === 0 ? part : { ...part, finishReason: withToolCalls(part.finishReason) };
      default:
        return part;
    }
  }

  return {
    part(part, write) {
      emit = write;
      const rewritten = rewrite(part);
      if (rewritten !== undefined) duplicateCalls.native(rewritten, write);
    },
    flush(write) {
      emit = write;
      endText();
      endUnclosedCall();
      endAssumedReasoning(undefined);
      duplicateCalls.end(write);
    },
  };
}

export interface WholeResponse {
  readonly content: LanguageModelV2Content[];
  readonly finishReason: LanguageModelV2FinishReason;
}

/** Reads a generated response with the stream reader, so that both return the same content. */
export function readContent(response: WholeResponse, options: ResponseReaderOptions): WholeResponse {
  const content: LanguageModelV2Content[] = [];
  let { finishReason } = response;
  const reader = createResponseReader(options);
  for (const [index, part] of response.content.entries()) {
    for (const streamPart of toStreamParts(part, String(index))) reader.part(streamPart, add);
  }
  const usage = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };
  reader.part({ type: 'finish', finishReason, usage }, add);
  return { content, finishReason };

  function add(part: Part): void {
    const last = content.at(-1);
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const type = part.type === 'text-start' ? 'text' : 'reasoning';
        content.push({ type, text: '', ...metadataOf(part) });
        break;
      }
      case 'text-delta':
      case 'reasoning-delta':
        if (last?.type === 'text' || last?.type === 'reasoning') last.text += part.delta;
        break;
      case 'text-end':
      case 'reasoning-end':
        Object.assign(last ?? {}, metadataOf(part));
        break;
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
        break;
      case 'finish':
        finishReason = part.finishReason;
        break;
      default:
        // All other content has the same shape in streams and in generated responses.
        content.push(part as LanguageModelV2Content);
    }
  }
}

function toStreamParts(part: LanguageModelV2Content, id: string): Part[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part];
  const { type, text } = part;
  return [
    { type: `${type}-start`, id, ...metadataOf(part) },
    { type: `${type}-delta`, id, delta: text },
    { type: `${type}-end`, id },
  ];
}

const metadataOf = ({ providerMetadata }: { providerMetadata?: SharedV2ProviderMetadata }) =>
  providerMetadata === undefined ? {} : { providerMetadata };

/** Returns the finish reason of a response with calls. Truncated, filtered and failed responses keep theirs. */
function withToolCalls<Reason extends LanguageModelV2FinishReason>(reason: Reason): Reason {
  if (!replaceableReasons.has(unifiedReason(reason))) return reason;
  // The type describes the second specification. The value may be of a later one.
  return (isWrapped(reason) ? Object.assign({}, reason, { unified: 'tool-calls' }) : 'tool-calls') as Reason;
}

/** The reasons of a response that the model ended itself. */
const finishedReasons: ReadonlySet<unknown> = new Set(['stop', 'tool-calls']);

const replaceableReasons: ReadonlySet<unknown> = new Set(['stop', 'tool-calls', 'other', 'unknown']);

/** Unwraps a finish reason of the third specification. */
const unifiedReason = (reason: unknown): unknown => (isWrapped(reason) ? reason.unified : reason);

const isWrapped = (reason: unknown): reason is { unified: unknown } =>
  typeof reason === 'object' && reason !== null && 'unified' in reason;

import type { CoreCall } from '../../core/call.js';
import type { Finish, FinishReason, Part } from '../../core/part.js';
import type { PartTransformer } from '../../core/source.js';
import { createDuplicateCalls } from './duplicate-calls.js';
import type { HeldCalls } from './reasoning.js';
import { createQuotedCalls } from './quoted-calls.js';
import { createPartWriter, type PartWriter, type UnclosedCall } from './text-output.js';
import { TextParser, type TextParserOptions } from './text-parser.js';
import { forbidsCalls, toDeclaredTools } from '../reading/text-tool-format.js';

export interface ResponseReaderOptions extends Pick<
  TextParserOptions,
  'formats' | 'reasoning' | 'startsInReasoning' | 'undeclared' | 'dropsText' | 'streamArgumentsFrom'
> {
  readonly call: Pick<CoreCall, 'tools' | 'toolChoice' | 'prompt'>;
  /** The formats are those of other families: reasoning is text, and the metadata names the formats that were found. */
  readonly isDetected?: boolean;
}

/**
 * Rewrites the parts of one response. Consecutive text is parsed as a unit; other content ends it, so a call never
 * spans other content.
 */
export function createResponseReader(options: ResponseReaderOptions): PartTransformer {
  const { call, isDetected = false, streamArgumentsFrom } = options;
  let emit: (part: Part) => void = () => {};
  const duplicateCalls = createDuplicateCalls(call, streamArgumentsFrom);
  const writer = createPartWriter(part => duplicateCalls.fromText(part, emit));
  const text = createResponseText(options, writer);

  /** Ends the text before content of another type. */
  function endTextBefore(part: Part, id?: string): Part {
    text.close();
    if (id !== undefined) writer.claim(id);
    return part;
  }

  /** Returns the part that replaces `part`, or undefined for a part that has no replacement. */
  function rewrite(part: Part): Part | undefined {
    switch (part.type) {
      case 'text-start':
        text.close();
        writer.startText(part);
        return undefined;
      case 'text-delta':
        text.feed(part.delta);
        return undefined;
      case 'text-end':
        text.end(part);
        return undefined;
      case 'reasoning-start':
        text.startNativeReasoning();
        return endTextBefore(part, part.id);
      case 'tool-input-start':
        return endTextBefore(part, part.id);
      case 'tool-call':
        return endTextBefore(part, part.toolCallId);
      case 'tool-result':
      case 'tool-approval-request':
      case 'file':
      case 'reasoning-file':
      case 'custom':
      case 'error':
        return endTextBefore(part);
      case 'finish':
        text.finish(part.finishReason.unified);
        duplicateCalls.end(emit);
        return withCalls(part, writer, isDetected);
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
      text.finish(undefined);
      duplicateCalls.end(write);
    },
  };
}

/** Returns the end of a response with what the text has shown. */
function withCalls(part: Finish, { calls, formats, quoted }: PartWriter, isDetected: boolean): Finish {
  if (calls === 0 && quoted.size === 0) return part;
  const facts = {
    ...(isDetected && calls > 0 && { detectedFormats: [...formats] }),
    ...(quoted.size > 0 && { quotedCalls: [...quoted] }),
  };
  return {
    ...part,
    ...(calls > 0 && { finishReason: withToolCalls(part.finishReason) }),
    ...(Object.keys(facts).length > 0 && { own: { ...part.own, ...facts } }),
  };
}

/** The text of a response, which is read as a unit until other content ends it. */
interface ResponseText {
  feed(delta: string): void;
  /** Ends the text with its metadata. Its last call may still be completed at the end of the response. */
  end(end?: BlockEnd): void;
  /** Ends the text before other content, which no call spans. */
  close(): void;
  /** Ends the text at the end of the response. */
  finish(reason: Reason | undefined): void;
  /** Notes that the server separates reasoning from the text. */
  startNativeReasoning(): void;
}

type BlockEnd = Parameters<PartWriter['endText']>[0];

function createResponseText(
  { call, isDetected = false, ...options }: ResponseReaderOptions,
  writer: PartWriter,
): ResponseText {
  const tools = toDeclaredTools(call);
  const dropsCalls = forbidsCalls(call);
  const quoted = createQuotedCalls(call, { formats: options.formats, reasoning: options.reasoning, tools });
  const pairs = createPairJoiner();
  let parser: TextParser | undefined;
  /** True while the first text may begin with reasoning. */
  let mayStartInReasoning = options.startsInReasoning ?? false;
  /** True if the server separates reasoning from the text. Tags that it leaves in the text are intended. */
  let hasNativeReasoning = isDetected;
  /** The first text while it is treated as reasoning. */
  let assumedReasoning = '';
  /** True if a text had the start of a call that is none. */
  let hasOpener = false;
  /** The calls at the end of the text that is treated as reasoning. */
  let heldCalls: HeldCalls | undefined;
  /** The call at the end of the latest text, if its end is missing. */
  let unclosedCall: UnclosedCall | undefined;

  const openParser = (startsInReasoning: boolean) =>
    new TextParser(
      {
        ...options,
        tools,
        quoted,
        // The host would run a tool that the request excludes.
        undeclared: options.undeclared ?? (call.toolChoice?.type === 'tool' ? 'text' : undefined),
        dropsCalls,
        startsInReasoning,
        keepsReasoning: hasNativeReasoning,
        hasOpener,
      },
      writer,
    );

  function feed(delta: string): void {
    const complete = pairs.push(delta);
    if (complete === '') return;
    parser ??= openParser(mayStartInReasoning);
    if (mayStartInReasoning) assumedReasoning += complete;
    parser.feed(complete);
    writer.flush();
  }

  function endText(end?: BlockEnd): void {
    const rest = pairs.end();
    if (rest !== '') {
      parser ??= openParser(mayStartInReasoning);
      parser.feed(rest);
    }
    parser?.end();
    if (parser !== undefined) {
      if (!parser.isAllReasoning) assumedReasoning = '';
      heldCalls ??= parser.heldCalls;
      unclosedCall = parser.unclosedCall;
      hasOpener = parser.hasOpener;
      mayStartInReasoning = false;
    }
    parser = undefined;
    writer.endText(end);
  }

  /**
   * Emits reasoning that was never closed as text, once, unless the response was truncated, failed or made native calls:
   * an answer that is shown twice does less harm than one that is hidden. The calls at its end are calls unless the
   * response was truncated or failed.
   */
  function endAssumedReasoning(reason: Reason | undefined): void {
    const isFinished = REPLACEABLE_REASONS.has(reason);
    const calls = heldCalls;
    const text = assumedReasoning.slice(0, assumedReasoning.length - (calls?.text.length ?? 0));
    assumedReasoning = '';
    heldCalls = undefined;
    if (isFinished && reason !== 'tool-calls' && text.trim() !== '') feedText(text);
    if (isFinished) calls?.emit(writer);
    else if (calls !== undefined) writer.reasoning(calls.text.trim());
    endText();
    endUnclosedCall(reason);
  }

  /**
   * Completes the call at the end of the response, if only its end is missing and the response finished normally.
   * Otherwise more arguments may be missing.
   */
  function endUnclosedCall(reason?: Reason): void {
    const unclosed = unclosedCall;
    if (unclosed === undefined) return;
    unclosedCall = undefined;
    if (FINISHED_REASONS.has(reason)) unclosed.complete();
    else unclosed.discard();
    writer.endText();
  }

  function feedText(text: string): void {
    parser = openParser(false);
    parser.feed(text);
    endText();
  }

  return {
    feed,
    end: endText,
    close() {
      endText();
      endUnclosedCall();
    },
    finish(reason) {
      endText();
      endUnclosedCall(reason);
      endAssumedReasoning(reason);
    },
    startNativeReasoning() {
      mayStartInReasoning = false;
      hasNativeReasoning = true;
    },
  };
}

/** Holds back the first half of a surrogate pair until the second half arrives. */
function createPairJoiner() {
  let half = '';
  return {
    push(delta: string): string {
      const text = half + delta;
      half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? '';
      return half === '' ? text : text.slice(0, -1);
    },
    end(): string {
      const rest = half;
      half = '';
      return rest;
    },
  };
}

/** Returns the finish reason of a response with calls. Truncated, filtered and failed responses keep theirs. */
const withToolCalls = (reason: FinishReason): FinishReason =>
  REPLACEABLE_REASONS.has(reason.unified) ? { ...reason, unified: 'tool-calls' } : reason;

type Reason = FinishReason['unified'];

/** The reasons of a response that the model ended itself. */
const FINISHED_REASONS: ReadonlySet<Reason | undefined> = new Set<Reason>(['stop', 'tool-calls']);

const REPLACEABLE_REASONS: ReadonlySet<Reason | undefined> = new Set<Reason>([
  'stop',
  'tool-calls',
  'other',
  'interrupted',
]);

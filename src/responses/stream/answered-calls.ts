import { itemOf } from '../../core/custom.js';
import type { FileData, OutputContent, ToolResultOutput } from '../../core/prompt.js';
import type { Part, PartOf, ToolCall } from '../../core/part.js';
import { idOf, objectsOf, type PlainObject, stringOf } from '../../core/shared/json.js';
import { toResultValue } from '../../core/tool-calls/mcp-output.js';

/*
 * Calls of functions that the server ran itself: the same response contains the call and its `function_call_output`. They
 * must not run again. What follows a call is therefore held back until its output or the end of the response shows who runs
 * it.
 */

/** A response whose calls are decided. */
export interface AnsweredCalls {
  write(part: Part): void;
}

/**
 * Passes on the parts of a response in their order. A call with an output becomes a provider-executed call with a result.
 *
 * @param options.holds false if the server runs no functions, so that calls can start while the response goes on.
 */
export function createAnsweredCalls(
  write: (part: Part) => void,
  { holds }: { readonly holds: boolean },
): AnsweredCalls {
  if (!holds) return { write };
  const calls = new Map<string, ToolCall>();
  /** Outputs whose call has not arrived. If it never does, they are sent back as they are, in their place. */
  const outputs = new Map<string, PartOf<'custom'>>();
  /** The parts from the first undecided call on. */
  let held: Part[] = [];
  const undecided = new Set<Part>();
  let hasAnswers = false;
  let isWaiting = false;

  return {
    write(part) {
      if (part.type === 'finish') return end(part);
      if (part.type === 'tool-approval-request') isWaiting = true;
      const callId = part.type === 'custom' ? outputCallIdOf(part) : undefined;
      if (part.type === 'tool-call' && part.providerExecuted !== true) return addCall(part);
      if (part.type === 'custom' && callId !== undefined) return addOutput(callId, part);
      return emit(part);
    },
  };

  function addCall(part: ToolCall): void {
    const output = outputs.get(part.toolCallId);
    if (output !== undefined) {
      outputs.delete(part.toolCallId);
      undecided.delete(output);
      held = held.filter(one => one !== output);
      held.push(toExecuted(part));
      return emit(toResult(part, output));
    }
    // An asynchronous call runs while the response goes on, and only calls of functions are answered.
    const isDecided = part.isComplete !== true || part.providerMetadata?.openai?.async === true;
    if (isDecided) isWaiting = true;
    else {
      calls.set(part.toolCallId, part);
      undecided.add(part);
    }
    emit(part);
  }

  function addOutput(callId: string, part: PartOf<'custom'>): void {
    const call = calls.get(callId);
    if (call === undefined) {
      // A response has at most one output for a call.
      if (outputs.has(callId)) return;
      outputs.set(callId, part);
      undecided.add(part);
      return emit(part);
    }
    if (!undecided.delete(call)) return;
    held = held.map(one => (one === call ? toExecuted(call) : one));
    emit(toResult(call, part));
  }

  function toResult(call: ToolCall, part: PartOf<'custom'>): Part {
    hasAnswers = true;
    const { toolCallId, toolName } = call;
    const output = toOutput(itemOf(part) ?? {});
    return {
      type: 'tool-result',
      toolCallId,
      toolName,
      result: toResultValue(output),
      output,
      ofLoop: 'shown',
    };
  }

  function emit(part: Part): void {
    held.push(part);
    if (undecided.size === 0) release();
  }

  function release(): void {
    const parts = held;
    held = [];
    for (const part of parts) write(part);
  }

  function end(finish: PartOf<'finish'>): void {
    isWaiting ||= [...undecided].some(({ type }) => type === 'tool-call');
    undecided.clear();
    const { unified, raw } = finish.finishReason;
    const isOver = unified === 'tool-calls' && hasAnswers && !isWaiting;
    emit(isOver ? { ...finish, finishReason: { unified: 'stop', raw } } : finish);
  }
}

function outputCallIdOf(part: PartOf<'custom'>): string | undefined {
  const item = itemOf(part);
  return item?.type === 'function_call_output' ? idOf(item.call_id) : undefined;
}

/** The calls have the parts of those that the tool loop runs: each host receives what it can show and keep. */
const toExecuted = ({ isComplete: _, ...call }: ToolCall): Part => ({
  ...call,
  providerExecuted: true,
  ofLoop: 'shown',
});

/** Converts the output of an item: a text, or a list of texts, images and files. */
function toOutput({ output }: PlainObject): ToolResultOutput {
  if (!Array.isArray(output)) {
    const value = typeof output === 'string' ? output : JSON.stringify(output ?? '');
    return { type: 'text', value };
  }
  return { type: 'content', value: objectsOf(output).flatMap(toContent) };
}

function toContent(part: PlainObject): OutputContent[] {
  if (typeof part.text === 'string') return [{ type: 'text', text: part.text }];
  const isImage = part.type === 'input_image';
  const address = idOf(part.image_url) ?? idOf(part.file_data) ?? idOf(part.file_url);
  const fileId = idOf(part.file_id);
  const filename = idOf(part.filename);
  const [, mediaType, base64] = /^data:([^;,]+);base64,(.*)$/s.exec(address ?? '') ?? [];
  const data: FileData | undefined =
    base64 !== undefined
      ? { type: 'data', data: base64 }
      : address !== undefined && URL.canParse(address)
        ? { type: 'url', url: new URL(address) }
        : fileId !== undefined
          ? { type: 'reference', reference: { openai: fileId } }
          : undefined;
  if (data === undefined) return [{ type: 'text', text: `[${stringOf(part.type) || 'content'} omitted]` }];
  return [
    {
      type: 'file',
      data,
      mediaType: mediaType ?? (isImage ? 'image/*' : 'application/octet-stream'),
      ...(filename !== undefined && { filename }),
    },
  ];
}

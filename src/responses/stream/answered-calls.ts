import { itemOf } from '../../core/custom.js';
import type { FileData, OutputContent, ToolResultOutput } from '../../core/prompt.js';
import type { Part, PartOf, ToolCall } from '../../core/part.js';
import { idOf, objectsOf, type PlainObject, stringOf } from '../../core/shared/json.js';
import { toResultValue } from '../../core/tool-calls/mcp-output.js';

/*
 * Calls of functions that the server ran itself: the same response contains the call and its `function_call_output`, or the
 * same stream contains another response after it. They must not run again. What follows a call is therefore held back until
 * its output, the next response or the end of the stream shows who runs it.
 */

/** The types of parts that tell who runs a call, or end the response. */
export const DECIDING_PARTS: ReadonlySet<Part['type']> = new Set<Part['type']>([
  'tool-call',
  'tool-approval-request',
  'custom',
  'finish',
]);

/**
 * Passes on the parts of a response in their order. A call with an output becomes a provider-executed call with a result.
 *
 * While nothing is held, only the `DECIDING_PARTS` have to pass through it.
 */
export class AnsweredCalls {
  /** True while a call, or an output whose call has not arrived, is undecided, so that all parts after it wait. */
  isHolding = false;
  readonly #write: (part: Part) => void;
  readonly #calls = new Map<string, ToolCall>();
  /** Outputs whose call has not arrived. If it never does, they are sent back as they are, in their place. */
  readonly #outputs = new Map<string, PartOf<'custom'>>();
  /** The parts from the first undecided call on. */
  #held: Part[] = [];
  readonly #undecided = new Set<Part>();
  /** Calls that the server ran, and whose output has not arrived. */
  readonly #unanswered = new Set<ToolCall>();
  #hasAnswers = false;
  #isWaiting = false;

  constructor(write: (part: Part) => void) {
    this.#write = write;
  }

  write(part: Part): void {
    if (part.type === 'finish') return this.#end(part);
    if (part.type === 'tool-approval-request') this.#isWaiting = true;
    const callId = part.type === 'custom' ? outputCallIdOf(part) : undefined;
    if (part.type === 'tool-call' && part.providerExecuted !== true) return this.#addCall(part);
    if (part.type === 'custom' && callId !== undefined) return this.#addOutput(callId, part);
    return this.#emit(part);
  }

  /** The server has run the undecided calls. Their outputs may follow. */
  settle(): void {
    for (const call of this.#calls.values()) {
      if (!this.#undecided.has(call)) continue;
      this.#setExecuted(call);
      this.#unanswered.add(call);
    }
    this.#release();
  }

  #addCall(part: ToolCall): void {
    const output = this.#outputs.get(part.toolCallId);
    if (output !== undefined) {
      this.#outputs.delete(part.toolCallId);
      this.#undecided.delete(output);
      this.#held = this.#held.filter(one => one !== output);
      this.#held.push(toExecuted(part));
      return this.#emit(this.#toResult(part, toOutput(itemOf(output) ?? {})));
    }
    // An asynchronous call runs while the response goes on, and only calls of functions are answered.
    const isDecided = part.isComplete !== true || part.providerMetadata?.openai?.async === true;
    if (isDecided) this.#isWaiting = true;
    else {
      this.#calls.set(part.toolCallId, part);
      this.#undecided.add(part);
    }
    this.#emit(part);
  }

  #addOutput(callId: string, part: PartOf<'custom'>): void {
    const call = this.#calls.get(callId);
    if (call === undefined) {
      // A response has at most one output for a call.
      if (this.#outputs.has(callId)) return;
      this.#outputs.set(callId, part);
      this.#undecided.add(part);
      return this.#emit(part);
    }
    if (this.#undecided.has(call)) this.#setExecuted(call);
    else if (!this.#unanswered.delete(call)) return;
    this.#emit(this.#toResult(call, toOutput(itemOf(part) ?? {})));
  }

  #setExecuted(call: ToolCall): void {
    this.#undecided.delete(call);
    this.#held = this.#held.map(one => (one === call ? toExecuted(call) : one));
  }

  #toResult({ toolCallId, toolName }: ToolCall, output: ToolResultOutput): Part {
    this.#hasAnswers = true;
    return {
      type: 'tool-result',
      toolCallId,
      toolName,
      result: toResultValue(output),
      output,
      ofLoop: 'shown',
    };
  }

  #emit(part: Part): void {
    this.#held.push(part);
    this.#release();
  }

  #release(): void {
    this.isHolding = this.#undecided.size > 0;
    if (this.isHolding) return;
    const parts = this.#held;
    this.#held = [];
    for (const one of parts) this.#write(one);
  }

  #end(finish: PartOf<'finish'>): void {
    // A call without a result would make the next request invalid.
    for (const call of this.#unanswered) this.#emit(this.#toResult(call, UNKNOWN_OUTPUT));
    for (const part of this.#undecided) this.#isWaiting ||= part.type === 'tool-call';
    this.#undecided.clear();
    const { unified, raw } = finish.finishReason;
    const isOver = unified === 'tool-calls' && this.#hasAnswers && !this.#isWaiting;
    this.#emit(isOver ? { ...finish, finishReason: { unified: 'stop', raw } } : finish);
  }
}

const UNKNOWN_OUTPUT: ToolResultOutput = {
  type: 'text',
  value: 'The server ran this call itself. Its output is not known.',
};

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

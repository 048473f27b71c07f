import type { CoreCall, ToolPartsMode } from '../../call.js';
import type { Part, PartOf, ToolCall } from '../../part.js';
import type { ToolResultOutput } from '../../prompt.js';
import { asJson } from '../../shared/json.js';
import { joinFacts } from './facts.js';
import { type HiddenCall, type MarkablePart, withMark } from './hidden-calls.js';

/** A call of which the host keeps nothing, or only the result. */
interface OpenCall extends HiddenCall {
  readonly mode: Exclude<ToolPartsMode, 'full'>;
}

/**
 * Hides the calls that a host does not keep, and writes them into parts that it keeps. Calls of the host that follow a
 * hidden call are held back until its result is there. Marks calls of tools that the host did not declare as dynamic.
 */
export class HostFilter {
  readonly #emit: (part: Part) => void;
  readonly #undeclaredCalls: ToolPartsMode;
  readonly #declared: ReadonlySet<string>;
  readonly #inputs = new Map<string, ToolPartsMode>();
  readonly #open = new Map<string, OpenCall>();
  /** The parts that wait for the results of hidden calls. */
  #held: Part[] | undefined;
  /** Number of calls of which the host keeps nothing. */
  #hidden = 0;
  /** The hidden calls that no part carries yet. */
  #waiting: HiddenCall[] = [];
  readonly #blocks = new Map<string, OpenBlock>();
  /** The block of the last text. */
  #withText: string | undefined;

  constructor(call: Pick<CoreCall, 'tools' | 'host'>, emit: (part: Part) => void) {
    this.#emit = emit;
    this.#undeclaredCalls = call.host.undeclaredCalls;
    this.#declared = new Set((call.tools ?? []).map(tool => tool.name));
  }

  part(part: Part): void {
    const emit = this.#held === undefined ? this.#emit : (one: Part): void => void this.#held?.push(one);
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#blocks.set(part.id, { facts: part, before: this.#hidden, hasText: false });
        return emit(part);
      case 'text-delta':
        if (part.id !== this.#withText && part.delta !== '') {
          this.#withText = part.id;
          const block = this.#blocks.get(part.id);
          if (block !== undefined) block.hasText = true;
        }
        return emit(part);
      case 'text-end':
      case 'reasoning-end':
        return emit(this.#endBlock(part));
      case 'custom':
        return emit(withMark(part, { before: this.#hidden, calls: [] }));
      case 'tool-input-start': {
        const mode = part.providerExecuted === true ? this.#modeOf(part) : 'full';
        this.#inputs.set(part.id, mode);
        return mode === 'none' ? undefined : emit(this.#withDynamic(part));
      }
      case 'tool-input-delta':
      case 'tool-input-end':
        return this.#inputs.get(part.id) === 'none' ? undefined : emit(part);
      case 'tool-call':
        return this.#addCall(part, emit);
      case 'tool-result':
        return this.#addResult(part, emit);
      case 'error':
      case 'finish':
        this.flush();
        return this.#emit(part);
      default:
        return emit(part);
    }
  }

  /** Emits the parts that are held back, and an empty reasoning block for the calls that found no carrier: hosts keep one. */
  flush(): void {
    this.#release();
    if (this.#waiting.length === 0) return;
    const end = this.#carry<PartOf<'reasoning-end'>>({ type: 'reasoning-end', id: 'hidden-calls' });
    this.#emit({ ...end, type: 'reasoning-start' });
    this.#emit(end);
  }

  #addCall(part: ToolCall, emit: (part: Part) => void): void {
    if (part.providerExecuted !== true) {
      // Hosts run a call as soon as they receive it, so it waits for the calls that it has to carry.
      if (this.#open.size === 0) return emit(this.#carry(part));
      this.#held = [...(this.#held ?? []), part];
      return;
    }
    const mode = this.#modeOf(part);
    if (mode === 'full' || (mode === 'result' && part.own?.approval !== undefined)) {
      return emit(withMark(this.#withDynamic(part), { before: this.#hidden, calls: [] }));
    }
    const { toolCallId, toolName, input } = part;
    const providerMetadata = joinFacts(part.providerMetadata, part.own);
    const call = { toolCallId, toolName, input, ...(providerMetadata !== undefined && { providerMetadata }) };
    this.#open.set(toolCallId, { ...call, mode, ...(mode === 'none' && { index: this.#hidden++ }) });
  }

  #addResult(part: PartOf<'tool-result'>, emit: (part: Part) => void): void {
    const hidden = this.#open.get(part.toolCallId);
    if (hidden === undefined || part.preliminary === true) return emit(this.#withDynamic(part));
    const { mode, ...call } = hidden;
    this.#open.delete(part.toolCallId);
    this.#waiting.push({ ...call, ...(mode === 'none' && { output: part.output ?? toOutput(part) }) });
    // Precedes the calls of the host that wait for it.
    if (mode === 'result') this.#emit(this.#withDynamic(part));
    if (this.#open.size === 0) this.#release();
  }

  /** Emits the parts that were held back. Calls of the host carry the hidden calls before them. */
  #release(): void {
    const parts = this.#held ?? [];
    this.#held = undefined;
    for (const part of parts) {
      const isOfHost = part.type === 'tool-call' && part.providerExecuted !== true;
      this.#emit(isOfHost ? this.#carry(part) : part);
    }
  }

  #endBlock(part: PartOf<'text-end' | 'reasoning-end'>): Part {
    const { facts, before = this.#hidden, hasText = false } = this.#blocks.get(part.id) ?? {};
    this.#blocks.delete(part.id);
    const isCarrier = part.type === 'text-end' && hasText;
    if (before === 0 && (!isCarrier || this.#waiting.length === 0)) return part;
    // Hosts use the metadata of the end instead of earlier metadata of the block.
    const providerMetadata = part.providerMetadata ?? facts?.providerMetadata;
    const own = part.own ?? facts?.own;
    const end = { ...part, providerMetadata, own };
    return isCarrier ? this.#carry(end, before) : withMark(end, { before, calls: [] });
  }

  /** Writes the hidden calls that no part carries yet into a part. */
  #carry<One extends MarkablePart>(part: One, before = this.#hidden): One {
    const calls = this.#waiting;
    this.#waiting = [];
    return withMark(part, { before, calls });
  }

  /** Layers below the loop write only what the host accepts, and models of other packages what they always write. */
  #modeOf({ toolName, ofLoop }: Pick<ToolCall, 'toolName' | 'ofLoop'>): ToolPartsMode {
    if (ofLoop === 'hidden') return 'none';
    return ofLoop === undefined || this.#declared.has(toolName) ? 'full' : this.#undeclaredCalls;
  }

  #withDynamic<One extends PartOf<'tool-input-start' | 'tool-call' | 'tool-result'>>(part: One): One {
    const isOfProvider = part.type === 'tool-result' || part.providerExecuted === true;
    return isOfProvider && part.dynamic === undefined && !this.#declared.has(part.toolName)
      ? { ...part, dynamic: true }
      : part;
  }
}

/** The facts of an open block, and the number of hidden calls before it. */
interface OpenBlock {
  readonly facts: PartOf<'text-start' | 'reasoning-start'>;
  readonly before: number;
  hasText: boolean;
}

/** Returns the output of a result for the prompt. */
function toOutput(part: PartOf<'tool-result'>): ToolResultOutput {
  if (typeof part.result === 'string')
    return { type: part.isError ? 'error-text' : 'text', value: part.result };
  return { type: part.isError ? 'error-json' : 'json', value: asJson(part.result) };
}

import type { CoreCall, ToolPartsMode } from '../../call.js';
import type { Part, PartOf, ToolCall } from '../../part.js';
import type { ToolResultOutput } from '../../prompt.js';
import type { PartTransformer } from '../../source.js';
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
 * Returns undefined for calls whose parts need none of it.
 */
export function createHostFilter(call: Pick<CoreCall, 'tools' | 'host'>): PartTransformer {
  const { modeOf, withDynamic } = createHostRules(call);
  const carriers = createCarriers();
  const { mark } = carriers;
  const blocks = createBlocks(carriers);
  const inputs = new Map<string, ToolPartsMode>();
  const open = new Map<string, OpenCall>();
  let held: Part[] | undefined;

  return {
    part(part, emitNow) {
      const emit = held === undefined ? emitNow : (one: Part): void => void held?.push(one);
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
          blocks.begin(part);
          return emit(part);
        case 'text-delta':
          blocks.addText(part);
          return emit(part);
        case 'text-end':
        case 'reasoning-end':
          return emit(blocks.end(part));
        case 'custom':
          return emit(mark(part));
        case 'tool-input-start': {
          const mode = part.providerExecuted === true ? modeOf(part) : 'full';
          inputs.set(part.id, mode);
          return mode === 'none' ? undefined : emit(withDynamic(part));
        }
        case 'tool-input-delta':
        case 'tool-input-end':
          return inputs.get(part.id) === 'none' ? undefined : emit(part);
        case 'tool-call':
          return addCall(part, emit);
        case 'tool-result':
          return addResult(part, emit, emitNow);
        case 'error':
        case 'finish':
          release(emitNow);
          carriers.last().forEach(emitNow);
          return emitNow(part);
        default:
          return emit(part);
      }
    },
    flush(emit) {
      release(emit);
      carriers.last().forEach(emit);
    },
  };

  function addCall(part: ToolCall, emit: (part: Part) => void): void {
    if (part.providerExecuted !== true) {
      // Hosts run a call as soon as they receive it, so it waits for the calls that it has to carry.
      if (open.size === 0) return emit(mark(part, { isCarrier: true }));
      held = [...(held ?? []), part];
      return;
    }
    const mode = modeOf(part);
    if (mode === 'full' || (mode === 'result' && part.own?.approval !== undefined)) {
      return emit(mark(withDynamic(part)));
    }
    const { toolCallId, toolName, input } = part;
    const providerMetadata = joinFacts(part.providerMetadata, part.own);
    const call = { toolCallId, toolName, input, ...(providerMetadata !== undefined && { providerMetadata }) };
    open.set(toolCallId, { ...call, mode, ...(mode === 'none' && { index: carriers.count() }) });
  }

  function addResult(
    part: PartOf<'tool-result'>,
    emit: (part: Part) => void,
    emitNow: (part: Part) => void,
  ): void {
    const hidden = open.get(part.toolCallId);
    if (hidden === undefined || part.preliminary === true) return emit(withDynamic(part));
    const { mode, ...call } = hidden;
    open.delete(part.toolCallId);
    carriers.add({ ...call, ...(mode === 'none' && { output: part.output ?? toOutput(part) }) });
    // Precedes the calls of the host that wait for it.
    if (mode === 'result') emitNow(withDynamic(part));
    if (open.size === 0) release(emitNow);
  }

  /** Emits the parts that were held back. Calls of the host carry the hidden calls before them. */
  function release(emit: (part: Part) => void): void {
    const parts = held ?? [];
    held = undefined;
    for (const part of parts)
      emit(
        part.type === 'tool-call' && part.providerExecuted !== true ? mark(part, { isCarrier: true }) : part,
      );
  }
}

/** Returns the rules for calls of tools that the host may not have declared. */
function createHostRules(call: Pick<CoreCall, 'tools' | 'host'>) {
  const declared = new Set((call.tools ?? []).map(tool => tool.name));
  return {
    /** Layers below the loop write only what the host accepts, and models of other packages what they always write. */
    modeOf(toolCall: Pick<ToolCall, 'toolName' | 'ofLoop'>): ToolPartsMode {
      if (toolCall.ofLoop === 'hidden') return 'none';
      return toolCall.ofLoop === undefined || declared.has(toolCall.toolName)
        ? 'full'
        : call.host.undeclaredCalls;
    },

    withDynamic<One extends PartOf<'tool-input-start' | 'tool-call' | 'tool-result'>>(part: One): One {
      const isOfProvider = part.type === 'tool-result' || part.providerExecuted === true;
      return isOfProvider && part.dynamic === undefined && !declared.has(part.toolName)
        ? { ...part, dynamic: true }
        : part;
    },
  };
}

type Carriers = ReturnType<typeof createCarriers>;

/** Creates the marks of the parts that carry hidden calls. */
function createCarriers() {
  let count = 0;
  let waiting: HiddenCall[] = [];

  return {
    /** Counts a hidden call, and returns the number of those before it. */
    count: (): number => count++,
    before: (): number => count,
    hasWaiting: (): boolean => waiting.length > 0,
    add: (call: HiddenCall): void => void waiting.push(call),
    mark,

    /** Returns an empty reasoning block for the calls that found no carrier: hosts keep one. */
    last(): Part[] {
      if (waiting.length === 0) return [];
      const id = 'hidden-calls';
      const end = mark<PartOf<'reasoning-end'>>({ type: 'reasoning-end', id }, { isCarrier: true });
      return [{ ...end, type: 'reasoning-start' }, end];
    },
  };

  function mark<One extends MarkablePart>(part: One, { before = count, isCarrier = false } = {}): One {
    const calls = isCarrier ? waiting : [];
    if (isCarrier) waiting = [];
    return withMark(part, { before, calls });
  }
}

/** Keeps the facts of open blocks, and the number of hidden calls before them. */
function createBlocks(carriers: Carriers) {
  const blocks = new Map<string, OpenBlock>();
  /** The block of the last text. */
  let withText: string | undefined;
  return {
    begin(part: OpenBlock['facts']): void {
      blocks.set(part.id, { facts: part, before: carriers.before(), hasText: false });
    },

    addText(part: PartOf<'text-delta'>): void {
      if (part.id === withText || part.delta === '') return;
      withText = part.id;
      const block = blocks.get(part.id);
      if (block !== undefined) block.hasText = true;
    },

    end(part: PartOf<'text-end' | 'reasoning-end'>): Part {
      const { facts, before = carriers.before(), hasText = false } = blocks.get(part.id) ?? {};
      blocks.delete(part.id);
      const isCarrier = part.type === 'text-end' && hasText;
      if (before === 0 && (!isCarrier || !carriers.hasWaiting())) return part;
      // Hosts use the metadata of the end instead of earlier metadata of the block.
      const providerMetadata = part.providerMetadata ?? facts?.providerMetadata;
      const own = part.own ?? facts?.own;
      return carriers.mark({ ...part, providerMetadata, own }, { before, isCarrier });
    },
  };
}

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

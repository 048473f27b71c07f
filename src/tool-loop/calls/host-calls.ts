import type { CoreCall } from '../../core/call.js';
import type { Tool } from '../../core/prompt.js';
import type { Finish, FinishReason, Part, ToolCall } from '../../core/part.js';
import { type CoreModel, type PartTransformer, transformParts } from '../../core/source.js';
import { parseToolArguments } from '../../core/tool-calls/tool-arguments.js';
import { nearestName } from '../../core/shared/names.js';
import { isHostedToolPart } from '../../core/tool-calls/hosted-tools.js';
import { decoratedName, normalizeToolName } from '../../core/tool-calls/tool-names.js';
import type { ToolDefinition } from '../../tools/tool-source.js';

/** Facts about the model of a loop. */
export interface ModelFacts {
  /**
   * The model itself finishes as `length` at the requested maximum. Its usage may contain several responses, each with
   * its own maximum. @default false
   */
  readonly reportsLength?: boolean;
}

/** Returns true for a response that may be incomplete: its last arguments may be truncated. */
export const isIncompleteReason = (finishReason: FinishReason): boolean =>
  finishReason.unified === 'error' ||
  finishReason.unified === 'length' ||
  finishReason.unified === 'content-filter';

/** Returns true for a response that has ended. A stream that was truncated without an error has the reason `interrupted`. */
export const isCompleteReason = (finishReason: FinishReason): boolean =>
  finishReason.unified !== 'interrupted' && !isIncompleteReason(finishReason);

/**
 * Returns the finish reason of a response. A response with all the tokens that it was allowed is truncated, even
 * if its server reports a normal end, as llama.cpp does.
 */
export function finishReasonOf(
  finish: Finish,
  options: { maxOutputTokens: number | undefined },
): FinishReason {
  const isAtLimit =
    options.maxOutputTokens !== undefined &&
    (finish.usage.outputTokens.total ?? 0) >= options.maxOutputTokens;
  return isAtLimit && !isIncompleteReason(finish.finishReason)
    ? { unified: 'length', raw: finish.finishReason.raw }
    : finish.finishReason;
}

/** Returns the maximum to check, which is none for a model that checks it itself. */
const outputLimitOf = (
  call: Pick<CoreCall, 'maxOutputTokens'>,
  options: { reportsLength: boolean },
): { maxOutputTokens: number | undefined } => ({
  maxOutputTokens: options.reportsLength ? undefined : call.maxOutputTokens,
});

/** Returns the arguments of a call of the host, depending on how the response ended. */
type HostInput = (finishReason: FinishReason) => string;

/**
 * Repairs the arguments of a call that the host runs, by the host's schema. In a response that may be incomplete, nothing is
 * repaired: a repair may complete truncated arguments.
 *
 * @returns undefined if the arguments fit as they are or cannot be repaired.
 */
export function repairHostInput(input: string, tool: Tool | undefined): HostInput | undefined {
  if (tool?.type !== 'function') return undefined;
  // Hosts read missing arguments as `{}`, and run the call.
  if (input.trim() === '')
    return finishReason => (isIncompleteReason(finishReason) ? TRUNCATED_INPUT : input);
  const parsed = parseToolArguments(input, { schema: tool.inputSchema });
  if (!parsed.success || !parsed.isRepaired) return undefined;
  return finishReason => (isCompleteReason(finishReason) ? parsed.json : input);
}

/** Arguments that no host accepts. */
const TRUNCATED_INPUT = '{';

type Write = (part: Part) => void;

type HeldPart = (finishReason: FinishReason) => Part;

/** Parts that depend on how the response ends, and all parts after them. They are held back until then. */
export class HeldParts {
  /** True if a part is held, so that those after it have to be added. */
  isHolding = false;
  #parts: HeldPart[] = [];

  hold(toPart: HeldPart): void {
    this.isHolding = true;
    this.#parts.push(toPart);
  }

  /** Writes the parts in their order. */
  release(finishReason: FinishReason, write: Write): void {
    for (const toPart of this.#parts) write(toPart(finishReason));
    this.#parts = [];
    this.isHolding = false;
  }
}

/**
 * Gives the calls of a model declared names and valid arguments. All its tools are run by the host. Returns the model itself
 * if the call has no function tools.
 */
export function withHostCalls(
  model: CoreModel,
  { tools: hostTools = [] }: CoreCall,
  facts: ModelFacts,
): Pick<CoreModel, 'open'> {
  if (!hostTools.some(tool => tool.type === 'function')) return model;
  const findTool = createToolFinder({ loopTools: new Map(), hostTools });
  return {
    open: async call => transformParts(await model.open(call), createTransformer(call)),
  };

  function createTransformer(options: CoreCall): PartTransformer {
    let hasFailed = false;
    const held = new HeldParts();

    const write = (part: Part, emit: Write): void => {
      if (held.isHolding) held.hold(() => part);
      else emit(part);
    };

    /** Writes a call under its declared name. It is held back if its arguments depend on the end of the response. */
    function addCall(call: ToolCall, emit: Write): void {
      const found = findTool(call);
      const named = { ...call, toolName: found.toolName };
      const inputAfter = repairHostInput(call.input, found.owner === 'host' ? found.tool : undefined);
      if (inputAfter === undefined) write(named, emit);
      else held.hold(finishReason => ({ ...named, input: inputAfter(finishReason) }));
    }

    return {
      part(part, emit) {
        if (part.type === 'tool-input-start' && part.providerExecuted !== true) {
          emit({ ...part, toolName: findTool({ ...part, toolCallId: part.id }).toolName });
        } else if (part.type.startsWith('tool-input-')) {
          emit(part);
        } else if (part.type === 'tool-call' && part.providerExecuted !== true) {
          addCall(part, emit);
        } else if (part.type === 'finish') {
          const finishReason = finishReasonOf(
            part,
            outputLimitOf(options, { reportsLength: facts.reportsLength ?? false }),
          );
          held.release(hasFailed ? { unified: 'error', raw: undefined } : finishReason, emit);
          emit({ ...part, finishReason });
        } else {
          hasFailed ||= part.type === 'error';
          write(part, emit);
        }
      },
      flush(emit) {
        held.release({ unified: 'error', raw: undefined }, emit);
      },
    };
  }
}

/** Who answers a call, and the current name of its tool. */
type CallOwner =
  | { readonly owner: 'loop'; readonly toolName: string; readonly tool: ToolDefinition }
  | { readonly owner: 'host'; readonly toolName: string; readonly tool: Tool | undefined }
  /** No tool has this name. `reason` is the text for the model, with the tools that exist. */
  | { readonly owner: 'nobody'; readonly toolName: string; readonly reason: string };

/** Finds the tool that a model means by a name. */
export type FindTool = (call: { readonly toolName: string; readonly toolCallId: string }) => CallOwner;

export interface ToolFinderOptions {
  readonly loopTools: ReadonlyMap<string, ToolDefinition>;
  /** Further names of the loop's tools. A name without a tool belongs to one that is not available. @default none */
  readonly aliases?: ReadonlyMap<string, ToolDefinition | undefined>;
  /** The tools of the host that no tool of the loop hides. */
  readonly hostTools: readonly Tool[];
}

export function createToolFinder({ loopTools, aliases = new Map(), hostTools }: ToolFinderOptions): FindTool {
  const hostToolsByName = new Map(hostTools.map(tool => [tool.name, tool]));
  const names = new Set([...loopTools.keys(), ...hostToolsByName.keys()]);
  // A name that belongs to an unavailable tool must not be matched with another one.
  const allNames = new Set([...names, ...aliases.keys()]);

  /** Returns the name that the model means. Only the application may call its tools like another one's decorated name. */
  const toDeclaredName = (name: string): string => {
    if (loopTools.has(name) ? loopTools.get(name)?.server === undefined : names.has(name)) return name;
    return decoratedName(name, names) ?? normalizeToolName(name, allNames) ?? name;
  };

  return call => {
    const toolName = toDeclaredName(call.toolName);
    const loopTool = loopTools.get(toolName) ?? aliases.get(toolName);
    // Approvals and stubs refer to a tool by its current name.
    if (loopTool !== undefined) return { owner: 'loop', toolName: loopTool.name, tool: loopTool };
    const hostTool = hostToolsByName.get(toolName);
    // Hosted tools of the model need not be declared.
    if (hostTool !== undefined || isHostedToolPart({ toolName, toolCallId: call.toolCallId })) {
      return { owner: 'host', toolName, tool: hostTool };
    }
    return { owner: 'nobody', toolName, reason: toUnknownToolText(call.toolName, [...names]) };
  };
}

/** Maximum number of names in a reason. */
const MAX_NAMES = 50;

function toUnknownToolText(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return [
    `There is no tool ${JSON.stringify(name)}.`,
    ...(nearest === undefined ? [] : [`Did you mean ${JSON.stringify(nearest)}?`]),
    names.length === 0
      ? 'There are no tools.'
      : `Available tools: ${names.slice(0, MAX_NAMES).join(', ')}${more}.`,
  ].join(' ');
}

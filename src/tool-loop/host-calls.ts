import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2FinishReason,
  LanguageModelV2StreamPart,
  LanguageModelV2ToolCall,
  LanguageModelV2Usage,
} from '@ai-sdk/provider';
import { type PartTransformer, transformParts } from '../parts/transform.js';
import { parseToolArguments } from '../tool-calls/tool-arguments.js';
import { createToolFinder, type HostTool } from './known-tools.js';

/** Facts about the model of a loop. */
export interface ModelFacts {
  /**
   * The model itself finishes as `length` at the requested maximum. Its usage may contain several responses, each with
   * its own maximum. @default false
   */
  readonly reportsLength?: boolean;
}

/** Finish reasons of a response that may be incomplete: its last arguments may be truncated. */
const INCOMPLETE: ReadonlySet<LanguageModelV2FinishReason> = new Set(['error', 'length', 'content-filter']);

export const isIncompleteReason = (finishReason: LanguageModelV2FinishReason): boolean =>
  INCOMPLETE.has(finishReason);

/** Returns true for a response that has ended. A stream that was truncated without an error has the reason `unknown`. */
export const isCompleteReason = (finishReason: LanguageModelV2FinishReason): boolean =>
  finishReason !== 'unknown' && !isIncompleteReason(finishReason);

/**
 * Returns the finish reason of a response. A response with all the tokens that it was allowed is truncated, even
 * if its server reports a normal end, as llama.cpp does.
 */
export function finishReasonOf(
  { finishReason, usage }: { finishReason: LanguageModelV2FinishReason; usage: LanguageModelV2Usage },
  { maxOutputTokens }: { maxOutputTokens: number | undefined },
): LanguageModelV2FinishReason {
  const isAtLimit = maxOutputTokens !== undefined && (usage.outputTokens ?? 0) >= maxOutputTokens;
  return isAtLimit && !isIncompleteReason(finishReason) ? 'length' : finishReason;
}

/** Returns the maximum to check, which is none for a model that checks it itself. */
export const outputLimitOf = (
  { maxOutputTokens }: Pick<LanguageModelV2CallOptions, 'maxOutputTokens'>,
  { reportsLength }: { reportsLength: boolean },
): { maxOutputTokens: number | undefined } => ({
  maxOutputTokens: reportsLength ? undefined : maxOutputTokens,
});

/** Returns the arguments of a call of the host, depending on how the response ended. */
type HostInput = (finishReason: LanguageModelV2FinishReason) => string;

/**
 * Repairs the arguments of a call that the host runs, by the host's schema. In a response that may be incomplete, nothing is
 * repaired: a repair may complete truncated arguments.
 *
 * @returns undefined if the arguments fit as they are or cannot be repaired.
 */
export function repairHostInput(input: string, tool: HostTool | undefined): HostInput | undefined {
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

type Write = (part: LanguageModelV2StreamPart) => void;

type HeldPart = (finishReason: LanguageModelV2FinishReason) => LanguageModelV2StreamPart;

/** Holds back parts that depend on how the response ends, and all parts after them. */
interface HeldParts {
  /** Writes a part, after those that are held back. */
  write: Write;
  hold(toPart: HeldPart): void;
  release(finishReason: LanguageModelV2FinishReason): void;
}

export function createHeldParts(write: Write): HeldParts {
  let held: HeldPart[] = [];
  return {
    write(part) {
      if (held.length === 0) write(part);
      else held.push(() => part);
    },
    hold: toPart => void held.push(toPart),
    release(finishReason) {
      for (const toPart of held) write(toPart(finishReason));
      held = [];
    },
  };
}

/**
 * Gives the calls of a model declared names and valid arguments. All its tools are run by the host. Returns the model itself
 * if the call has no function tools.
 */
export function withHostCalls(
  model: LanguageModelV2,
  { tools: hostTools = [] }: LanguageModelV2CallOptions,
  { reportsLength = false }: ModelFacts,
): Pick<LanguageModelV2, 'doGenerate' | 'doStream'> {
  if (!hostTools.some(tool => tool.type === 'function')) return model;
  const findTool = createToolFinder({ loopTools: new Map(), hostTools });

  /** Returns the call under its declared name, and its arguments if they depend on the end of the response. */
  const read = (call: LanguageModelV2ToolCall) => {
    const found = findTool(call);
    const tool = found.owner === 'host' ? found.tool : undefined;
    return { call: { ...call, toolName: found.toolName }, inputAfter: repairHostInput(call.input, tool) };
  };

  return {
    async doGenerate(options) {
      const result = await model.doGenerate(options);
      const finishReason = finishReasonOf(result, outputLimitOf(options, { reportsLength }));
      const content = result.content.map(part => {
        if (!isHostCall(part)) return part;
        const { call, inputAfter } = read(part);
        return inputAfter === undefined ? call : { ...call, input: inputAfter(finishReason) };
      });
      return { ...result, content, finishReason };
    },

    async doStream(options) {
      const result = await model.doStream(options);
      return { ...result, stream: transformParts(result.stream, createTransformer(options)) };
    },
  };

  function createTransformer(options: LanguageModelV2CallOptions): PartTransformer {
    let emit: Write = () => {};
    let hasFailed = false;
    const held = createHeldParts(part => emit(part));
    return {
      part(part, emitPart) {
        emit = emitPart;
        if (part.type === 'tool-input-start' && part.providerExecuted !== true) {
          emit({ ...part, toolName: findTool({ ...part, toolCallId: part.id }).toolName });
        } else if (part.type.startsWith('tool-input-')) {
          emit(part);
        } else if (isHostCall(part)) {
          const { call, inputAfter } = read(part);
          if (inputAfter === undefined) held.write(call);
          else held.hold(finishReason => ({ ...call, input: inputAfter(finishReason) }));
        } else if (part.type === 'finish') {
          const finishReason = finishReasonOf(part, outputLimitOf(options, { reportsLength }));
          held.release(hasFailed ? 'error' : finishReason);
          emit({ ...part, finishReason });
        } else {
          hasFailed ||= part.type === 'error';
          held.write(part);
        }
      },
      flush(emitPart) {
        emit = emitPart;
        held.release('error');
      },
    };
  }
}

const isHostCall = <Part extends { type: string }>(
  part: Part,
): part is Extract<Part, LanguageModelV2ToolCall> =>
  part.type === 'tool-call' && !('providerExecuted' in part && part.providerExecuted === true);

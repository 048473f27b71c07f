import type {
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
  LanguageModelV2FunctionTool,
} from '@ai-sdk/provider';
import { linkSignal } from '../abort/link-signal.js';
import { untilAborted } from '../abort/until-aborted.js';
import { createToolSurface, type ToolSurface, type Visibility } from '../parts/tool-surface.js';
import { withTurnToken } from '../parts/turn-token.js';
import { pairToolCalls } from '../tool-calls/pair-tool-calls.js';
import { isStrictSchema } from '../tools/is-strict-schema.js';
import type { ToolDefinition, ToolSource } from '../tools/tool-source.js';
import type { CallMemory } from './call-memory.js';
import type { CallRunnerOptions } from './call-runner.js';
import type { OpenRound, Round } from './open-round.js';
import type { ToolLoopEvent, ToolLoopOptions } from './options.js';
import { retry } from './retry.js';
import { createTurnIds, type RoundIds } from './turn-ids.js';
import { withHiddenCalls } from './with-hidden-calls.js';

type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'at'> : never;

/** One turn of a conversation: what stays the same over its rounds. */
export interface Turn {
  /** The options of the first round. */
  readonly options: LanguageModelV2CallOptions;
  /** The loop's tools by name. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly warnings: readonly LanguageModelV2CallWarning[];
  readonly ids: { round(): RoundIds };
  readonly surface: ToolSurface;
  readonly maxRounds: number;
  readonly execution: Omit<CallRunnerOptions, 'onStart' | 'onOutcome'>;
  openFirst(): Promise<Round>;
  openFollowUp(options: LanguageModelV2CallOptions): Promise<Round>;
  emit(event: WithoutTime<ToolLoopEvent>): void;
  /** Keeps what the host's history may leave out, for the turns to come. */
  readonly memory: CallMemory;
  /** Whether the host is shown nothing of the calls of a tool. */
  isHidden(toolName: string): boolean;
  /** Aborts when the turn is to end, with the reason. */
  readonly signal: AbortSignal;
  /** Whether the caller ended the turn; a time limit of ours is an error instead. */
  isAborted(): boolean;
  abort(reason: unknown): void;
  /** Lets go of timers and listeners. */
  close(): void;
}

export interface TurnContext {
  readonly source: ToolSource;
  readonly settings: Omit<ToolLoopOptions, 'tools'>;
  readonly openRound: OpenRound;
  /** `generate` shows fewer tool parts: `generateText` of `ai@5` fails on those of tools it does not know. */
  readonly mode: 'stream' | 'generate';
  readonly memory: CallMemory;
}

/** Prepares a turn: lists the tools and puts the history into the form that every model takes. */
export async function openTurn(
  callOptions: LanguageModelV2CallOptions,
  { source, settings, openRound, mode, memory }: TurnContext,
): Promise<Turn> {
  const {
    maxRounds = 20,
    execution = 'auto',
    maxParallel = 8,
    startEarly = true,
    toolActivity = 'auto',
  } = settings;
  const { timeouts = {}, retry: retryOptions = {}, onEvent } = settings;
  const { abortSignal } = callOptions;
  abortSignal?.throwIfAborted();
  const startedAt = performance.now();
  const link = linkSignal(abortSignal);
  let wasCancelled = false;
  const timer =
    timeouts.total === undefined
      ? undefined
      : setTimeout(() => {
          const message = `The turn exceeded its limit of ${timeouts.total} ms (timeouts.total).`;
          link.abort(new DOMException(message, 'TimeoutError'));
        }, timeouts.total);
  const close = () => {
    clearTimeout(timer);
    link.release();
  };

  try {
    const listing = await untilAborted(source.listTools({ signal: link.signal }), link.signal);
    const tools = new Map(listing.tools.map(tool => [tool.name, tool]));
    const declared = new Set(callOptions.tools?.map(tool => tool.name));
    const visibilityOf = (toolName: string): Visibility => {
      if (toolActivity === 'none' || callOptions.toolChoice?.type === 'none') return 'none';
      if (declared.has(toolName)) return 'full';
      return mode === 'stream' ? 'result' : 'none';
    };
    const options: LanguageModelV2CallOptions = {
      ...callOptions,
      abortSignal: link.signal,
      prompt: pairToolCalls(withHiddenCalls(callOptions.prompt, memory), {
        argumentsOf: memory.recall,
        keepOrphans: isContinuation(callOptions),
      }),
      // A host's declaration of our tool is a stub; the model must see the real schema.
      tools: [
        ...(callOptions.tools ?? []).filter(tool => !tools.has(tool.name)),
        ...listing.tools.map(toFunctionTool),
      ],
    };
    if (options.tools?.length === 0) delete options.tools;

    const first = withTurnToken(maxRounds <= 1 ? { ...options, toolChoice: { type: 'none' } } : options);

    return {
      options: first,
      tools,
      warnings: listing.warnings.map(message => ({ type: 'other', message })),
      ids: createTurnIds(options.prompt),
      surface: createToolSurface(visibilityOf),
      maxRounds,
      execution: { source, execution, maxParallel, startEarly, timeout: timeouts.tool, signal: link.signal },
      openFirst: () => openRound(first),
      openFollowUp: next =>
        retry(() => openRound(next), {
          maxRetries: retryOptions.maxRetries ?? 2,
          initialDelay: retryOptions.initialDelay ?? 1000,
          signal: link.signal,
        }),
      emit(event) {
        if (onEvent === undefined) return;
        try {
          onEvent({ ...event, at: performance.now() - startedAt } as ToolLoopEvent);
        } catch {
          // An observer must not be able to break what it observes.
        }
      },
      memory,
      isHidden: toolName => visibilityOf(toolName) === 'none',
      signal: link.signal,
      isAborted: () => wasCancelled || abortSignal?.aborted === true,
      abort(reason) {
        wasCancelled = true;
        link.abort(reason);
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Whether the server keeps the history, so that results may come without their calls. */
function isContinuation({ providerOptions }: LanguageModelV2CallOptions): boolean {
  const { previousResponseId, conversation } = { ...providerOptions?.openai, ...providerOptions?.kelivo };
  return typeof previousResponseId === 'string' || typeof conversation === 'string';
}

const toFunctionTool = ({ name, description, inputSchema }: ToolDefinition): LanguageModelV2FunctionTool => ({
  type: 'function',
  name,
  ...(description !== undefined && { description }),
  inputSchema,
  // A host may ask for strict schemas; it has no say in those of our tools. `ai@6` knows the field, V2 does not.
  ...(!isStrictSchema(inputSchema) && { strict: false }),
});

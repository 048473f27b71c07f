import type { ModelMessage } from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import type { CoreCall } from '../../core/call.js';
import type { Content, Finish, Usage } from '../../core/part.js';
import { toReasonText } from '../../core/finish.js';
import type { CallSettings, PartFacts, Prompt, ProviderOptions, ToolChoice } from '../../core/prompt.js';
import { objectOf, tryParseJson } from '../../shared/json.js';
import { once, parseSettings } from '../../shared/settings.js';
import { toResultValue } from '../../tool-calls/mcp-output.js';
import type { ToolCallContext } from '../../tools/tool-source.js';
import { toModelMessages } from '../../versions/write-call.js';
import type { CallOutcome } from '../calls/calls.js';
import { readChanged } from './history.js';
import { functionOf, type Steps, toArgumentError } from '../durable/steps.js';
import { type RoundUsage, toRoundUsage } from '../../core/finish.js';

/*
 * Control of the rounds of a turn: changes of each request, and the end of the turn by a condition. Functions of the
 * application and layers of the package change requests in the same way, as `RoundPreparer`s.
 */

/** A round that has ended. `steps` of a stop condition has the same objects, so that conditions of `ai` read them. */
export interface RoundResult {
  readonly round: number;
  readonly text: string;
  readonly toolCalls: readonly {
    readonly type: 'tool-call';
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: unknown;
  }[];
  /** The results of the loop's calls. An error is its text, or an object with `isError`. */
  readonly toolResults: readonly {
    readonly type: 'tool-result';
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: unknown;
    readonly output: unknown;
  }[];
  readonly finishReason: string;
  readonly usage: RoundUsage;
}

/** The argument of `prepareRound`. */
export interface RoundToPrepare extends Pick<ToolCallContext, 'turnId' | 'context'> {
  /** Number of the round, from 1. */
  readonly round: number;
  /** The rounds of the turn before it. */
  readonly rounds: readonly RoundResult[];
  /** The conversation that the model receives, without system messages. */
  readonly messages: ModelMessage[];
  /** The tokens of the rounds before it. */
  readonly usage: RoundUsage;
}

/** Settings of one round. Settings that are undefined are those of the call. */
export interface RoundSettings extends Pick<
  CallSettings,
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'stopSequences'
  | 'seed'
  | 'reasoning'
> {
  /** It has no effect in a round that must not call tools. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly type: 'tool'; readonly toolName: string };
  /** Names of the tools that the round offers, those of the loop and of the host. The call of another tool is refused. */
  readonly activeTools?: readonly string[];
  /** Options by provider, which are added to those of the call. */
  readonly providerOptions?: ProviderOptions;
  /** Replaces the system messages. */
  readonly system?: string;
  /**
   * Replaces the conversation, in later rounds as well. A call without its output, or an output without its call, is not
   * sent as such: the output is removed or added.
   */
  readonly messages?: readonly ModelMessage[];
}

/** Changes the request of a round before it is sent. Returning nothing changes nothing. */
export type PrepareRound = (
  round: RoundToPrepare,
) => RoundSettings | undefined | void | PromiseLike<RoundSettings | undefined | void>;

/**
 * Ends a turn after the calls of a round, if it returns true. Conditions of `ai`, such as `isStepCount(3)` and
 * `hasToolCall('answer')`, are accepted.
 */
export type StopCondition = (options: {
  readonly rounds: readonly RoundResult[];
  /** The same array, for conditions of `ai`, whose types differ from version to version. */
  readonly steps: never[];
}) => boolean | PromiseLike<boolean>;

/** Changes to the request of a round. */
export interface RoundChanges {
  /** The conversation from this round on. */
  readonly prompt?: Prompt;
  readonly settings?: Omit<RoundSettings, 'messages'>;
  /** Facts for the parts of the response. */
  readonly facts?: PartFacts;
}

/** Changes the requests of a turn. `last`: the messages of the request before, and the tokens of its round, or 0. */
export type RoundPreparer = (
  request: CoreCall,
  round: number,
  last: { readonly messages: number; readonly tokens: number },
) => Promise<RoundChanges>;

export interface PreparedRound {
  /** The request without the settings of the round. Later rounds begin with it. */
  readonly request: CoreCall;
  readonly settings: RoundChanges['settings'];
}

/** Options of the loop or of one call. Those of the call take precedence. */
export interface ControlOptions {
  readonly prepareRound?: PrepareRound | undefined;
  readonly stopWhen?: StopCondition | readonly StopCondition[] | undefined;
}

interface EndedRound {
  readonly content: readonly Content[];
  readonly finish: Finish;
}

interface ControlContext {
  readonly options: ControlOptions;
  readonly steps: Steps;
  readonly identity: Pick<ToolCallContext, 'turnId' | 'context'>;
  readonly record: { readonly usage: Usage };
  /** Changes of the package, after those of the application. */
  readonly preparers: readonly RoundPreparer[];
}

export type RoundControl = ReturnType<typeof createRoundControl>;

export function createRoundControl(
  call: CoreCall,
  { options, steps, identity, record, preparers: own }: ControlContext,
) {
  const prepareRound = functionOf<PrepareRound>(call, 'prepareRound') ?? options.prepareRound;
  const conditions = conditionsOf(call) ?? toArray(options.stopWhen);
  const rounds: RoundResult[] = [];
  const preparers = prepareRound === undefined ? own : [prepareByApplication, ...own];
  let last = { messages: 0, tokens: 0 };
  let facts: PartFacts | undefined;

  /** Calls the function of the application. Its result is recorded, because it may be another one in a later attempt. */
  async function prepareByApplication(request: CoreCall, round: number): Promise<RoundChanges> {
    const run = async (): Promise<RoundChanges> => {
      const messages = toModelMessages(request.prompt);
      const usage = toRoundUsage(record.usage);
      const given = await prepareRound?.({ ...identity, round, rounds: [...rounds], messages, usage });
      if (given === undefined) return {};
      const parsed = parseSettings(settingsSchema(), given, 'the result of `prepareRound`');
      const { messages: changed, ...settings } = parsed;
      const prompt = changed && readChanged(request, { messages, changed });
      return { ...(prompt !== undefined && { prompt }), settings };
    };
    return (await steps.step(`prepare ${round}`, run, { input: request.prompt })).value;
  }

  return {
    /** Returns the request of a round with all changes. */
    async prepare(given: CoreCall, round: number): Promise<PreparedRound> {
      let request = given;
      let settings: PreparedRound['settings'];
      facts = undefined;
      for (const preparer of preparers) {
        const changes = await preparer(request, round, last);
        facts = changes.facts ?? facts;
        if (changes.prompt !== undefined) request = { ...request, prompt: changes.prompt };
        if (changes.settings !== undefined) settings = { ...settings, ...changes.settings };
      }
      last = { messages: request.prompt.length, tokens: 0 };
      return { request, settings };
    },

    /** Adds facts of the round to a part of its response. */
    mark: <Marked extends { readonly own?: PartFacts | undefined }>(part: Marked): Marked =>
      facts === undefined ? part : { ...part, own: { ...part.own, ...facts } },

    addRound(round: number, summary: EndedRound, outcomes: readonly CallOutcome[]): void {
      const { inputTokens, outputTokens } = summary.finish.usage;
      last = { ...last, tokens: (inputTokens.total ?? 0) + (outputTokens.total ?? 0) };
      if (preparers.length > 0 || conditions.length > 0) rounds.push(toResult(round, summary, outcomes));
    },

    /** Returns true if a condition ends the turn. */
    async isStopped(): Promise<boolean> {
      if (conditions.length === 0) return false;
      const run = async (): Promise<boolean> => {
        const argument = { rounds, steps: rounds as unknown as never[] };
        const results = await Promise.all(conditions.map(async condition => condition(argument)));
        return results.some(Boolean);
      };
      return (await steps.step(`stop ${rounds.length}`, run, { input: rounds })).value;
    },
  };
}

const toArray = (stopWhen: ControlOptions['stopWhen'] = []): readonly StopCondition[] =>
  typeof stopWhen === 'function' ? [stopWhen] : stopWhen;

/**
 * Returns the conditions of the call.
 *
 * @throws InvalidArgumentError for other values than functions.
 */
function conditionsOf({ own: { stopWhen } }: CoreCall): readonly StopCondition[] | undefined {
  if (stopWhen === undefined || stopWhen === null) return undefined;
  const conditions: unknown[] = Array.isArray(stopWhen) ? stopWhen : [stopWhen];
  if (conditions.every(condition => typeof condition === 'function')) return conditions as StopCondition[];
  throw toArgumentError('stopWhen', 'a function or an array of functions');
}

const settingsSchema = once<z.ZodType<RoundSettings>>(() => {
  const number = z.number().optional();
  const texts = z.array(z.string()).optional();
  const named = z.strictObject({ type: z.literal('tool'), toolName: z.string() });
  return z.strictObject({
    maxOutputTokens: z.number().int().min(1).optional(),
    temperature: number,
    topP: number,
    topK: number,
    presencePenalty: number,
    frequencyPenalty: number,
    stopSequences: texts,
    seed: z.number().int().optional(),
    reasoning: z.custom<RoundSettings['reasoning']>(value => typeof value === 'string').optional(),
    toolChoice: z
      .union(
        [z.enum(['auto', 'none', 'required']), named],
        'expected "auto", "none", "required" or a tool by its name',
      )
      .optional(),
    activeTools: texts,
    providerOptions: z
      .custom<ProviderOptions>(
        value => Object.values(objectOf(value) ?? { value }).every(objectOf),
        'expected options by provider',
      )
      .optional(),
    system: z.string().optional(),
    messages: z.custom<ModelMessage[]>(Array.isArray, 'expected an array of messages').optional(),
  });
});

/** Returns the request that is sent: with the settings of the round. */
export function withSettings({ request, settings }: PreparedRound): CoreCall {
  if (settings === undefined) return request;
  const { toolChoice, activeTools: _, providerOptions = {}, system, ...model } = settings;
  const { kelivo, ...others } = providerOptions;
  const joined = Object.entries(others).map(([name, values]) => [
    name,
    { ...request.providerOptions?.[name], ...values },
  ]);
  const defined = Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined));
  return {
    ...request,
    ...defined,
    ...(joined.length > 0 && {
      providerOptions: { ...request.providerOptions, ...Object.fromEntries(joined) },
    }),
    ...(kelivo !== undefined && { own: { ...request.own, ...kelivo } }),
    // A limit, or the host, forbids calls.
    ...(toolChoice !== undefined &&
      request.toolChoice?.type !== 'none' && { toolChoice: toToolChoice(toolChoice) }),
    ...(system !== undefined && {
      prompt: [
        { role: 'system' as const, content: system },
        ...request.prompt.filter(({ role }) => role !== 'system'),
      ],
    }),
  };
}

const toToolChoice = (choice: NonNullable<RoundSettings['toolChoice']>): ToolChoice =>
  typeof choice === 'string' ? { type: choice } : choice;

function toResult(
  round: number,
  { content, finish }: EndedRound,
  outcomes: readonly CallOutcome[],
): RoundResult {
  const toCall = ({
    toolCallId,
    toolName,
    input,
  }: Pick<ToolCallContent, 'toolCallId' | 'toolName' | 'input'>) => ({
    toolCallId,
    toolName,
    input: tryParseJson(input) ?? input,
  });
  return {
    round,
    text: content.map(part => (part.type === 'text' ? part.text : '')).join(''),
    toolCalls: content.flatMap(part =>
      part.type === 'tool-call' ? [{ type: 'tool-call' as const, ...toCall(part) }] : [],
    ),
    toolResults: outcomes.map(({ call, output }) => ({
      type: 'tool-result' as const,
      ...toCall(call),
      output: toResultValue(output),
    })),
    finishReason: toReasonText(finish.finishReason),
    usage: toRoundUsage(finish.usage),
  };
}

type ToolCallContent = Extract<Content, { type: 'tool-call' }>;

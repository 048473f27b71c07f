import type { ModelMessage } from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import type { CoreCall } from '../../../core/call.js';
import type { Content } from '../../../core/part.js';
import { type RoundUsage, toReasonText, toRoundUsage } from '../../../core/finish.js';
import type { ProviderOptions } from '../../../core/prompt.js';
import { untilAborted } from '../../../core/shared/abort.js';
import { objectOf, tryParseJson } from '../../../core/shared/json.js';
import { once } from '../../../core/shared/once.js';
import { parseSettings } from '../../../core/shared/settings.js';
import { toResultValue } from '../../../core/tool-calls/mcp-output.js';
import type { ToolCallContext } from '../../../tools/tool-source.js';
import { toModelMessages } from '../../../core/versions/write-call.js';
import { readChanged } from '../../context/history.js';
import { functionOf, toArgumentError } from '../../durable/steps.js';
import type { CreateFeature, EndedRound, RoundChanges, RoundSettings } from '../feature.js';

/*
 * Control of the rounds of a turn by functions of the application: changes of each request, and conditions that end it.
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

/** Options of the loop or of one call. Those of the call take precedence. */
export interface ControlOptions {
  /**
   * Changes the request of each round before it is sent: settings of the model, tools and tool choice for this round, and
   * messages for this and the later ones. Called in each attempt at a turn without records; a durable turn records the
   * result. An error that it throws ends the turn.
   * @default the requests are not changed
   */
  prepareRound?: PrepareRound;
  /**
   * Ends the turn after the calls of a round if one of the conditions returns true. The outputs are in the history, and
   * `stoppedBy` is `stop-when`. Conditions of `ai`, such as `isStepCount(3)` and `hasToolCall('answer')`, are accepted and
   * count rounds as steps. A durable turn records the decision.
   * @default the turn ends with the answer of the model
   */
  stopWhen?: StopCondition | readonly StopCondition[];
}

/** Lets the application change the request of each round, and end the turn by conditions. */
export const createRoundControl: CreateFeature<ControlOptions> = (context, options) => {
  const { call, signal, steps, identity, record } = context;
  const prepareRound = functionOf<PrepareRound>(call, 'prepareRound') ?? options.prepareRound;
  const conditions = conditionsOf(call) ?? toArray(options.stopWhen);
  if (prepareRound === undefined && conditions.length === 0) return undefined;
  const rounds: RoundResult[] = [];

  /** Returns true if a condition ends the turn. Its decision is recorded. */
  async function isStopped(): Promise<boolean> {
    const run = async (): Promise<boolean> => {
      const argument = { rounds, steps: rounds as unknown as never[] };
      const results = await untilAborted(
        Promise.all(conditions.map(async condition => condition(argument))),
        signal,
      );
      return results.some(Boolean);
    };
    return (await steps.step(`stop ${rounds.length}`, run, { input: rounds })).value;
  }

  return {
    ...(prepareRound !== undefined && {
      // The result is recorded, because it may be another one in a later attempt.
      async prepare(request, round) {
        const run = async (): Promise<RoundChanges> => {
          const messages = toModelMessages(request.prompt);
          const usage = toRoundUsage(record.usage);
          const prepared = prepareRound({ ...identity, round, rounds: [...rounds], messages, usage });
          // It receives no signal.
          const given = await untilAborted(Promise.resolve(prepared), signal);
          if (given === undefined) return {};
          const parsed = parseSettings(settingsSchema(), given, 'the result of `prepareRound`');
          const { messages: changed, ...settings } = parsed;
          const prompt = changed && readChanged(request, { messages, changed });
          return { ...(prompt !== undefined && { prompt }), settings };
        };
        return (await steps.step(`prepare ${round}`, run, { input: request.prompt })).value;
      },
    }),

    async after(round) {
      rounds.push(toResult(round));
      if (round.decision !== 'next' || conditions.length === 0 || !(await isStopped())) return undefined;
      // An answer to which something would have been added is an end of its own.
      if (round.isAnswer) return { end: 'stop-condition' };
      const reason = 'a condition of `stopWhen` is met.';
      return { end: 'stop-condition', limit: { limit: 'stop-when', reason } };
    },
  };
};

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

function toResult(endedRound: EndedRound): RoundResult {
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
    round: endedRound.number,
    text: endedRound.content.map(part => (part.type === 'text' ? part.text : '')).join(''),
    toolCalls: endedRound.content.flatMap(part =>
      part.type === 'tool-call' ? [{ type: 'tool-call' as const, ...toCall(part) }] : [],
    ),
    toolResults: endedRound.outcomes.map(outcome => ({
      type: 'tool-result' as const,
      ...toCall(outcome.call),
      output: toResultValue(outcome.output),
    })),
    finishReason: toReasonText(endedRound.finish.finishReason),
    usage: toRoundUsage(endedRound.finish.usage),
  };
}

type ToolCallContent = Extract<Content, { type: 'tool-call' }>;

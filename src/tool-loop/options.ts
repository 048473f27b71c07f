import * as z from 'zod/v4';
import { type Telemetry, telemetrySetting } from '../core/telemetry.js';
import { isPlainObject, type JSONValue } from '../shared/json.js';
import { functionSetting, once, parseSettings } from '../shared/settings.js';
import { isToolSource, type ToolSource } from '../tools/tool-source.js';
import type { ApprovalPolicy } from '../tools/approval.js';
import type { Approvals, Approve, ToolApproval } from './approvals/approvals.js';
import type { HostApprovalOptions } from './approvals/approval-ids.js';
import type { UnknownOutcomePolicy } from './calls/call-execution.js';
import type { ToolLoopJournal, ToolLoopStep } from './durable/steps.js';
import type { LoopPolicy } from './turn/turn.js';
import type { ToolLoopEvent } from './turn/turn-reports.js';

/** Options of a tool loop. */
export interface ToolLoopOptions {
  /**
   * Tools that the loop runs. A server's tool with the same name as another tool is offered as `<server>_<tool>`; if two
   * sources of the application share a name, the later tool is offered as `name_2`.
   */
  tools: ToolSource | readonly ToolSource[];
  /**
   * Maximum number of rounds in one turn. A round is one request to the model. The last round is sent with
   * `tool_choice: none`, so that the model responds with the results so far. At least 1.
   * @default 20
   */
  maxRounds?: number;
  /**
   * Maximum number of calls in one turn. The model is informed that further calls were not run, and the next request is
   * sent with `tool_choice: none`. At least 1. Independent of this option, a call that failed three times with the same
   * tool, arguments and output makes the next request one without calls.
   * @default unlimited
   */
  maxToolCalls?: number;
  /**
   * Maximum number of calls in a row with the same tool, the same arguments and the same successful output. The next such
   * call is not run, and the model receives a notice instead of an output; after three notices the next request is sent
   * with `tool_choice: none`. Calls are in a row if the model made no other call of the loop's tools between them. At
   * least 1.
   * @default 5
   */
  maxRepeatedCalls?: number;
  /**
   * Compacts the conversation between two rounds when the tokens of a round, input and output, exceed this number: a request
   * with `compactionTrigger` precedes the next round. Models that do not support it give a warning, and the turn goes on.
   * Requires a server with compaction. `contextManagement` lets the server decide instead.
   * @default the conversation is not compacted
   */
  compactThreshold?: number;
  /**
   * Maximum length of one tool's output in characters; JSON is counted as text. A longer output is truncated in the
   * middle, with a mark that contains the number of omitted characters. Both the model and the host receive the
   * truncated output. At least 100. Images and other media have a fixed limit of 20 MB each.
   * @default 100000
   */
  maxToolOutputChars?: number;
  /**
   * Approves or refuses a call. `true`, `{ approved: true }` and the status `approved` of `ai` 7 approve it. Any other
   * value and an exception refuse it, and the model reads the reason: `{ approved: false, reason: 'Ask the user first.' }`.
   * It is not called for calls with invalid JSON. Its time counts only for `timeouts.total`. It is called outside of all
   * steps, so that it may wait with the means of a workflow engine; a `journal` keeps its decisions.
   *
   * `host` ends the turn with an approval request of `ai` 6 or 7, and runs the call when a later prompt contains the
   * approval. It requires `kelivo-responses/v3`; with other hosts the call is refused.
   * @default calls that need approval are refused
   */
  approve?: Approve | 'host';
  /**
   * Calls that need approval. `unless-read-only`: calls of tools that are not read-only. `destructive`: calls of tools that
   * are not known to be harmless. `always` and `never`: all calls, or none. A function returns false for calls that need
   * no approval. Any other value requires it, and an exception refuses the call. Hints of tools count with the defaults
   * of MCP, and those of servers without `trustAnnotations` not at all. A tool with `needsApproval` requires approval in
   * addition.
   * @default 'unless-read-only' with `approve`, else 'never'
   */
  approvals?: Approvals;
  /**
   * With `approve: 'host'`: how the approvals in a prompt are verified. Required if the process that receives an approval
   * may be another one than the process that requested it.
   * @default a secret of the process, which refuses approvals that another process requested
   */
  hostApprovals?: HostApprovalOptions;
  /**
   * Records turns with a `providerOptions.kelivo.turnId` without a workflow engine, so that another process can continue
   * them: the result of `createJournal()` of `kelivo-responses/journal`. It has no effect on calls with a `providerOptions.kelivo.step`.
   * @default none
   */
  journal?: ToolLoopJournal;
  /**
   * In durable turns: the answer to a call that had started when the process ended, so that its effect is unknown.
   * `refuse` reports this to the model, `ask` requests an approval to run it again, and `run` runs it again with the same
   * idempotency key. Read-only and idempotent tools always run again.
   * @default 'refuse'
   */
  onUnknownOutcome?: UnknownOutcomePolicy;
  /**
   * Calls that run together, at most eight. `auto`: read-only tools run at once and together, the others one after another
   * in the order of the model. `parallel` and `sequential` apply to all tools.
   * @default 'auto'
   */
  execution?: 'auto' | 'parallel' | 'sequential';
  /**
   * Starts a call as soon as its server has marked it as complete, while the model still streams, as the Responses API
   * does: with `read-only` the calls of read-only tools, with `true` all calls, although their response may still end as
   * truncated. Calls of other APIs and calls written as text start when the response has ended. With `false` no call
   * starts before its round has ended successfully.
   * @default 'read-only'
   */
  startEarly?: 'read-only' | boolean;
  /**
   * Parts of the loop's calls that the host receives. `auto`: complete provider-executed calls for tools that the host
   * declared (see `toolStubs()`). For other tools it sends what every host accepts: input and result in streams, nothing
   * in generated results. `none`: only the model's response. Whatever is left out is in the metadata of other parts
   * (`providerMetadata.kelivo.hiddenCalls`), arguments and outputs included, so that the next request can contain it.
   * @default 'auto'
   */
  toolActivity?: 'auto' | 'none';
  /** Time limits. By default a tool and a turn have none. */
  timeouts?: {
    /**
     * Limit for one tool call, in milliseconds. Progress restarts it. A tool that exceeds it fails, and the model reads
     * the error.
     */
    tool?: number;
    /** Limit for the complete turn, in milliseconds. A turn that exceeds it ends with an error. */
    total?: number;
  };
  /** Retries of requests. The host retries the first request of a turn if it fails before it responds. */
  retry?: {
    /**
     * Maximum number of retries of one follow-up request that fails before it responds.
     * @default 2
     */
    maxRetries?: number;
    /**
     * Maximum number of repetitions of one round whose streamed response breaks after it has begun: the connection ends, or
     * the server reports an error that a retry may resolve. Nothing of earlier rounds runs again. A call of the broken
     * response that had started does not run again either: the repeated request contains it with its output. A round in
     * which the host or a hosted tool with effects may have run a call is not repeated. 0 turns repetitions off.
     * @default 2
     */
    streamRetries?: number;
    /**
     * Delay before the first retry in milliseconds, doubled for each further one. A `Retry-After` header takes precedence.
     * @default 1000
     */
    initialDelay?: number;
  };
  /**
   * Observes rounds, tool calls and requests to MCP servers: the result of `createTelemetry()` of
   * `kelivo-responses/telemetry`.
   * @default none
   */
  telemetry?: Telemetry;
  /** Called for each event of the loop as it happens, for timelines and logs. Errors it throws are ignored. */
  onEvent?: (event: ToolLoopEvent) => void;
}

/** The policies of `approvals`. Listed here, because settings are validated without the code that runs calls. @internal */
export const APPROVAL_POLICIES = Object.keys({
  never: true,
  destructive: true,
  'unless-read-only': true,
  always: true,
} satisfies Record<ApprovalPolicy, true>) as readonly ApprovalPolicy[];

const isJournal = (value: unknown): boolean => isPlainObject(value) && typeof value.open === 'function';

/** Creates the shape of the options without `tools`. It is also the shape of a provider's `toolLoop` setting. */
export function createToolLoopShape() {
  const atLeastOne = z.number().int().min(1).optional();
  const milliseconds = z.number().positive().optional();
  return {
    maxRounds: atLeastOne,
    maxToolCalls: atLeastOne,
    maxRepeatedCalls: atLeastOne,
    compactThreshold: atLeastOne,
    maxToolOutputChars: z.number().int().min(100).optional(),
    approve: z
      .union([functionSetting<Approve>(), z.literal('host')], 'expected a function or "host"')
      .optional(),
    approvals: z
      .union(
        [z.enum(APPROVAL_POLICIES), functionSetting<Exclude<Approvals, string>>()],
        `expected one of ${APPROVAL_POLICIES.map(policy => `"${policy}"`).join('|')}, or a function`,
      )
      .optional(),
    hostApprovals: z
      .strictObject({
        secret: z.string().min(32, 'expected a random text of at least 32 characters'),
        claim: functionSetting<HostApprovalOptions['claim']>(),
        expiresAfter: milliseconds,
      })
      .optional(),
    journal: z
      .custom<ToolLoopJournal>(
        isJournal,
        'expected the result of `createJournal()` of `kelivo-responses/journal`',
      )
      .optional(),
    onUnknownOutcome: z.enum(['refuse', 'ask', 'run']).optional(),
    execution: z.enum(['auto', 'parallel', 'sequential']).optional(),
    startEarly: z
      .union([z.boolean(), z.literal('read-only')], 'expected a boolean or "read-only"')
      .optional(),
    toolActivity: z.enum(['auto', 'none']).optional(),
    timeouts: z.strictObject({ tool: milliseconds, total: milliseconds }).optional(),
    retry: z
      .strictObject({
        maxRetries: z.number().int().min(0).optional(),
        streamRetries: z.number().int().min(0).optional(),
        initialDelay: z.number().min(0).optional(),
      })
      .optional(),
    telemetry: telemetrySetting().optional(),
    onEvent: functionSetting<(event: ToolLoopEvent) => void>().optional(),
  };
}

const schema = once<z.ZodType<ToolLoopOptions>>(() => {
  const source = z.custom<ToolSource>(
    isToolSource,
    'expected a tool source, such as the result of createMcpTools() or createLocalTools()',
  );
  return z.strictObject({
    tools: z.union([source, z.array(source)], 'expected a tool source or an array of them'),
    ...createToolLoopShape(),
  });
});

export const validateToolLoopOptions = (options: unknown): ToolLoopOptions =>
  parseSettings(schema(), options, 'the tool loop options');

/** Applies the defaults. */
export function toPolicy(options: Omit<ToolLoopOptions, 'tools' | 'telemetry'>): LoopPolicy {
  const { maxRounds = 20, maxToolCalls, maxRepeatedCalls = 5, maxToolOutputChars = 100_000 } = options;
  const {
    execution = 'auto',
    startEarly = 'read-only',
    timeouts,
    retry,
    onUnknownOutcome = 'refuse',
  } = options;
  const { approve, approvals, hostApprovals, compactThreshold, toolActivity, journal, onEvent } = options;
  return {
    limits: { maxRounds, maxToolCalls, maxRepeatedCalls },
    scheduling: { execution, startEarly },
    calls: {
      timeout: timeouts?.tool,
      maxOutputChars: maxToolOutputChars,
      onUnknownOutcome,
      approve,
      approvals,
    },
    hostApprovals,
    compactThreshold,
    showsCalls: toolActivity !== 'none',
    timeout: timeouts?.total,
    retries: {
      maxRetries: retry?.maxRetries ?? 2,
      streamRetries: retry?.streamRetries ?? 2,
      initialDelay: retry?.initialDelay ?? 1000,
    },
    journal,
    onEvent,
  };
}

/** Options of the tool loop for one call, in `providerOptions.kelivo`. */
export interface ToolLoopCallOptions {
  /** Identifies the turn in the `journal` of the tool loop, so that another process can continue it. */
  turnId?: string;
  /**
   * The step function of a workflow engine, for turns that survive the process. It is called around the tool listing, each
   * round and each call, with names that are unique in the turn; everything between two steps is repeated by the engine.
   * It is passed by reference.
   */
  step?: ToolLoopStep;
  /**
   * A value of the application, for example its user. `approve`, `onEvent`, `onElicitation`, `onSampling`, local tools and
   * the logger receive it by reference. It is never sent to a server.
   */
  context?: unknown;
  /**
   * The value of `toolApproval` of `ai` 7, which asks it only about tools that the host runs: a function, or statuses by
   * tool name. `denied` refuses a call, `user-approval` requests approval, `approved` runs it regardless of the policy, and
   * without a status the policy of the tool loop applies. Under the original name of a tool, `approved` does not count,
   * because the tool of another server may have the same name. It is passed by reference.
   */
  toolApproval?: ToolApproval;
}

/**
 * Returns options of one call with the type that hosts require: they accept only JSON as provider options, but pass
 * functions and other values by reference.
 *
 * @example
 * ```ts
 * providerOptions: { kelivo: { ...toolLoopCallOptions({ step }), reasoningEffort: 'low' } },
 * ```
 */
export const toolLoopCallOptions = (options: ToolLoopCallOptions): Record<string, JSONValue> =>
  ({ ...options }) as Record<string, JSONValue>;

import * as z from 'zod/v4';
import { type ObservedOptions, telemetrySetting } from '../core/telemetry.js';
import { isPlainObject } from '../core/shared/json.js';
import { once } from '../core/shared/once.js';
import { functionSetting, parseSettings, SchemaTable } from '../core/shared/settings.js';
import { type GivenTools, toolsSetting } from '../tools/given-tools.js';
import { type HistorySecret, historySecretSetting } from '../core/versions/history/signatures.js';
import type { AnyLanguageModel } from '../core/versions/specification.js';
import type { ApprovalPolicy } from '../tools/approval.js';
import type { Approvals, Approve } from './approvals/approvals.js';
import type { HostApprovalOptions } from './approvals/host-approvals.js';
import type { UnknownOutcomePolicy } from './calls/calls.js';
import type { ModelPrice, Prices } from './context/prices.js';
import type { ToolLoopJournal } from './durable/steps.js';
import type { ToolOutputStore } from './features/kept-outputs/store.js';
import type { PrepareRound, StopCondition } from './features/round-control/round-control.js';
import type { FeatureOptions } from './turn/features.js';
import type { ToolLoopEvent } from './turn/turn-reports.js';

/** Options of a tool loop. */
export interface ToolLoopOptions extends ObservedOptions, FeatureOptions {
  /**
   * Tools that the loop runs. A server's tool with the same name as another tool is offered as `<server>_<tool>`; if two
   * sources of the application share a name, the later tool is offered as `name_2`.
   */
  tools: GivenTools;
  /**
   * Signs what the loop writes into the history of the host, as the setting of the provider of the same name.
   * @default that of the model if it is one of this package, else the environment variable `KELIVO_HISTORY_SECRET`, else derived
   * from `OPENAI_API_KEY`, else a secret of the process
   */
  historySecret?: HistorySecret;
  /**
   * Maximum number of rounds in one turn. A round is one request to the model. The last round is sent with
   * `tool_choice: none`, so that the model responds with the results so far. At least 1, or false for no limit.
   * @default 20
   */
  maxRounds?: number | false;
  /**
   * Maximum number of calls in one turn. The model is informed that further calls were not run, and the next request is
   * sent with `tool_choice: none`. At least 1. Independent of this option, a call that failed three times with the same
   * tool, arguments and output makes the next request one without calls.
   * @default false, which is no limit
   */
  maxToolCalls?: number | false;
  /**
   * Maximum length of one tool's output in characters; JSON is counted as text. A longer output is truncated in the
   * middle, with a mark that contains the number of omitted characters. Both the model and the host receive the
   * truncated output. At least 100, or false for no limit: for all tools, or as `{ default, tools }` with limits for single
   * tools by the name that the model calls. Images and other media have a fixed limit of 20 MB each.
   * @default 100000
   */
  maxToolOutputChars?:
    | number
    | false
    | {
        /** Limit for the other tools. @default 100000 */
        readonly default?: number | false;
        /** Limits by the name that the model calls. @default none */
        readonly tools?: Readonly<Record<string, number | false>>;
      };
  /**
   * Approves or refuses a call. `true`, `{ approved: true }` and the status `approved` of `ai` 7 approve it. Any other
   * value and an exception refuse it, and the model reads the reason: `{ approved: false, reason: 'Ask the user first.' }`.
   * It is not called for calls with invalid JSON. Its time counts only for `timeouts.total`. It is called outside of all
   * steps, so that it may wait with the means of a workflow engine; a `journal` keeps its decisions.
   *
   * `host` ends the turn with an approval request of `ai` 6 or 7, and runs the call when a later prompt contains the
   * approval. It requires a model of version 3 or 4 (`kelivo-responses/v3`, `/v4`, or
   * `specificationVersion`); with other hosts the call is refused.
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
   * truncated. Calls of other APIs, calls written as text, and calls of servers without the header `openai-version`, which
   * may run functions themselves, start when the response has ended. With `false` no call starts before its round has
   * ended successfully.
   * @default 'read-only'
   */
  startEarly?: 'read-only' | boolean;
  /**
   * Parts of the loop's calls that the host receives. `auto`: complete provider-executed calls for tools that the host
   * declared (see `provider.tools()`). For other tools it sends what every host accepts: input and result in streams, nothing
   * in generated results. `all`: preliminary results of tools that yield several as well, in streams of \`ai\` 6 and 7. Those
   * hosts keep each of them as a result of the call, of which the last one counts. `none`: only the model's response. Whatever is left out is in the metadata of other parts
   * (`providerMetadata.kelivo.hiddenCalls`), arguments and outputs included, so that the next request can contain it.
   * @default 'auto'
   */
  toolActivity?: 'auto' | 'all' | 'none';
  /**
   * The prices of models, by id or as a function, for the `cost` of rounds and turns. `PRICES` of `kelivo-responses/models`
   * is a dated table: `{ ...PRICES, 'my-model': { input: 1, output: 4 } }`. A cost that the server reports takes precedence. A
   * model without a price has an unknown cost, and gives a warning.
   * @default costs are unknown
   */
  prices?: Prices;
  /** Time limits. By default a tool and a turn have none. */
  timeouts?: {
    /**
     * Limit for one tool call, in milliseconds. Progress restarts it. The signal of a tool that exceeds it aborts, the
     * model reads the error, and the other calls go on. The `timeout` of an MCP server applies as well.
     * @default none
     */
    tool?: number;
    /**
     * Limits for single tools by the name that the model calls, in milliseconds. They take precedence over `tool` and over
     * the `timeout` of a local tool.
     * @default none
     */
    tools?: Readonly<Record<string, number>>;
    /** Limit for the complete turn, in milliseconds. A turn that exceeds it ends with an error. @default none */
    total?: number;
    /**
     * Time in which the reader of a stream asks for no part, in milliseconds. The turn then ends as after an abort. Parts are
     * taken in batches of at most 64. Hosts that split a stream hide from it that a reader has
     * cancelled. `false` turns it off.
     * @default 60,000
     */
    unread?: number | false;
  };
  /** Retries of requests. The host retries the first request of a turn if it fails before it responds. */
  retry?: {
    /**
     * Maximum number of retries of one follow-up request, or one for a summary, that fails before it responds. False or 0
     * turns them off.
     * @default 2
     */
    maxRetries?: number | false;
    /**
     * Maximum number of repetitions of one round whose response breaks after it has begun: the connection ends, or
     * the server reports an error that a retry may resolve. Nothing of earlier rounds runs again. A call of the broken
     * response that had started does not run again either: the repeated request contains it with its output. A round in
     * which the host or a hosted tool with effects may have run a call is not repeated. A stream of a provider begins with
     * the announcement of its response if the server is then silent for a tenth of a second, and a failure before its output
     * is repeated as well. False or 0 turns repetitions off; streams then begin with their output, as they do within
     * `withFallback`.
     * @default 2
     */
    streamRetries?: number | false;
    /**
     * Delay before the first retry in milliseconds, doubled for each further one. A `Retry-After` header takes precedence.
     * @default 1000
     */
    initialDelay?: number;
  };
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

const isModel = (value: unknown): boolean => isPlainObject(value) && typeof value.doStream === 'function';

const OUTPUT_STORE = 'expected an object with the functions `put` and `get`';
const isOutputStore = (value: unknown): boolean =>
  isPlainObject(value) && typeof value.put === 'function' && typeof value.get === 'function';

const milliseconds = () => z.number().positive();

const atLeastOne = () => z.number().int().min(1);

const limit = (minimum: number) =>
  z.union(
    [z.number().int().min(minimum), z.literal(false)],
    `expected a whole number of at least ${minimum}, or false`,
  );

const modelPrice = () =>
  z.custom<ModelPrice>(
    value =>
      value === 'reported' ||
      (isPlainObject(value) && typeof value.input === 'number' && typeof value.output === 'number'),
    'expected prices of `input` and `output`, or "reported"',
  );

/** The options without `tools`. They are also the fields of a provider's `toolLoop` setting. */
export const toolLoopRows = {
  historySecret: historySecretSetting,
  maxRounds: () => limit(1),
  maxToolCalls: () => limit(1),
  maxRepeatedCalls: () => limit(1),
  toolSearch: () =>
    z.union(
      [z.enum(['auto', 'server', 'client']), z.literal(false)],
      'expected "auto", "server", "client" or false',
    ),
  keepToolOutputs: () =>
    z.union(
      [z.boolean(), z.strictObject({ store: z.custom<ToolOutputStore>(isOutputStore, OUTPUT_STORE) })],
      'expected a boolean, or { store }',
    ),
  clearToolOutputs: () =>
    z.strictObject({
      trigger: z.number().int().min(1),
      keep: z.number().int().min(0).optional(),
      clearAtLeast: z.number().min(0).optional(),
      excludeTools: z.array(z.string()).optional(),
    }),
  compactThreshold: atLeastOne,
  compaction: () =>
    z.union(
      [
        z.enum(['server', 'model']),
        z.strictObject({
          model: z.custom<AnyLanguageModel>(isModel, 'expected a language model').optional(),
          prompt: z.string().min(1).optional(),
        }),
      ],
      'expected "server", "model" or { model, prompt }',
    ),
  maxToolOutputChars: () =>
    z.union(
      [
        limit(100),
        z.strictObject({
          default: limit(100).optional(),
          tools: z.record(z.string(), limit(100)).optional(),
        }),
      ],
      'expected a whole number of at least 100, false, or such limits as { default, tools: { name: limit } }',
    ),
  approve: () => z.union([functionSetting<Approve>(), z.literal('host')], 'expected a function or "host"'),
  approvals: () =>
    z.union(
      [z.enum(APPROVAL_POLICIES), functionSetting<Exclude<Approvals, string>>()],
      `expected one of ${APPROVAL_POLICIES.map(policy => `"${policy}"`).join('|')}, or a function`,
    ),
  hostApprovals: () =>
    z.strictObject({
      secret: z.string().min(32, 'expected a random text of at least 32 characters'),
      claim: functionSetting<HostApprovalOptions['claim']>(),
      expiresAfter: milliseconds().optional(),
      audience: functionSetting<NonNullable<HostApprovalOptions['audience']>>().optional(),
    }),
  journal: () =>
    z.custom<ToolLoopJournal>(
      isJournal,
      'expected the result of `createJournal()` of `kelivo-responses/journal`',
    ),
  onUnknownOutcome: () => z.enum(['refuse', 'ask', 'run']),
  execution: () => z.enum(['auto', 'parallel', 'sequential']),
  startEarly: () => z.union([z.boolean(), z.literal('read-only')], 'expected a boolean or "read-only"'),
  toolActivity: () => z.enum(['auto', 'all', 'none']),
  prepareRound: () => functionSetting<PrepareRound>(),
  stopWhen: () =>
    z.union(
      [functionSetting<StopCondition>(), z.array(functionSetting<StopCondition>())],
      'expected a function or an array of functions',
    ),
  prices: () =>
    z.union(
      [functionSetting<Extract<Prices, (...facts: never) => unknown>>(), z.record(z.string(), modelPrice())],
      'expected a function or prices by model id',
    ),
  maxCost: () => z.number().positive(),
  maxTokens: atLeastOne,
  timeouts: () =>
    z.strictObject({
      tool: milliseconds().optional(),
      tools: z.record(z.string(), z.number().positive()).optional(),
      total: milliseconds().optional(),
      unread: z.union([z.number().positive(), z.literal(false)]).optional(),
    }),
  retry: () =>
    z.strictObject({
      maxRetries: limit(0).optional(),
      streamRetries: limit(0).optional(),
      initialDelay: z.number().min(0).optional(),
    }),
  telemetry: telemetrySetting,
  onEvent: () => functionSetting<(event: ToolLoopEvent) => void>(),
};

const table = once(() => new SchemaTable({ tools: toolsSetting, ...toolLoopRows }, { required: ['tools'] }));

export const validateToolLoopOptions = (options: unknown): ToolLoopOptions =>
  parseSettings(table().schema as z.ZodType<ToolLoopOptions>, options, 'the tool loop options');

import { isToolSource, type ToolSource } from '../tools/tool-source.js';
import type { Approvals, Approve } from './approvals.js';
import type { ToolResultStore } from './result-store.js';
import type { ToolLoopEvent } from './events.js';
import * as z from 'zod/v4';
import { parseSettings } from '../shared/settings.js';

/** How a tool loop works. */
export interface ToolLoopOptions {
  /** The tools that the loop runs. Where two sources share a name, the later one's is offered as `name_2`. */
  tools: ToolSource | readonly ToolSource[];
  /**
   * The most rounds of one turn, a round being one request to the model. The last is sent with `tool_choice: none`, so
   * that the model answers with what it has. At least 1.
   * @default 20
   */
  maxRounds?: number;
  /**
   * The most calls of one turn. Further ones are not run, which the model reads, and the next request is sent with
   * `tool_choice: none`. At least 1. Whatever is set here, a call that failed three times in the same way – the same
   * tool, arguments and output – makes the next request one without calls, so that the model answers.
   * @default as many as the rounds bring
   */
  maxToolCalls?: number;
  /**
   * The most characters of one tool's output, counted as JSON where it is JSON. A longer one is cut to its beginning and
   * its end, with a mark between them that says how much is missing; model and host both get it so. At least 100.
   * @default 100000
   */
  maxToolOutputChars?: number;
  /**
   * The most bytes of an image or another media part of an output. A larger one becomes a short text that says so.
   * @default 20000000
   */
  maxToolMediaBytes?: number;
  /**
   * Decides whether a call may run: `true`, or `{ approved: true }`. Anything else refuses it, an exception too, and the
   * model reads the reason: `{ approved: false, reason: 'Ask the user first.' }`. It is not asked of a call whose
   * arguments are no JSON or whose result is in the `resultStore`. The time it takes counts for `timeouts.total` alone.
   * @default nobody is asked
   */
  approve?: Approve;
  /**
   * Which calls need approval. `all`: every one whose tool is not read-only. `destructive`: those of tools that say
   * that they may destroy something (MCP `destructiveHint`; many servers give no hints). `none`: no call. A tool of the
   * application's with `needsApproval` asks for itself beside that. Without `approve` a call that needs approval is
   * refused.
   * @default 'all' with `approve`, else 'none'
   */
  approvals?: Approvals;
  /**
   * Where finished calls are kept beyond the life of the process, for example a `Keyv` over Redis. A process that
   * crashed may then repeat a turn – the same prompt with the same `providerOptions.kelivo.turnId`, a text of the
   * host's – and no call that had finished runs again: one in the same round with the same tool and arguments gets the
   * output that is kept. Calls without a `turnId` are not kept. A store that fails or takes longer than five seconds
   * is reported as an event of type `warning`, and the turn goes on without it. It should let its values expire: they
   * are never deleted here.
   * @default none
   */
  resultStore?: ToolResultStore;
  /**
   * Which calls run together. `auto`: read-only tools run at once and together, the others one after another in the
   * order of the model. `parallel` and `sequential` treat all tools alike.
   * @default 'auto'
   */
  execution?: 'auto' | 'parallel' | 'sequential';
  /**
   * The most calls that run at a time. At least 1.
   * @default 8
   */
  maxParallel?: number;
  /**
   * Whether a call starts as soon as its arguments are complete, while the model still streams. With `false` no call
   * starts before its round has ended well.
   * @default true
   */
  startEarly?: boolean;
  /**
   * How the loop's own tool calls show in what the host receives. `auto`: complete provider-executed calls for tools
   * that the host declared (see `toolStubs()`), and for others the form that no host stumbles over – their input and
   * result in streams, nothing in generated results. `none`: only the answer shows.
   * @default 'auto'
   */
  toolActivity?: 'auto' | 'none';
  /** Time limits. Without them a tool and a turn may take as long as they like. */
  timeouts?: {
    /** For one tool call, in milliseconds; progress starts it anew. A tool that exceeds it fails, and the model reads that. */
    tool?: number;
    /** For the whole turn, in milliseconds. A turn that exceeds it ends with an error. */
    total?: number;
  };
  /** Repeating a follow-up request that failed before it answered. The first request of a turn is the host's to repeat. */
  retry?: {
    /**
     * How often a follow-up request is repeated.
     * @default 2
     */
    maxRetries?: number;
    /**
     * The wait before the first repetition in milliseconds, doubled each time; a `Retry-After` header wins.
     * @default 1000
     */
    initialDelay?: number;
  };
  /** Told of what happens in the loop as it happens, for timelines and logs. An exception it throws is ignored. */
  onEvent?: (event: ToolLoopEvent) => void;
}

const source = z.custom<ToolSource>(
  isToolSource,
  'expected a tool source, such as the result of createMcpTools() or createLocalTools()',
);
const aFunction = <Type>() => z.custom<Type>(value => typeof value === 'function', 'expected a function');
const isResultStore = (value: unknown): boolean => {
  const { get, set }: { get?: unknown; set?: unknown } = Object(value);
  return typeof get === 'function' && typeof set === 'function';
};
const atLeastOne = z.number().int().min(1);
const milliseconds = z.number().positive();

/** The options of a loop but for its tools, as a provider's `toolLoop` setting takes them. */
export const toolLoopSettingsShape = {
  maxRounds: atLeastOne.optional(),
  maxToolCalls: atLeastOne.optional(),
  maxToolOutputChars: z.number().int().min(100).optional(),
  maxToolMediaBytes: z.number().int().min(0).optional(),
  approve: aFunction<Approve>().optional(),
  approvals: z.enum(['none', 'destructive', 'all']).optional(),
  resultStore: z
    .custom<ToolResultStore>(isResultStore, 'expected an object with `get` and `set`, such as a Keyv')
    .optional(),
  execution: z.enum(['auto', 'parallel', 'sequential']).optional(),
  maxParallel: atLeastOne.optional(),
  startEarly: z.boolean().optional(),
  toolActivity: z.enum(['auto', 'none']).optional(),
  timeouts: z.strictObject({ tool: milliseconds.optional(), total: milliseconds.optional() }).optional(),
  retry: z
    .strictObject({
      maxRetries: z.number().int().min(0).optional(),
      initialDelay: z.number().min(0).optional(),
    })
    .optional(),
  onEvent: aFunction<(event: ToolLoopEvent) => void>().optional(),
};

const schema: z.ZodType<ToolLoopOptions> = z.strictObject({
  tools: z.union([source, z.array(source)], 'expected a tool source or an array of them'),
  ...toolLoopSettingsShape,
});

export const validateToolLoopOptions = (options: unknown): ToolLoopOptions =>
  parseSettings(schema, options, 'the tool loop options');

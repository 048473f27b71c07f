import { asSchema, type FlexibleSchema, type ModelMessage, type Tool } from '@ai-sdk/provider-utils';
import { toCoreOutput, toDeniedText, type ToolResultOutput } from '../core/prompt.js';
import { createClosing, untilAborted } from '../core/shared/abort.js';
import { KelivoError, messageOf } from '../core/shared/errors.js';
import { objectOf, toJsonValue, tryParseJson } from '../core/shared/json.js';
import { addLazy } from '../core/shared/once.js';
import type {
  ToolCallContext,
  ToolCallOptions,
  ToolDefinition,
  ToolInputEvent,
  ToolInvocation,
  ToolOutput,
  ToolSource,
} from './tool-source.js';
import { isSameList } from './toolbox.js';

/**
 * The input type of a tool's schema: Zod 4, Zod 3, `jsonSchema<T>()` of any release of `ai`, a lazy schema, or a
 * Standard Schema. Other schemas have an `unknown` input.
 */
export type ToolInput<Schema> = Schema extends { readonly _zod: { readonly output: infer Input } }
  ? Input
  : Schema extends { readonly _type: infer Input }
    ? Input
    : Schema extends { readonly _output: infer Input }
      ? Input
      : Schema extends { readonly '~standard': { readonly types?: infer Types } }
        ? NonNullable<Types> extends { readonly output: infer Input }
          ? Input
          : unknown
        : Schema extends () => infer Lazy
          ? ToolInput<Lazy>
          : unknown;

/** The second argument of a local tool's `execute`. */
export interface LocalToolCallOptions {
  /** Id of the call, unique in the conversation. */
  readonly toolCallId: string;
  /** The messages of the host's prompt. */
  readonly messages: readonly unknown[];
  /** Aborts with the call. */
  readonly abortSignal?: AbortSignal;
  /** `providerOptions.kelivo.turnId`, or an id that the loop generates for the turn. @default none, outside of a tool loop */
  readonly turnId?: string;
  /** The round of the turn, from 1. 0 for calls that an earlier turn left for approval. @default none, outside of a tool loop */
  readonly round?: number;
  /**
   * A key of the call that stays the same when a durable turn repeats the call after a crash. Pass it to services that
   * accept such keys, for example as the header `Idempotency-Key`.
   * @default none, outside of a tool loop
   */
  readonly idempotencyKey?: string;
  /**
   * The `context` option of the tools, else `providerOptions.kelivo.context` of the call, by reference. For tools that
   * were written for `ai` 5 and 6.
   */
  readonly experimental_context?: unknown;
  /** The same value as `experimental_context`, for tools that were written for `ai` 7. */
  readonly context?: unknown;
  /** The `experimental_sandbox` option of the tools, by reference. */
  readonly experimental_sandbox?: unknown;
}

/**
 * A tool that the loop runs: a `tool()` of the AI SDK or a plain object of the same shape.
 *
 * The type is structural, because the `Tool` types of the releases of `ai` do not accept each other's schemas. The
 * functions are methods, so that their parameters may have the types of any release.
 */
export interface LocalTool<Schema = unknown> {
  /** Describes the tool and when to use it, for the model. @default none */
  readonly description?: string | ((options: never) => string);
  /** The schema of the input: a Zod schema or the result of `jsonSchema()` of `ai`. */
  readonly inputSchema: Schema;
  /** A name for people, which hosts show with calls of declared tools. @default none */
  readonly title?: string;
  /** Properties of the tool for the host, which adds them to the parts of calls of declared tools. @default none */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Set to true to require arguments that follow the schema. @default true if the schema satisfies strict mode, else false */
  readonly strict?: boolean;
  /** Examples of arguments, for models that accept them. @default none */
  readonly inputExamples?: readonly { readonly input: unknown }[];
  /** The schema of the output. It has no effect, as in the loop of the AI SDK. @default none */
  readonly outputSchema?: unknown;
  /** The schema of the context: another one is an error of the call. @default any context */
  readonly contextSchema?: unknown;
  /** Called when the model begins the arguments of a call. Errors are ignored. @default none */
  onInputStart?(options: LocalToolCallOptions): unknown;
  /** Called for each piece of the arguments in a stream. Errors are ignored. @default none */
  onInputDelta?(options: LocalToolCallOptions & { inputTextDelta: string }): unknown;
  /** Called with complete, valid arguments, before the approval of the call. Errors are ignored. @default none */
  onInputAvailable?(options: LocalToolCallOptions & { input: ToolInput<Schema> }): unknown;
  /**
   * Runs the tool. Required, although the type of `tool()` declares it as optional. A generator yields preliminary results,
   * and its last one is the result.
   */
  execute?(input: ToolInput<Schema>, options: LocalToolCallOptions): unknown;
  /** Converts the output for the model. @default strings as text, other values as JSON */
  readonly toModelOutput?: (output: never) => unknown;
  /**
   * Set to true, or to a function that returns true, if a call needs approval, as in `ai` 6 and 7. `approve` of the tool
   * loop then decides. Without `approve` the call is refused.
   * @default the `approvals` option of the tool loop
   */
  readonly needsApproval?: boolean | NeedsApproval<ToolInput<Schema>>['check'];
  /** Options of the tool for the model's provider, for example `{ openai: { allowedCallers: ['programmatic'] } }`. @default none */
  readonly providerOptions?: Readonly<Record<string, object>>;
  /** Set to true to offer the tool only after the model has searched for it (`toolSearch` of the tool loop). @default false */
  readonly deferLoading?: boolean;
  /** Set to true if the tool changes nothing. Read-only tools run in parallel. @default not stated, which counts as false */
  readonly readOnly?: boolean;
  /**
   * Set to false if the tool cannot destroy data: `approvals: 'destructive'` then does not cover it.
   * @default not stated, which counts as true unless the tool is read-only
   */
  readonly destructive?: boolean;
  /**
   * Set to true if repeating a call with the same arguments has no further effect. A durable turn then repeats a call
   * whose outcome is unknown after a crash.
   * @default not stated, which counts as false unless the tool is read-only
   */
  readonly idempotent?: boolean;
  /** Limit for a call in milliseconds, in a tool loop. @default `timeouts.tool` of the tool loop */
  readonly timeout?: number;
}

/** Declares the function as a method, see `LocalTool`. */
interface NeedsApproval<Input> {
  check(input: Input, options: never): boolean | PromiseLike<boolean>;
}

/** Local tools by name, as for `generateText`. Each tool must have `execute`. The input of each is inferred from its schema. */
export type LocalTools<Schemas = Record<string, unknown>> = {
  readonly [Name in keyof Schemas]: LocalTool<Schemas[Name]>;
};

/** Options for all tools of one source. */
export interface LocalToolsOptions {
  /**
   * Passed to each `execute` as `experimental_context` (`ai` 5 and 6) and as `context` (`ai` 7).
   * @default `providerOptions.kelivo.context` of the call
   */
  readonly context?: unknown;
  /** Passed to each `execute`, and to a `description` that is a function, as in `ai` 7. @default none */
  readonly experimental_sandbox?: unknown;
  /**
   * The major version of `ai` for which the tools were written. From 6 on, `toModelOutput` receives
   * `{ toolCallId, input, output }`; before, it receives only the output.
   * @default 6 in calls of models of version 3 and 4, and where the host shows that it is `ai` 6 or 7; else 5
   */
  readonly aiVersion?: 5 | 6 | 7;
}

/**
 * Creates a source of tools that run in this process. Input is validated with the tool's schema, `toModelOutput` is
 * applied, and an exception becomes an `error-text` output.
 *
 * @example
 * ```ts
 * const tools = createLocalTools({
 *   weather: {
 *     inputSchema: z.object({ city: z.string() }),
 *     execute: async ({ city }) => `Sunny in ${city}`,
 *   },
 * });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for a tool without `execute`.
 */
export function createLocalTools<Schemas = Record<string, unknown>>(
  localTools: LocalTools<Schemas>,
  options: LocalToolsOptions = {},
): ToolSource {
  return createUncheckedTools(localTools, options);
}

/** Creates the source of `createLocalTools` for tools whose types are unknown. */
export function createUncheckedTools(tools: object, options: LocalToolsOptions = {}): ToolSource {
  assertRunnable(tools);
  const closing = createClosing('the local tools');
  let isFirstListing = true;
  /** The newest definition of each tool. One that has not changed stays the same object, which need not be read again. */
  const known = new Map<
    string,
    { readonly facts: readonly unknown[]; readonly definition: ToolDefinition }
  >();
  /** The observations of arguments that have not ended, by turn and call: servers repeat the ids of calls. */
  const observing = new Map<string, Promise<void>>();

  /** Observes the arguments of a call after those that came before. */
  function inOrder(key: string, observe: () => Promise<void>): Promise<void> {
    const before = observing.get(key) ?? Promise.resolve();
    const own = before.catch(() => {}).then(observe);
    observing.set(key, own);
    return own.finally(() => {
      if (observing.get(key) === own) observing.delete(key);
    });
  }

  return {
    name: 'local tools',
    async listTools() {
      const { context, experimental_sandbox } = options;
      const definitions: ToolDefinition[] = [];
      const warnings: string[] = [];
      for (const [name, tool] of Object.entries(tools)) {
        const { readOnly, destructive, idempotent, timeout, deferLoading = false, providerOptions } = tool;
        const { title, metadata, strict, inputExamples } = tool;
        const facts = {
          readOnly,
          destructive,
          idempotent,
          timeout,
          providerOptions,
          title,
          ofApplication: metadata,
          strict,
          inputExamples,
        };
        if (isFirstListing) warnings.push(...findUnsupported(name, tool));
        try {
          // In `ai` 7 it may be a function of the context.
          const description =
            typeof tool.description === 'function'
              ? tool.description({ context, experimental_sandbox } as never)
              : tool.description;
          const all: unknown[] = [
            tool,
            tool.inputSchema,
            tool.execute,
            tool.needsApproval,
            hasInputHooks(tool),
            description,
            deferLoading,
            ...Object.values(facts),
          ];
          const before = known.get(name);
          if (before !== undefined && isSameList(all, before.facts)) {
            definitions.push(before.definition);
            continue;
          }
          const inputSchema = await asSchema(tool.inputSchema).jsonSchema;
          const definition: ToolDefinition = {
            name,
            description,
            inputSchema,
            ...(deferLoading && { deferLoading }),
            ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)),
            ...(tool.execute instanceof AsyncGenerator && { isGenerator: true }),
            ...(hasInputHooks(tool) && {
              onInput: event =>
                inOrder(toObservedKey(event.toolCallId, event.callContext), () =>
                  announceInput(tool, event, options),
                ),
            }),
            ...(tool.needsApproval && {
              needsApproval: (call, callOptions) => needsApproval(tool, call, { ...options, ...callOptions }),
            }),
          };
          known.set(name, { facts: all, definition });
          definitions.push(definition);
        } catch (error) {
          warnings.push(
            `The local tool "${name}" is not offered: expected \`inputSchema\` to be a Zod schema or the result of \`jsonSchema()\` that can be converted to JSON Schema (${messageOf(error)}).`,
          );
        }
      }
      const shown = isFirstListing ? warnings : [];
      isFirstListing = false;
      return { tools: definitions, warnings: shown, closed: [closing.signal] };
    },

    async callTool(call, callOptions) {
      const { signal } = callOptions;
      signal.throwIfAborted();
      const tool = Object.hasOwn(tools, call.toolName) ? tools[call.toolName] : undefined;
      if (tool === undefined) return { type: 'error-text', value: `There is no tool "${call.toolName}".` };
      // A tool observes the arguments of a call before it runs.
      const observed =
        observing.size === 0
          ? undefined
          : observing.get(toObservedKey(call.toolCallId, callOptions.callContext));
      if (observed !== undefined) await untilAborted(observed, signal).catch(() => signal.throwIfAborted());
      return untilAborted(runLocalTool(tool, call, callOptions, options), signal);
    },

    close: async () => closing.close(),
  };
}

const toObservedKey = (toolCallId: string, context: Partial<ToolCallContext> | undefined): string =>
  JSON.stringify([context?.turnId ?? null, context?.round ?? null, toolCallId]);

function assertRunnable(tools: object): asserts tools is Readonly<Record<string, LocalTool & RunnableTool>> {
  for (const [name, tool] of Object.entries<unknown>({ ...tools })) {
    if (typeof objectOf(tool)?.execute === 'function') continue;
    throw new KelivoError({
      code: 'invalid-settings',
      message:
        `Expected the local tool "${name}" to have an \`execute\` function, got none. ` +
        'Add the function, or pass the tool to `generateText` / `streamText` instead.',
    });
  }
}

/** The fields of tools of the AI SDK. The value tells what happens to a field: a text is the reason of a warning. */
const FIELDS = {
  description: true,
  title: true,
  providerOptions: true,
  metadata: true,
  inputSchema: true,
  inputExamples: true,
  outputSchema: true,
  contextSchema: true,
  needsApproval: true,
  onInputStart: true,
  onInputDelta: true,
  onInputAvailable: true,
  toModelOutput: true,
  execute: true,
  strict: true,
  deferLoading: true,
  type: true,
  // Of tools that a provider defines. The arguments of a function tool are its schema alone.
  id: 'is for tools that a provider defines; the model receives a function',
  name: true,
  args: 'is for tools that a provider defines; the model receives a function',
  isProviderExecuted: 'is for tools that a provider defines; the loop runs the tool',
  supportsDeferredResults: 'is for tools that a provider defines; the loop waits for the result',
} as const satisfies Record<string, true | string>;

/** The names of the fields, for the test that reads the types of the AI SDK. @internal */
export const LOCAL_TOOL_FIELDS: readonly string[] = Object.keys(FIELDS);

const OWN_FIELDS = new Set(['readOnly', 'destructive', 'idempotent', 'timeout']);

/** Returns a warning for each field of a tool that has no effect. */
function findUnsupported(toolName: string, tool: object): string[] {
  return Object.entries(tool).flatMap(([field, value]) => {
    if (value === undefined || OWN_FIELDS.has(field)) return [];
    const effect = Object.hasOwn(FIELDS, field) ? FIELDS[field as keyof typeof FIELDS] : 'is unknown';
    // Tools of other frameworks have names and ids.
    const isOfProvider = /^provider/.test(String((tool as { readonly type?: unknown }).type));
    if (effect === true || (field === 'id' && !isOfProvider)) return [];
    return [`The field \`${field}\` of the local tool "${toolName}" has no effect: it ${effect}.`];
  });
}

/** A local tool in the types of this package's `ai` version. At run time, versions differ only in `toModelOutput`. */
type RunnableTool = Pick<
  Tool<unknown, unknown>,
  'inputSchema' | 'execute' | 'onInputStart' | 'onInputDelta' | 'onInputAvailable'
> & {
  readonly contextSchema?: unknown;
  readonly toModelOutput?: (output: unknown) => unknown;
  readonly needsApproval?: boolean | ((input: unknown, options: object) => boolean | PromiseLike<boolean>);
};

type RunOptions = ToolCallOptions & LocalToolsOptions;

/** Runs a tool. Failures are returned as outputs for the model. The promise rejects only on abort. */
async function runLocalTool(
  tool: RunnableTool,
  call: ToolInvocation,
  options: ToolCallOptions,
  ofSource: LocalToolsOptions,
): Promise<ToolOutput> {
  try {
    const checked = await validate(tool, call);
    if (!checked.success) {
      const value = `Invalid arguments for tool "${call.toolName}": ${checked.error.message}`;
      return { type: 'error-text', value };
    }
    const output = await lastOutput(tool, { ...call, input: checked.value }, options, ofSource);
    const { aiVersion = options.wrapsToolOutput ? 6 : 5 } = ofSource;
    const { onWarning } = options;
    const { toolCallId, toolName } = call;
    if (tool.toModelOutput === undefined) return await toOutput(output, toolName, onWarning);
    const modelOutput = await tool.toModelOutput(
      aiVersion < 6 ? output : { toolCallId, input: checked.value, output },
    );
    return modelOutput == null
      ? await toOutput(output, toolName, onWarning)
      : toAllowed(withoutUnrepresentable(toCoreOutput(modelOutput), toolName, onWarning));
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason;
    return { type: 'error-text', value: messageOf(error) };
  }
}

/** A tool that ran cannot be denied any more: its refusal is an error for the model. */
const toAllowed = (output: ToolResultOutput): ToolOutput =>
  output.type === 'execution-denied' ? { type: 'error-text', value: toDeniedText(output) } : output;

/** Returns true if a call needs approval before it runs. A call with invalid arguments never runs. */
async function needsApproval(
  tool: RunnableTool,
  call: ToolInvocation,
  {
    messages = [],
    ...options
  }: Pick<RunOptions, 'messages' | 'context' | 'callContext' | 'experimental_sandbox'>,
): Promise<boolean> {
  if (typeof tool.needsApproval !== 'function') return tool.needsApproval === true;
  const checked = await validate(tool, call);
  if (!checked.success) return false;
  return tool.needsApproval(checked.value, {
    toolCallId: call.toolCallId,
    messages,
    ...(await toCallFacts(tool, options)),
  });
}

/** The constructor of functions that are declared as `async function*`. */
const AsyncGenerator = async function* () {}.constructor as FunctionConstructor;

const hasInputHooks = (tool: RunnableTool): boolean =>
  tool.onInputStart !== undefined || tool.onInputDelta !== undefined || tool.onInputAvailable !== undefined;

/** Calls the functions of a tool that observe the arguments of a call. */
async function announceInput(
  tool: RunnableTool,
  { messages, signal, ...event }: ToolInputEvent,
  options: LocalToolsOptions,
): Promise<void> {
  const { toolCallId, callContext } = event;
  const facts = await toCallFacts(tool, { ...options, ...(callContext && { callContext }) });
  const shared = { toolCallId, messages: [...messages], abortSignal: signal, ...facts };
  if (event.type === 'start') return tool.onInputStart?.(shared);
  if (event.type === 'delta') return tool.onInputDelta?.({ ...shared, inputTextDelta: event.delta });
  const checked = await validate(tool, { toolName: '', ...event });
  if (checked.success) await tool.onInputAvailable?.({ ...shared, input: checked.value });
}

const validate = async (tool: RunnableTool, call: ToolInvocation) =>
  (await asSchema(tool.inputSchema).validate?.(call.input)) ?? { success: true as const, value: call.input };

/** Returns the facts of a call that tools receive besides its id and messages. */
async function toCallFacts(
  tool: RunnableTool,
  {
    callContext,
    context: given = callContext?.context,
    experimental_sandbox,
  }: Pick<RunOptions, 'context' | 'callContext' | 'experimental_sandbox'>,
): Promise<
  Pick<LocalToolCallOptions, 'turnId' | 'round' | 'experimental_context' | 'context' | 'experimental_sandbox'>
> {
  const context = tool.contextSchema === undefined ? given : await toValidContext(given, tool.contextSchema);
  return {
    ...(experimental_sandbox !== undefined && { experimental_sandbox }),
    ...(callContext !== undefined && { turnId: callContext.turnId, round: callContext.round }),
    ...(context !== undefined && { experimental_context: context, context }),
  };
}

async function toValidContext(context: unknown, schema: unknown): Promise<unknown> {
  const checked = await asSchema(schema as FlexibleSchema<unknown>).validate?.(context);
  if (checked === undefined) return context;
  if (checked.success) return checked.value;
  throw new Error(`Invalid context for the tool: ${checked.error.message}`);
}

/** Returns the final output. A tool may also yield preliminary outputs. */
async function lastOutput(
  tool: RunnableTool,
  { toolCallId, input }: { toolCallId: string; input: unknown },
  given: ToolCallOptions,
  ofSource: LocalToolsOptions,
): Promise<unknown> {
  const { signal, idempotencyKey, onProgress, callContext } = given;
  const execute = tool.execute;
  if (execute === undefined) throw new Error('The tool has no `execute` function.');
  const facts = {
    toolCallId,
    abortSignal: signal,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(await toCallFacts(tool, { ...ofSource, ...(callContext && { callContext }) })),
  };
  // They are converted when a tool reads them.
  const options = addLazy(facts, 'messages', () => (given.messages ?? []) as ModelMessage[]);
  const result = execute.call(tool, input, options);
  if (!isAsyncIterable(result)) return result;
  let last: unknown;
  let count = 0;
  for await (const output of result) {
    // Leaving the loop also ends a generator that ignores its signal.
    if (signal.aborted) throw signal.reason;
    last = output;
    // JSON lacks some values, and a host keeps the result while the tool may change it.
    onProgress?.({ progress: ++count, result: toJsonValue(output) ?? null });
  }
  return last;
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** Converts a result. The tool has run, so that nothing here may make its call look failed. */
async function toOutput(given: unknown, name: string, warn: RunOptions['onWarning']): Promise<ToolOutput> {
  const replaced = new Set<string>();
  let value = given;
  try {
    if (given instanceof Response) value = await readBody(given);
    else if (isIterator(given)) value = readValues(given);
    if (value !== given) replaced.add(given instanceof Response ? 'Response' : 'iterator');
  } catch (error) {
    return { type: 'text', value: `The call succeeded, but its result cannot be read: ${messageOf(error)}` };
  }
  // Removes values that JSON cannot represent, such as functions, because hosts clone their messages.
  const json = toJsonValue(value, kind => void replaced.add(kind)) ?? null;
  warnOfReplaced(replaced, name, warn);
  return typeof value === 'string' ? { type: 'text', value: String(json) } : { type: 'json', value: json };
}

/** Removes what JSON cannot represent from an output that the application has written itself. */
function withoutUnrepresentable(
  output: ToolResultOutput,
  name: string,
  warn: RunOptions['onWarning'],
): ToolResultOutput {
  if (output.type !== 'json' && output.type !== 'error-json') return output;
  const replaced = new Set<string>();
  const value = toJsonValue(output.value, kind => void replaced.add(kind));
  warnOfReplaced(replaced, name, warn);
  return { ...output, value } as ToolResultOutput;
}

function warnOfReplaced(kinds: ReadonlySet<string>, name: string, warn: RunOptions['onWarning']): void {
  if (kinds.size === 0) return;
  warn?.(`The result of the tool "${name}" was changed, because JSON lacks: ${[...kinds].join(', ')}.`);
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  return /json/.test(response.headers.get('content-type') ?? '') ? (tryParseJson(text) ?? text) : text;
}

/** Reads at most 10,000 values. */
function readValues(iterator: Iterable<unknown>): unknown[] {
  const values: unknown[] = [];
  for (const value of iterator) if (values.push(value) >= 10_000) break;
  return values;
}

const isIterator = (value: unknown): value is IterableIterator<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value;

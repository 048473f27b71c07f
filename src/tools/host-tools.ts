import type { JSONSchema7 } from '@ai-sdk/provider';
import { jsonSchema, type ModelMessage } from '@ai-sdk/provider-utils';
import type * as z from 'zod/v4';
import type { CoreCall } from '../core/call.js';
import type { OutputContent } from '../core/prompt.js';
import { createTimeLimit, untilAborted } from '../core/shared/abort.js';
import { messageOf } from '../core/shared/errors.js';
import { inform } from '../core/shared/inform.js';
import {
  isEqualJson,
  isPlainObject,
  type JSONValue,
  objectOf,
  type PlainObject,
} from '../core/shared/json.js';
import { mapSchema, resolvePointer } from '../core/tool-calls/json-schema.js';
import { isArchive, toFilename, toResultValue, unwrapMcpOutput } from '../core/tool-calls/mcp-output.js';
import { toStandardSchema } from '../core/tool-calls/standard-schema.js';
import {
  APPROVED,
  type Approved,
  FIND_REFUSAL,
  IS_REPEATABLE,
  KEPT_TASK,
  type KeptTask,
} from './kept-task.js';
import {
  type ApprovalDecision,
  type ApprovalPolicy,
  type CallForApproval,
  defaultPolicy,
  requiresApproval,
  mayRequireApproval,
  readDecision,
  toCallForApproval,
  toRefusalText,
} from './approval.js';
import {
  effectiveAnnotations,
  type InputStep,
  type ToolDefinition,
  type ToolInvocation,
  type ToolMetadata,
  type ToolOutput,
  type ToolProgress,
  type ToolSource,
  toTimeoutText,
  timeoutOf,
  type ToolTimeouts,
} from './tool-source.js';

/** Options of the tools for the host's own loop. */
export interface HostToolsOptions {
  /**
   * Calls that need approval, with the policies of the tool loop. A function returns false for calls that need no approval.
   * Without `approve`, `ai` 6 and 7 ask as for any tool with `needsApproval`, and `toolApproval` of `ai` 7 takes precedence.
   * `ai` 5 cannot ask: there, these calls are refused.
   * @default 'unless-read-only' with `approve`, else 'never'
   */
  approvals?: ApprovalPolicy | ((call: CallForApproval) => boolean | PromiseLike<boolean>);
  /**
   * Decides on the calls that need approval, in every version of `ai`. The host then asks for none of them.
   * @default the host asks
   */
  approve?: (
    call: CallForApproval,
    options: { readonly signal: AbortSignal },
  ) => ApprovalDecision | PromiseLike<ApprovalDecision>;
  /** Called when a running tool reports progress. Errors it throws are ignored. @default none */
  onProgress?: (progress: ToolProgress, call: ToolInvocation) => void;
  /**
   * Called with a sentence for each tool and server that is missing, and its cause. Errors it throws are ignored.
   * @default none; the next response of a model of the provider has these warnings
   */
  onWarning?: (message: string) => void;
  /**
   * Set to true for `WorkflowAgent` of `@ai-sdk/workflow`, which rejects all tools if the schema of one has a `format`, a
   * dialect, or a keyword that its validator does not know. Schemas then omit these; calls are still compared with the
   * complete schema.
   * @default false
   */
  forWorkflowAgent?: boolean;
}

/** What hosts pass to `execute` and `needsApproval`. */
export interface HostCallOptions {
  /** The id of the call in the messages of the host. */
  readonly toolCallId: string;
  /** The messages of the request that the model answered with the call. */
  readonly messages?: readonly unknown[];
  /** Aborts the call. */
  readonly abortSignal?: AbortSignal;
  /** The same in every attempt at the call, if a journal records it. */
  readonly idempotencyKey?: string;
  /** @internal */
  readonly [KEPT_TASK]?: KeptTask;
  /** @internal */
  readonly [APPROVED]?: Approved | undefined;
  /** The application's value in `ai` 5 and 6. */
  readonly experimental_context?: unknown;
  /** The application's value in `ai` 7. */
  readonly context?: unknown;
}

/**
 * An executable tool for `generateText`, `streamText` and the agents of `ai` 5, 6 and 7. The types are those that all three
 * accept.
 */
export interface HostTool {
  readonly type: 'dynamic';
  readonly description?: string;
  readonly title?: string;
  /** The JSON Schema of the server, as `jsonSchema()` of `ai` marks it. Declared as the one type that all versions accept. */
  readonly inputSchema: z.ZodType<Record<string, unknown>>;
  /** The schema that the server declares for the structured content of results. Hosts do not compare results with it. */
  readonly outputSchema?: z.ZodType<JSONValue>;
  readonly metadata?: ToolMetadata;
  /** Requires that the model follows the schema. */
  readonly strict?: boolean;
  /** Examples of arguments. */
  readonly inputExamples?: { input: never }[];
  /** Options of the tool for the model's provider. */
  readonly providerOptions?: Record<string, Record<string, JSONValue>>;
  /** The model has to search for the tool. */
  readonly deferLoading?: boolean;
  /** Called when the model begins the arguments of a call. Missing unless the tool observes them, as the next two. */
  onInputStart?(options: HostCallOptions): void;
  /** Called for each piece of the arguments in a stream. */
  onInputDelta?(options: HostCallOptions & { inputTextDelta: string }): void;
  /** Called with complete arguments, before the tool runs. */
  onInputAvailable?(options: HostCallOptions & { input: unknown }): void;
  /** Runs the tool and returns its result as hosts display it: a text, or an MCP result. Throws the text of an error. */
  execute(input: unknown, options: HostCallOptions): Promise<JSONValue>;
  /** Writes a result for the model in the words of the version that calls it. */
  toModelOutput(result: unknown): { type: 'text'; value: string };
  /** @internal */
  readonly [IS_REPEATABLE]?: true;
  /** @internal */
  [FIND_REFUSAL]?(input: unknown, options: HostCallOptions): Promise<string | undefined>;
  /** Missing if no call needs approval by the host. */
  needsApproval?(input: unknown, options: HostCallOptions): Promise<boolean>;
}

/** Executable tools for the host's own loop. */
export type HostTools = Record<string, HostTool>;

/** Marks a tool that the host runs, so that the loop does not offer it, too. */
export const RUN_BY_HOST = { kelivo: { runBy: 'host' } };

/**
 * Returns true for a call with the options or the tools of `agentSettings`: its host runs the tools of the provider. The options
 * count without a tool, because a host may leave out all of them in a step.
 */
export const isRunByHost = (call: Pick<CoreCall, 'tools' | 'own'>): boolean =>
  call.own.runBy === 'host' ||
  (call.tools ?? []).some(
    tool => tool.type === 'function' && objectOf(tool.providerOptions?.kelivo)?.runBy === 'host',
  );

/** Rules for calls that the host runs. */
export interface HostRunRules {
  /**
   * False if the host cannot be asked for approvals. Calls that need one are then refused without `approve`.
   * @default true
   */
  readonly hostAsks?: boolean;
  /** Limits for calls. @default those of the tools */
  readonly timeouts?: ToolTimeouts;
}

/** Returns the tools of a source for the host's own loop, by name. */
export function toHostTools(
  source: Pick<ToolSource, 'callTool'>,
  tools: readonly ToolDefinition[],
  options: HostToolsOptions = {},
  rules: HostRunRules = {},
): HostTools {
  return Object.fromEntries(
    tools.map(tool => [tool.name, toHostTool(source, tool, { ...options, ...rules })]),
  );
}

function toHostTool(
  source: Pick<ToolSource, 'callTool'>,
  tool: ToolDefinition,
  {
    approve,
    approvals = defaultPolicy({ approve }),
    onProgress,
    forWorkflowAgent,
    hostAsks = true,
    timeouts = {},
  }: HostToolsOptions & HostRunRules,
): HostTool {
  const { name, description, inputSchema, server, originalName = name } = tool;
  const { strict, deferLoading, inputExamples, providerOptions, onInput, isGenerator, outputSchema } = tool;
  const { title = tool.metadata?.title, metadata = tool.ofApplication as ToolMetadata | undefined } = tool;
  /** Calls for which the host has evaluated `needsApproval`, so that it does not run them without the approval. */
  const asked = createRecentIds();
  /** Calls of `ai` 7, whose outputs have words of their own. */
  const tagged = createRecentIds();
  const mayAsk = mayRequireApproval(approvals, tool);

  const toCall = (input: unknown, options: HostCallOptions): ToolInvocation => ({
    toolCallId: options.toolCallId,
    toolName: name,
    ...(server !== undefined && { server, originalName }),
    input: objectOf(input) ?? {},
  });
  const toRequest = (input: unknown, options: HostCallOptions): CallForApproval => {
    const { messages = [], experimental_context, context = experimental_context } = options;
    return toCallForApproval(toCall(input, options), tool, { messages: messages as ModelMessage[], context });
  };
  const needsApproval = async (request: CallForApproval): Promise<boolean> => {
    const { messages, context } = request;
    if (await tool.needsApproval?.(request, { messages, callContext: { context } })) return true;
    return requiresApproval(approvals, request);
  };

  /** Returns the refusal of a call that needs an approval which it does not have. */
  async function findRefusal(input: unknown, options: HostCallOptions): Promise<string | undefined> {
    const { toolCallId, abortSignal: signal = new AbortController().signal } = options;
    const isAskedByHost =
      hostAsks && approve === undefined && (isOfNewestHost(options) || asked.has(toolCallId));
    if (!mayAsk || isAskedByHost) return undefined;
    const find = async (): Promise<string | undefined> => {
      const request = toRequest(input, options);
      if (!(await needsApproval(request))) return undefined;
      if (approve === undefined) return toRefusalText(NOBODY_ASKS);
      const { isApproved, reason } = readDecision(await approve(request, { signal }));
      return isApproved ? undefined : toRefusalText(reason);
    };
    const refusal = await find().catch(error => toRefusalText(messageOf(error)));
    signal.throwIfAborted();
    return refusal;
  }

  async function run(
    input: unknown,
    options: HostCallOptions,
    onPreliminary?: (result: JSONValue) => void,
  ): Promise<JSONValue> {
    const { toolCallId, messages = [], experimental_context, context = experimental_context } = options;
    const { abortSignal: signal = new AbortController().signal, idempotencyKey, [KEPT_TASK]: task } = options;
    const { [APPROVED]: approved } = options;
    signal.throwIfAborted();
    if (isOfNewestHost(options)) tagged.add(toolCallId);
    const isApproved = approved?.by === findRefusal && isEqualJson(approved.input, input);
    const refusal = isApproved ? undefined : await findRefusal(input, options);
    if (refusal !== undefined) throw new Error(refusal);
    const call = toCall(input, options);
    const milliseconds = timeoutOf(name, tool, timeouts);
    const limit = createTimeLimit(signal, { milliseconds, message: toTimeoutText(name, milliseconds) });
    const calling = source.callTool(call, {
      signal: limit.signal,
      messages: messages as ModelMessage[],
      ...(mayAsk && { approved: tool }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(task && { task }),
      ...(context !== undefined && { callContext: { context } }),
      onProgress(progress) {
        limit.restart();
        if (progress.result !== undefined) onPreliminary?.(progress.result);
        inform(onProgress, progress, call);
      },
    });
    const output = await untilAborted(calling, limit.signal).finally(limit.release);
    if (isFailed(output)) throw new Error(toText(output));
    return toResultValue(output);
  }

  return {
    type: 'dynamic',
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
    // No `validate`: the source compares the arguments with the schema, and the model reads what is wrong.
    inputSchema: jsonSchema(
      forWorkflowAgent === true ? toPlainSchema(inputSchema) : inputSchema,
    ) as unknown as HostTool['inputSchema'],
    ...(outputSchema &&
      !forWorkflowAgent && {
        outputSchema: jsonSchema(outputSchema) as unknown as HostTool['outputSchema'] & object,
      }),
    ...(metadata !== undefined && { metadata }),
    ...(strict !== undefined && { strict }),
    ...(deferLoading && { deferLoading }),
    ...(inputExamples && { inputExamples: inputExamples as HostTool['inputExamples'] & object }),
    ...(providerOptions && { providerOptions: providerOptions as HostTool['providerOptions'] & object }),
    ...(onInput && toInputHooks(onInput)),
    ...(mayAsk && { [FIND_REFUSAL]: findRefusal }),
    ...(effectiveAnnotations(tool).idempotent && { [IS_REPEATABLE]: true as const }),
    execute:
      isGenerator === true
        ? // Hosts read every iterable. The type is that of other tools.
          (input, options) =>
            withPreliminary(show => run(input, options, show)) as unknown as Promise<JSONValue>
        : async (input, options) => run(input, options),
    toModelOutput(result) {
      const { toolCallId, output } = readResult(result);
      const words = toolCallId === undefined ? 'media' : tagged.has(toolCallId) ? 'file' : 'file-data';
      return writeOutput(output, words) as ReturnType<HostTool['toModelOutput']>;
    },
    ...(mayAsk &&
      hostAsks &&
      approve === undefined && {
        async needsApproval(input: unknown, options: HostCallOptions) {
          asked.add(options.toolCallId);
          return needsApproval(toRequest(input, options)).catch(() => true);
        },
      }),
  };
}

/** Returns the functions with which a host tells a tool of the arguments of a call. */
function toInputHooks(
  onInput: NonNullable<ToolDefinition['onInput']>,
): Pick<HostTool, 'onInputStart' | 'onInputDelta' | 'onInputAvailable'> {
  const tell = (options: HostCallOptions, step: InputStep): void => {
    const { toolCallId, messages = [], abortSignal: signal = new AbortController().signal } = options;
    const { experimental_context, context = experimental_context } = options;
    const callContext = context === undefined ? {} : { callContext: { context } };
    const event = { ...step, toolCallId, messages: messages as ModelMessage[], signal, ...callContext };
    return inform(onInput, event);
  };
  return {
    onInputStart: options => tell(options, { type: 'start' }),
    onInputDelta: options => tell(options, { type: 'delta', delta: options.inputTextDelta }),
    onInputAvailable: options => tell(options, { type: 'available', input: objectOf(options.input) ?? {} }),
  };
}

/** Yields the results of a call. The host shows each of them, and the last one is the result of the call. */
async function* withPreliminary(
  run: (show: (result: JSONValue) => void) => Promise<JSONValue>,
): AsyncGenerator<JSONValue> {
  const shown: JSONValue[] = [];
  let last: JSONValue | undefined;
  let wake = (): void => {};
  let isOver = false;
  const running = run(result => {
    shown.push(result);
    wake();
  }).finally(() => {
    isOver = true;
    wake();
  });
  running.catch(() => {});
  for (;;) {
    for (let next = shown.shift(); next !== undefined; next = shown.shift()) yield (last = next);
    if (isOver) break;
    await new Promise<void>(resolve => (wake = resolve));
  }
  // The last one is the result, unless the model receives it in another form.
  const result = await running;
  if (last === undefined || JSON.stringify(result) !== JSON.stringify(last)) yield result;
}

/** Keywords that a strict validator of draft 7 accepts anywhere. */
const PLAIN_KEYWORDS = new Set(
  `type properties required items additionalProperties enum const anyOf allOf $ref $defs definitions title description default
  examples minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems
  minProperties maxProperties`.split(/\s+/),
);

/** Returns a schema with these keywords alone. It allows every value that the given one allows. */
function toPlainSchema(schema: JSONSchema7): JSONSchema7 {
  const standard = toStandardSchema(schema as PlainObject);
  const isPlain = ([keyword, value]: [string, unknown]): boolean =>
    keyword === '$ref'
      ? typeof value === 'string' && /^#\//.test(value) && isPlainObject(resolvePointer(value, standard))
      : PLAIN_KEYWORDS.has(keyword);
  return mapSchema(standard, inner => {
    // With fewer keywords, a value may match several alternatives.
    const { oneOf, anyOf = oneOf, ...others } = inner;
    const entries = Object.entries({ ...others, ...(anyOf !== undefined && { anyOf }) });
    return Object.fromEntries(entries.filter(isPlain));
  }) as JSONSchema7;
}

const NOBODY_ASKS = 'this tool needs approval. The host cannot ask for it, and `approve` is not set.';

/** Only `ai` 7 passes `context` and not `experimental_context`. It has decided on each call that it runs. */
const isOfNewestHost = (options: HostCallOptions): boolean =>
  'context' in options && !('experimental_context' in options);

/** Remembers the last ids, because nobody tells when a call that the host does not run has ended. */
function createRecentIds() {
  const ids = new Set<string>();
  return {
    has: (id: string): boolean => ids.has(id),
    add(id: string): void {
      ids.delete(id);
      ids.add(id);
      for (const oldest of ids) if (ids.size > 1000) ids.delete(oldest);
    },
  };
}

const isFailed = (output: ToolOutput): boolean =>
  output.type.startsWith('error') || output.mcp?.isError === true;

function toText(output: ToolOutput): string {
  if (output.type === 'content')
    return output.value.flatMap(item => (item.type === 'text' ? [item.text] : [])).join('\n');
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value);
}

/** Writes a result as hosts do for tools without `toModelOutput`. */
export function toDefaultOutput(given: unknown): ReturnType<HostTool['toModelOutput']> {
  const { output } = readResult(given);
  const written: unknown =
    typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null };
  return written as ReturnType<HostTool['toModelOutput']>;
}

/** `ai` 5 passes the result alone, later versions with its call. */
export function readResult(result: unknown): { toolCallId?: string; output: unknown } {
  const isWithCall =
    isPlainObject(result) && 'toolCallId' in result && 'input' in result && 'output' in result;
  return isWithCall ? { toolCallId: String(result.toolCallId), output: result.output } : { output: result };
}

/** The type of a file in the output of a tool: in `ai` 5, 6 and 7. */
type FileWord = 'media' | 'file-data' | 'file';

function writeOutput(result: unknown, word: FileWord): unknown {
  if (typeof result === 'string') return { type: 'text', value: result };
  const output = unwrapMcpOutput({ type: 'json', value: (result ?? null) as JSONValue });
  if (output.type !== 'content') return output;
  return { type: 'content', value: output.value.map(item => writeItem(item, word)) };
}

function writeItem(item: OutputContent & { readonly uri?: string }, word: FileWord): unknown {
  if (item.type !== 'file' || item.data.type !== 'data') return item;
  const { mediaType, data: content, uri } = item;
  // Providers reject them, after the tool has run.
  if (/^(?:audio|video)\//.test(mediaType) || isArchive(mediaType))
    return { type: 'text', text: `[${mediaType} content omitted: it cannot be shown to the model]` };
  if (word === 'media') return { type: word, data: content.data, mediaType };
  const filename = toFilename(uri);
  if (word === 'file')
    return { type: word, data: content, mediaType, ...(filename !== undefined && { filename }) };
  const isImage = mediaType.startsWith('image/');
  return isImage
    ? { type: 'image-data', data: content.data, mediaType }
    : { type: word, data: content.data, mediaType, ...(filename !== undefined && { filename }) };
}

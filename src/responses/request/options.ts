import * as z from 'zod/v4';
import { toWireNames } from '../../core/shared/names.js';
import { objectOf } from '../../core/shared/json.js';
import { once } from '../../core/shared/once.js';
import type { SchemasByName } from '../../core/shared/settings.js';
import { presentFields } from '../hosted-tools/hosted-tool.js';
import { sentAs, settingOptions } from './setting-options.js';

/*
 * The options of one call, one row each: name, comment, schema, and for most of them the request field. Type, validation,
 * request and reference follow from the row. The API adds values to its enumerations, so an unknown value is sent as it is,
 * and the server decides.
 */

/** Converts the names of an object, or of each object of a list, to those of the API. */
const toWireFields = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(toWireFields) : toWireNames(presentFields(objectOf(value) ?? {}));

type OptionsOf<Rows extends SchemasByName> = {
  [Name in keyof Rows]?: z.input<ReturnType<Rows[Name]>> | null;
};

/** A string with known values. Other values are accepted, too. */
type Open<Known extends string> = Known | (string & {});

const open = <Known extends string>(): z.ZodType<Open<Known>, Open<Known>> => z.string();

/** Number of alternatives that `logprobs: true` requests: the maximum of the API. */
export const MAX_TOP_LOGPROBS = 20;

const createTextFormat = () =>
  z.looseObject({
    type: open<'text' | 'json_schema' | 'json_object'>(),
    name: z.string().min(1).optional(),
    description: z.string().optional(),
    schema: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().optional(),
  });

export const textFormatSchema = once(() =>
  createTextFormat().refine(
    ({ type, name, schema }) => type !== 'json_schema' || (name !== undefined && schema !== undefined),
    'Expected `name` and `schema` with the type `json_schema`',
  ),
);

/** The format of a text response, as the API names its fields. */
export type TextFormatOption = z.input<ReturnType<typeof createTextFormat>>;

/** The options that are no settings. Not spread with them, because the comments of spread members are missing in declarations. */
const ownOptions = {
  /**
   * Limits the tools that the model can call, without changing `tools`, which servers cache: names of tools, and `mode`
   * `auto` or `required`. Overrides the tool choice, except `none`, and `required` if `mode` is not set. Namespaced and
   * deferred tools and tool search cannot be allowed. The tool loop runs no other tool, whatever the server does. In its later
   * rounds, `required` becomes `auto`.
   *
   * @throws UnsupportedFunctionalityError if none of the tools can be allowed.
   */
  allowedTools: () =>
    z.object({
      toolNames: z.array(z.string()).min(1),
      mode: open<'auto' | 'required'>().optional(),
    }),
  /** Access programs for special domains, for example `{ cyber: 'daybreak_blue' }`. */
  accessPrograms: sentAs('access_programs', () =>
    z.looseObject({ cyber: open<'standard' | 'daybreak_blue' | 'daybreak_red'>().optional() }),
  ),
  /**
   * Runs the response in the background of the server, which stores it. A broken connection is resumed, `generateText`
   * requests the state of the response until it is complete, and an abort cancels it. `pollInterval` is the delay before
   * the first request for the state, in milliseconds, 1000 by default; later ones wait longer. With `submit: true`, the call
   * ends as soon as the server has accepted the response, and `resume` reads it later. If the connection breaks before the
   * server has sent an id, the response may go on, and cannot be cancelled. A server that rejects the option fails the call;
   * one that ignores it answers at once, with a warning. A durable turn continues the response that it was reading.
   *
   * @throws InvalidArgumentError with `store: false`.
   */
  background: () =>
    z.union([
      z.boolean(),
      z.object({ pollInterval: z.number().positive().optional(), submit: z.boolean().optional() }),
    ]),
  /**
   * Settings of a response in the background: `completionWindow` is `soonest` (the default of the API), or `2h` or `8h` for
   * a discount, without streaming. `continuationId` prioritizes related responses. For calls with `background`.
   */
  backgroundOptions: sentAs(
    'background_options',
    () =>
      z.object({
        completionWindow: open<'soonest' | '2h' | '8h'>().optional(),
        continuationId: z.string().optional(),
      }),
    toWireFields,
  ),
  /** Compacts the conversation now, with an item at the end of the input. See `contextManagement` for a threshold. */
  compactionTrigger: () => z.boolean(),
  /**
   * Compacts the conversation on the server when it exceeds a number of tokens:
   * `[{ type: 'compaction', compactThreshold: 200_000 }]`.
   */
  contextManagement: sentAs(
    'context_management',
    () => z.array(z.object({ type: open<'compaction'>(), compactThreshold: z.number().nullish() })),
    toWireFields,
  ),
  /** Id of a stored conversation. Only new messages are sent. */
  conversation: sentAs('conversation', () => z.string()),
  /**
   * Treats the model as a reasoning model, or not: `developer` messages, reasoning settings and no sampling settings.
   * @default by the name of the model
   */
  forceReasoning: () => z.boolean(),
  /** Image settings of the request, for example `{ contextCompression: 'disabled' }`. */
  image: sentAs(
    'image',
    () => z.object({ contextCompression: open<'auto' | 'enabled' | 'disabled'>().optional() }),
    toWireFields,
  ),
  /** Additional data of the response, for example `file_search_call.results`. */
  include: () => z.array(z.string()),
  /**
   * Includes the sources of web searches, which some servers do not support. Set to false to omit them.
   * @default true
   */
  includeWebSearchSources: () => z.boolean(),
  /** Instructions, sent in addition to the system messages. */
  instructions: sentAs('instructions', () => z.string()),
  /** Log probabilities of the text: `true`, or the number of alternatives per token. */
  logprobs: () => z.union([z.boolean(), z.number().min(1).max(MAX_TOP_LOGPROBS)]),
  /** Maximum number of hosted tool calls in a response. */
  maxToolCalls: sentAs('max_tool_calls', () => z.number()),
  /** Key-value pairs that the server stores with the response. */
  metadata: sentAs('metadata', () => z.unknown()),
  /** Moderates the input and output, for example `{ model: 'omni-moderation-latest' }`. `policy` sets the mode of each. */
  moderation: sentAs('moderation', () =>
    z.looseObject({ model: z.string(), policy: z.record(z.string(), z.unknown()).nullish() }),
  ),
  /**
   * Lets the model start agents on the server: `{ enabled: true, maxConcurrentSubagents: 3 }`. A beta feature of the API,
   * which the header `OpenAI-Beta` enables.
   */
  multiAgent: sentAs(
    'multi_agent',
    () => z.object({ enabled: z.boolean(), maxConcurrentSubagents: z.number().optional() }),
    toWireFields,
  ),
  /** Allows the model to call several tools at once. */
  parallelToolCalls: sentAs('parallel_tool_calls', () => z.boolean()),
  /**
   * Sends audio and video files, too, for servers that accept them. All other files are always sent.
   * @default false
   */
  passThroughUnsupportedFiles: () => z.boolean(),
  /** Id of a stored response to continue. Only new messages are sent. */
  previousResponseId: sentAs('previous_response_id', () => z.string()),
  /** A prompt template that is stored on the server, with its variables. */
  prompt: sentAs('prompt', () =>
    z.object({
      id: z.string(),
      version: z.string().nullish(),
      variables: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
  /** Routes requests with the same prefix to the same cache. */
  promptCacheKey: sentAs('prompt_cache_key', () => z.string()),
  /**
   * Prompt cache of GPT-5.6 and later: breakpoints (`mode`), minimum lifetime (`ttl`), writing the prompt without
   * generating output (`prewarm`), and an earlier response to explain cache misses (`comparisonResponseId`).
   */
  promptCacheOptions: sentAs(
    'prompt_cache_options',
    () =>
      z.object({
        mode: open<'implicit' | 'explicit'>().optional(),
        ttl: open<'30m' | '12h'>().optional(),
        prewarm: z.boolean().optional(),
        comparisonResponseId: z.string().optional(),
      }),
    toWireFields,
  ),
  /** Lifetime of the prompt cache of models before GPT-5.6. */
  promptCacheRetention: () => open<'in_memory' | '24h'>(),
  /** Reasoning of earlier turns that the model receives. */
  reasoningContext: () => open<'auto' | 'current_turn' | 'all_turns'>(),
  /**
   * Reasoning effort. The accepted values depend on the model. A level that a known model does not accept is replaced by
   * the nearest one, with a warning; other models receive the value as it is.
   */
  reasoningEffort: () => open<'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'>(),
  /** Changes the reasoning effort without changing the cached prefix, for GPT-6 and later. */
  reasoningEffortUpdate: () => open<'none' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'>(),
  /** Amount of work that the model does before it responds. */
  reasoningMode: () => open<'standard' | 'pro'>(),
  /**
   * Requests a summary of the reasoning, for example `auto` or `detailed`. `null` requests none. A server that refuses
   * summaries is asked again without one.
   * @default 'detailed' if an effort other than `none` is sent to a known reasoning model
   */
  reasoningSummary: () => open<'auto' | 'concise' | 'detailed'>(),
  /**
   * Continues a response in the background that an earlier call created, with the same messages and tools: its id, which is
   * in `response.id` and in the metadata of parts. With `sequenceNumber`, from `providerMetadata.kelivo` of the last part that
   * was received, a stream contains only what follows. In a tool loop it applies to the first round, which is read completely.
   * The API returns any response of the key, so check that the id belongs to the user before you pass it on.
   * A response that is unknown, expired or cancelled rejects with an `APICallError` that names its id.
   */
  resume: () =>
    z.object({
      responseId: z
        .string()
        .regex(
          /^(?!\.+$)[\w.:=~-]{1,1000}$/,
          'Expected the id of a response, which has no slashes and no spaces',
        ),
      sequenceNumber: z.number().int().nonnegative().optional(),
    }),
  /** Stable, anonymous identifier of the end user. */
  safetyIdentifier: sentAs('safety_identifier', () => z.string()),
  /** Processing tier of the request. A tier that a known model does not have is omitted with a warning. */
  serviceTier: () => open<'auto' | 'default' | 'flex' | 'priority' | 'fast' | 'ultrafast' | 'scale'>(),
  /** Settings of streamed responses: `{ includeObfuscation: false }` saves bandwidth in trusted networks. */
  streamOptions: sentAs(
    'stream_options',
    () => z.object({ includeObfuscation: z.boolean().optional() }),
    toWireFields,
  ),
  /**
   * Enforces JSON schemas strictly: that of the response and, for `ai@5`, those of function tools. With any value, keywords
   * that the API rejects (`propertyNames`, lookaround in `pattern`) are removed, and alternatives at the top level become
   * optional properties; a warning names each loss. The schema of a response whose type is not `object` is sent as it is,
   * because some servers accept it.
   * @default true for responses whose schema satisfies the rules of strict mode, else false with a warning
   */
  strictJsonSchema: () => z.boolean(),
  /**
   * Format of the response in the request. Overrides the format of the call, by which the AI SDK parses the response:
   * `{ type: 'text' }`, `{ type: 'json_object' }` or `{ type: 'json_schema', name, schema, description?, strict? }`.
   */
  textFormat: textFormatSchema,
  /** Length of the text response. */
  textVerbosity: () => open<'low' | 'medium' | 'high'>(),
  /** Handling of a context window that is exceeded: `auto` drops old messages, `disabled` fails. */
  truncation: sentAs('truncation', () => open<'auto' | 'disabled'>()),
  /** Identifier of the end user. */
  user: sentAs('user', () => z.string()),
};

export const callOptions = { ...settingOptions, ...ownOptions };

/** Options of one call to a Responses model. `null` counts as absent, except for `reasoningSummary`. */
export type ResponsesProviderOptions = OptionsOf<typeof settingOptions> & OptionsOf<typeof ownOptions>;

/** Request fields that the options of a call determine, and the option to use instead. */
const RESERVED_FIELDS: Readonly<Record<string, string>> = {
  input: 'the messages of the call',
  stream: '`streamText` or `generateText`',
  store: 'the option `store`',
  previous_response_id: 'the option `previousResponseId`',
  conversation: 'the option `conversation`',
  // It would lift the restriction of `allowedTools`, and force calls in the last round of the tool loop.
  tool_choice: '`toolChoice` or the option `allowedTools`',
};

/** The option `body` of the namespace `kelivo`. */
export const bodySchema = () =>
  z.record(z.string(), z.unknown()).superRefine((body, context) => {
    for (const [field, instead] of Object.entries(RESERVED_FIELDS)) {
      if (!Object.hasOwn(body, field)) continue;
      context.addIssue({
        code: 'custom',
        path: [field],
        message: `Expected ${instead} instead of this field`,
      });
    }
  });

/** Options of a function tool, in its `providerOptions.openai` or `providerOptions.kelivo`. */
export const toolOptions = {
  /**
   * Who may call the tool: the model (`direct`), programs that it writes (`programmatic`), or both.
   * @default ['direct']
   */
  allowedCallers: sentAs('allowed_callers', () => z.array(open<'direct' | 'programmatic'>())),
  /** Lets the model continue without waiting for the result. GPT-6 and later. */
  async: () => z.boolean(),
  /** Hides the tool until tool search finds it. */
  deferLoading: sentAs('defer_loading', () => z.boolean()),
  /**
   * The namespace of the tool. All tools of a namespace have the same description. A tool with the name
   * `<namespace>.<name>` is `<name>` in its namespace.
   */
  namespace: () => z.object({ name: z.string().min(1), description: z.string() }),
  /** Does not send the tool. For tools that `additionalTools` adds within the conversation. */
  omitFromRequestTools: () => z.boolean(),
  /** JSON Schema of the output, which programs read. Text results are then sent as JSON strings. */
  outputSchema: () => z.record(z.string(), z.unknown()),
};

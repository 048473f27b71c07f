import * as z from 'zod/v4';
import type { SettingsOf } from '../../shared/settings.js';

/*
 * The options of one call, one entry each: type, comment and row of the reference. The API adds values to its enumerations,
 * so an unknown value is sent as it is, and the server decides.
 */

/** A string with known values. Other values are accepted, too. */
type Open<Known extends string> = Known | (string & {});

const open = <Known extends string>(): z.ZodType<Open<Known>, Open<Known>> => z.string();

/** Number of alternatives that `logprobs: true` requests: the maximum of the API. */
export const MAX_TOP_LOGPROBS = 20;

const textFormat = z.looseObject({
  type: open<'text' | 'json_schema' | 'json_object'>(),
  name: z.string().min(1).optional(),
  description: z.string().optional(),
  schema: z.record(z.string(), z.unknown()).optional(),
  strict: z.boolean().optional(),
});

/** The format of a text response, as the API names its fields. */
export type TextFormatOption = z.input<typeof textFormat>;

export const optionsShape = {
  /**
   * Limits the tools that the model can call, without changing `tools`, which servers cache: names of tools, and `mode`
   * `auto` or `required`. Overrides the tool choice, except `none`, and `required` if `mode` is not set. Namespaced and
   * deferred tools and tool search cannot be allowed. In later rounds of the tool loop, `required` becomes `auto`.
   *
   * @throws UnsupportedFunctionalityError if none of the tools can be allowed.
   */
  allowedTools: z
    .object({ toolNames: z.array(z.string()).min(1), mode: open<'auto' | 'required'>().optional() })
    .nullish(),
  /** Access programs for special domains, for example `{ cyber: 'daybreak_blue' }`. */
  accessPrograms: z
    .looseObject({ cyber: open<'standard' | 'daybreak_blue' | 'daybreak_red'>().optional() })
    .nullish(),
  /**
   * Runs the response in the background of the server, which stores it. A broken connection is resumed, `generateText`
   * requests the state of the response until it is complete, and an abort cancels it. `pollInterval` is the delay before
   * the first request for the state, in milliseconds, 1000 by default; later ones wait longer. With `submit: true`, the call
   * ends as soon as the server has accepted the response, and `resume` reads it later.
   *
   * @throws InvalidArgumentError with `store: false`.
   */
  background: z
    .union([
      z.boolean(),
      z.object({ pollInterval: z.number().positive().optional(), submit: z.boolean().optional() }),
    ])
    .nullish(),
  /** Compacts the conversation now, with an item at the end of the input. See `contextManagement` for a threshold. */
  compactionTrigger: z.boolean().nullish(),
  /**
   * Compacts the conversation on the server when it exceeds a number of tokens:
   * `[{ type: 'compaction', compactThreshold: 200_000 }]`.
   */
  contextManagement: z
    .array(z.object({ type: open<'compaction'>(), compactThreshold: z.number().nullish() }))
    .nullish(),
  /** Id of a stored conversation. Only new messages are sent. */
  conversation: z.string().nullish(),
  /**
   * Treats the model as a reasoning model, or not: `developer` messages, reasoning settings and no sampling settings.
   * @default by the name of the model
   */
  forceReasoning: z.boolean().nullish(),
  /** Image settings of the request, for example `{ contextCompression: 'disabled' }`. */
  image: z.object({ contextCompression: open<'auto' | 'enabled' | 'disabled'>().optional() }).nullish(),
  /** Additional data of the response, for example `file_search_call.results`. */
  include: z.array(z.string()).nullish(),
  /**
   * Includes the sources of web searches, which some servers do not support. Set to false to omit them.
   * @default true
   */
  includeWebSearchSources: z.boolean().nullish(),
  /** Instructions, sent in addition to the system messages. */
  instructions: z.string().nullish(),
  /** Log probabilities of the text: `true`, or the number of alternatives per token. */
  logprobs: z.union([z.boolean(), z.number().min(1).max(MAX_TOP_LOGPROBS)]).nullish(),
  /** Maximum number of hosted tool calls in a response. */
  maxToolCalls: z.number().nullish(),
  /** Key-value pairs that the server stores with the response. */
  metadata: z.unknown().nullish(),
  /** Moderates the input and output, for example `{ model: 'omni-moderation-latest' }`. `policy` sets the mode of each. */
  moderation: z
    .looseObject({ model: z.string(), policy: z.record(z.string(), z.unknown()).nullish() })
    .nullish(),
  /**
   * Lets the model start agents on the server: `{ enabled: true, maxConcurrentSubagents: 3 }`. A beta feature of the API,
   * which the header `OpenAI-Beta` enables.
   */
  multiAgent: z.object({ enabled: z.boolean(), maxConcurrentSubagents: z.number().optional() }).nullish(),
  /** Allows the model to call several tools at once. */
  parallelToolCalls: z.boolean().nullish(),
  /**
   * Sends audio and video files, too, for servers that accept them. All other files are always sent.
   * @default false
   */
  passThroughUnsupportedFiles: z.boolean().nullish(),
  /** Id of a stored response to continue. Only new messages are sent. */
  previousResponseId: z.string().nullish(),
  /** A prompt template that is stored on the server, with its variables. */
  prompt: z
    .object({
      id: z.string(),
      version: z.string().nullish(),
      variables: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
  /** Routes requests with the same prefix to the same cache. */
  promptCacheKey: z.string().nullish(),
  /**
   * Prompt cache of GPT-5.6 and later: breakpoints (`mode`), minimum lifetime (`ttl`), writing the prompt without
   * generating output (`prewarm`), and an earlier response to explain cache misses (`comparisonResponseId`).
   */
  promptCacheOptions: z
    .object({
      mode: open<'implicit' | 'explicit'>().optional(),
      ttl: open<'30m' | '12h'>().optional(),
      prewarm: z.boolean().optional(),
      comparisonResponseId: z.string().optional(),
    })
    .nullish(),
  /** Lifetime of the prompt cache of models before GPT-5.6. */
  promptCacheRetention: open<'in_memory' | '24h'>().nullish(),
  /** Reasoning of earlier turns that the model receives. */
  reasoningContext: open<'auto' | 'current_turn' | 'all_turns'>().nullish(),
  /**
   * Reasoning effort. The accepted values depend on the model. A level that a known model does not accept is replaced by
   * the nearest one, with a warning; other models receive the value as it is.
   */
  reasoningEffort: open<'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'>().nullish(),
  /** Changes the reasoning effort without changing the cached prefix, for GPT-6 and later. */
  reasoningEffortUpdate: open<'none' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'>().nullish(),
  /** Amount of work that the model does before it responds. */
  reasoningMode: open<'standard' | 'pro'>().nullish(),
  /**
   * Requests a summary of the reasoning, for example `auto` or `detailed`. `null` requests none.
   * @default 'detailed' if an effort other than `none` is sent to a known reasoning model
   */
  reasoningSummary: open<'auto' | 'concise' | 'detailed'>().nullish(),
  /**
   * Continues a response in the background that an earlier call created, with the same messages and tools: its id, which is
   * in `response.id` and in the metadata of parts. With `sequenceNumber`, from `providerMetadata.kelivo` of the last part that
   * was received, a stream contains only what follows. In a tool loop it applies to the first round, which is read completely.
   */
  resume: z
    .object({
      responseId: z.string().min(1),
      sequenceNumber: z.number().int().nonnegative().optional(),
    })
    .nullish(),
  /** Stable, anonymous identifier of the end user. */
  safetyIdentifier: z.string().nullish(),
  /** Processing tier of the request. A tier that a known model does not have is omitted with a warning. */
  serviceTier: open<'auto' | 'default' | 'flex' | 'priority' | 'fast' | 'ultrafast' | 'scale'>().nullish(),
  /**
   * Stores the response on the server. Otherwise each request contains the complete conversation with encrypted reasoning.
   * An option of the call overrides the setting.
   * @default false
   */
  store: z.boolean().nullish(),
  /** Settings of streamed responses: `{ includeObfuscation: false }` saves bandwidth in trusted networks. */
  streamOptions: z.object({ includeObfuscation: z.boolean().optional() }).nullish(),
  /**
   * Enforces JSON schemas strictly: that of the response and, for `ai@5`, those of function tools.
   * @default true for responses whose schema satisfies the rules of strict mode, else false with a warning
   */
  strictJsonSchema: z.boolean().nullish(),
  /**
   * The role of system messages: by model name (`auto`), always `system` or `developer`, or no system messages (`remove`).
   * An option of the call overrides the setting.
   * @default 'auto'
   */
  systemMessageMode: z.enum(['auto', 'system', 'developer', 'remove']).nullish(),
  /**
   * Format of the response in the request. Overrides the format of the call, by which the AI SDK parses the response:
   * `{ type: 'text' }`, `{ type: 'json_object' }` or `{ type: 'json_schema', name, schema, description?, strict? }`.
   */
  textFormat: textFormat.nullish(),
  /** Length of the text response. */
  textVerbosity: open<'low' | 'medium' | 'high'>().nullish(),
  /** Handling of a context window that is exceeded: `auto` drops old messages, `disabled` fails. */
  truncation: open<'auto' | 'disabled'>().nullish(),
  /** Identifier of the end user. */
  user: z.string().nullish(),
};

/** Options of one call to a Responses model. `null` counts as absent, except for `reasoningSummary`. */
export type ResponsesProviderOptions = SettingsOf<typeof optionsShape>;

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

/** Additional request fields of one call. */
export const bodySchema = z
  .record(z.string(), z.unknown())
  .superRefine((body, context) => {
    for (const [field, instead] of Object.entries(RESERVED_FIELDS)) {
      if (!Object.hasOwn(body, field)) continue;
      context.addIssue({
        code: 'custom',
        path: [field],
        message: `Expected ${instead} instead of this field`,
      });
    }
  })
  .nullish();

/** Options of a function tool, in its `providerOptions.openai` or `providerOptions.kelivo`. */
export const toolOptionsShape = {
  /**
   * Who may call the tool: the model (`direct`), programs that it writes (`programmatic`), or both.
   * @default ['direct']
   */
  allowedCallers: z.array(open<'direct' | 'programmatic'>()).nullish(),
  /** Lets the model continue without waiting for the result. GPT-6 and later. */
  async: z.boolean().nullish(),
  /** Hides the tool until tool search finds it. */
  deferLoading: z.boolean().nullish(),
  /**
   * The namespace of the tool. All tools of a namespace have the same description. A tool with the name
   * `<namespace>.<name>` is `<name>` in its namespace.
   */
  namespace: z.object({ name: z.string().min(1), description: z.string() }).nullish(),
  /** Does not send the tool. For tools that `additionalTools` adds within the conversation. */
  omitFromRequestTools: z.boolean().nullish(),
  /** JSON Schema of the output, which programs read. Text results are then sent as JSON strings. */
  outputSchema: z.record(z.string(), z.unknown()).nullish(),
};

const functionDefinition = z.looseObject({
  type: z.literal('function'),
  name: z.string().min(1),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  strict: z.boolean().optional(),
  defer_loading: z.boolean().optional(),
});

const customDefinition = z.looseObject({ type: z.literal('custom'), name: z.string().min(1) });

/** Tools that are added within a conversation, as the API names their fields. */
export const additionalToolsSchema = z.array(
  z.union([
    functionDefinition,
    customDefinition,
    z.looseObject({
      type: z.literal('namespace'),
      name: z.string().min(1),
      description: z.string(),
      tools: z.array(z.union([functionDefinition, customDefinition])).min(1),
    }),
  ]),
);

/** The schema of `textFormat` and `textFormatUpdate`. */
export const textFormatSchema = textFormat.refine(
  ({ type, name, schema }) => type !== 'json_schema' || (name !== undefined && schema !== undefined),
  'Expected `name` and `schema` with the type `json_schema`',
);

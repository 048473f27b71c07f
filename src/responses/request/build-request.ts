import {
  InvalidArgumentError,
  type LanguageModelV2CallOptions,
  type LanguageModelV2CallWarning,
  type LanguageModelV2Prompt,
} from '@ai-sdk/provider';
import { roundResponseOf } from '../../parts/call-marks.js';
import { numberOf, type PlainObject } from '../../shared/json.js';
import { presentFields } from '../hosted-tools/hosted-tool.js';
import { toWireNames } from '../../shared/field-names.js';
import { pairToolCalls } from '../../tool-calls/call-pairing.js';
import { isHostedToolPart } from '../../tool-calls/hosted-tools.js';
import { serverToolOfCall } from '../hosted-tools/index.js';
import type { ResponsesRequestBody } from '../wire.js';
import type { ReceivedItems } from './received-items.js';
import { toReplays, toServerTools } from './hosted-calls.js';
import { type ConvertedMessages, toInput, toNewMessages } from './input.js';
import { toUpdateIssue, type UpdatesContext, withEffortUpdate } from './conversation-updates.js';
import { toFinalEffort, toModelSettings, toSampling } from './model-settings.js';
import { toModelTraits } from './model-traits.js';
import { toOutputSettings } from './output-settings.js';
import {
  type OfficialNamespace,
  readPartOptions,
  readProviderOptions,
  type ResponsesCallOptions,
  warnAboutUnknownOptions,
} from './provider-options.js';
import { createSchemaLosses } from './schemas.js';
import { createToolNames, type NamedTool, type ToolNames } from './tool-names.js';
import { namedToolsOf, toolsWithOutputSchema, toTools } from './tools.js';

export interface BuildRequestContext {
  readonly modelId: string;
  /** Stores responses on the server, unless the call sets `store`. */
  readonly store: boolean;
  /** Role of system messages. `auto` derives it from the name of the model. */
  readonly systemMessageMode: 'auto' | 'system' | 'developer' | 'remove';
  /** Omits the ids of calls and messages, or keeps them and adds empty items for missing reasoning. */
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  readonly stream: boolean;
  /** The namespace of the official provider's options. @default 'openai' */
  readonly official?: OfficialNamespace;
  /** Converted messages of earlier requests of the same turn. */
  readonly known?: ConvertedMessages;
  /** Items that the server sent in the same turn. */
  readonly received?: ReceivedItems;
  /** Name of the provider, under which the ids of uploaded files are known. @default none */
  readonly providerName?: string;
}

export interface BuiltRequest {
  readonly body: ResponsesRequestBody;
  readonly warnings: LanguageModelV2CallWarning[];
  /** Fields that the call adds to the final request, in the place of those of the same name. */
  readonly extraFields: Readonly<Record<string, unknown>>;
  /** Beta features of the API that the request uses. */
  readonly betas: readonly string[];
  /** Translates tool names between the host and the request. */
  readonly toolNames: ToolNames;
  /** Options of a response in the background. */
  readonly background: BackgroundCall;
}

/** A call in background mode. */
export interface BackgroundCall {
  readonly pollInterval?: number | undefined;
  /** Ends the call when the server has accepted the response. */
  readonly submit: boolean;
  /** The response to read instead of sending the request. */
  readonly resume: ResponsesCallOptions['resume'];
}

/**
 * Converts the options of a call to the body of `POST …/responses`. Pure: uses no clock and no network.
 *
 * @throws InvalidArgumentError for an invalid provider option.
 * @throws UnsupportedFunctionalityError for content that the API does not accept, such as audio, and for tools, choices
 * and changes of the configuration that it cannot express.
 */
export function buildRequest(
  options: LanguageModelV2CallOptions,
  context: BuildRequestContext,
): BuiltRequest {
  const { modelId, store: storeByDefault, missingReasoning, stream, official = 'openai' } = context;
  const warnings: LanguageModelV2CallWarning[] = [];
  const warn = (warning: LanguageModelV2CallWarning): void => {
    warnings.push(warning);
  };
  const callOptions = readProviderOptions(options.providerOptions, official);
  warnAboutUnknownOptions(options.providerOptions, warn, official);
  const traits = toModelTraits(modelId, callOptions.forceReasoning);
  const store = callOptions.store ?? storeByDefault;
  const background = toBackgroundCall(callOptions, options);
  const { conversation, previousResponseId, systemMessageMode = context.systemMessageMode } = callOptions;
  warnAboutSettings(options, { callOptions, warn });

  const isContinued = conversation !== undefined || previousResponseId !== undefined;
  const serverTools = toServerTools(options.tools);
  const prompt = pairToolCalls(options.prompt, {
    keepOrphans: isContinued,
    isHostedTool: part => isHostedToolPart(part) || serverTools.has(part.toolName),
  });
  const losses = createSchemaLosses();
  const toolNames = createToolNames([...namedToolsOf(options.tools, { official }), ...calledToolsIn(prompt)]);
  const tools = toTools(options, {
    toolNames,
    traits,
    strict: callOptions.strictJsonSchema ?? false,
    allowedTools: toAllowedToolsOfRound(callOptions.allowedTools, options),
    official,
    losses,
    warn,
  });
  const updates: UpdatesContext = {
    toolNames,
    losses,
    issue: toUpdateIssue(traits, callOptions),
    efforts: traits.reasoningEfforts,
  };
  const autoMode = traits.isReasoningModel ? 'developer' : 'system';
  const items = toInput(toNewMessages(prompt, callOptions), {
    store,
    systemMessageMode: systemMessageMode === 'auto' ? autoMode : systemMessageMode,
    missingReasoning,
    toolNames,
    replays: toReplays(options.tools),
    updates,
    toolsWithOutputSchema: toolsWithOutputSchema(options.tools, { official }),
    passThroughFiles: callOptions.passThroughUnsupportedFiles ?? false,
    serverToolOf: part => serverTools.get(part.toolName) ?? serverToolOfCall(part),
    conversation: prompt,
    fileProviders: [...new Set([context.providerName ?? 'kelivo', 'kelivo', 'openai', 'azure'])],
    warn,
    known: context.known,
    received: context.received,
  });
  const input = withEffortUpdate(items, {
    effort: callOptions.reasoningEffortUpdate,
    context: updates,
    warn,
  });
  const modelSettings = toModelSettings(options, { traits, callOptions, warn });
  const effort = toFinalEffort(input, modelSettings.reasoning);
  const outputSettings = toOutputSettings(options, {
    callOptions,
    store,
    traits,
    effort,
    losses,
    warn,
    tools: tools.tools ?? [],
  });

  const body = toBody([
    {
      model: modelId,
      // A response whose stream is read later has to be created with one.
      stream: stream || background.submit ? true : undefined,
      // The history is sent as without background mode, because the server may not have stored its items.
      store: store || isBackground(callOptions),
      background: isBackground(callOptions) ? true : undefined,
      // The API requires the trigger at the end.
      input: callOptions.compactionTrigger === true ? [...input, { type: 'compaction_trigger' }] : input,
      max_output_tokens: options.maxOutputTokens,
    },
    toSampling(options, { traits, effort, warn }),
    modelSettings,
    outputSettings,
    tools,
    toDirectFields(callOptions),
    // The API rejects the field without a stream.
    stream ? { stream_options: toWireFields(callOptions.streamOptions) } : {},
  ]);
  losses.report(warn);
  return {
    body,
    warnings,
    extraFields: callOptions.body ?? {},
    betas: callOptions.multiAgent === undefined ? [] : [MULTI_AGENT_BETA],
    toolNames,
    background,
  };
}

type BodyFields = { readonly [NAME in keyof ResponsesRequestBody]?: ResponsesRequestBody[NAME] | undefined };

/** Merges the fields that are defined. A spread of all fields would take longer than the rest of a short request. */
function toBody(groups: readonly BodyFields[]): ResponsesRequestBody {
  const body: Record<string, unknown> = {};
  for (const group of groups) {
    for (const [name, value] of Object.entries(group)) if (value !== undefined) body[name] = value;
  }
  return body as object as ResponsesRequestBody;
}

/** Returns true for a call in background mode. */
const isBackground = ({ background = false }: ResponsesCallOptions): boolean => background !== false;

/** In a tool loop, the options concern the first round, and those of the loop each round. */
function toBackgroundCall(
  callOptions: ResponsesCallOptions,
  { providerOptions }: LanguageModelV2CallOptions,
): BackgroundCall {
  const { background, resume, store } = callOptions;
  if (isBackground(callOptions) && store === false) {
    throw new InvalidArgumentError({
      argument: 'providerOptions.kelivo.background',
      message:
        'Expected `store` not to be false with `background`, because the server stores responses in the background. ' +
        'Remove one of the two options.',
    });
  }
  const { pollInterval, submit = false } = typeof background === 'object' ? background : {};
  const round = numberOf(providerOptions?.kelivo?.round);
  const mark = roundResponseOf(providerOptions);
  return {
    pollInterval,
    submit: mark === 'submit' || submit,
    resume:
      typeof mark === 'object'
        ? mark
        : round === undefined
          ? resume
          : round === 1 && resume !== undefined
            ? { responseId: resume.responseId }
            : undefined,
  };
}

/** The version of the beta feature: `openai` 7, `resources/beta/responses`. */
const MULTI_AGENT_BETA = 'responses_multi_agent=v1';

/** Returns the fields that are options under other names. */
const toDirectFields = (options: ResponsesCallOptions): Partial<ResponsesRequestBody> => ({
  instructions: options.instructions,
  conversation: options.conversation,
  previous_response_id: options.previousResponseId,
  max_tool_calls: options.maxToolCalls,
  parallel_tool_calls: options.parallelToolCalls,
  metadata: options.metadata,
  user: options.user,
  safety_identifier: options.safetyIdentifier,
  prompt_cache_key: options.promptCacheKey,
  prompt_cache_options: toWireFields(options.promptCacheOptions),
  truncation: options.truncation,
  context_management: options.contextManagement?.map(entry => toWireFields(entry) ?? {}),
  prompt: options.prompt,
  moderation: options.moderation,
  image: toWireFields(options.image),
  access_programs: options.accessPrograms,
  multi_agent: toWireFields(options.multiAgent),
});

/** Returns the fields with the names of the API, without those that are null. */
const toWireFields = (fields: PlainObject | undefined): PlainObject | undefined =>
  fields && toWireNames(presentFields(fields));

/** A restriction that forces a call would force one in every round of the tool loop, endlessly. */
function toAllowedToolsOfRound(
  allowedTools: ResponsesCallOptions['allowedTools'],
  { providerOptions }: LanguageModelV2CallOptions,
): ResponsesCallOptions['allowedTools'] {
  const round = providerOptions?.kelivo?.round;
  const isFollowUp = typeof round === 'number' && round > 1;
  return allowedTools && isFollowUp ? { ...allowedTools, mode: 'auto' } : allowedTools;
}

type Warn = (warning: LanguageModelV2CallWarning) => void;

/** Settings of the AI SDK that the API does not support. */
const unsupportedSettings = ['topK', 'seed', 'presencePenalty', 'frequencyPenalty', 'stopSequences'] as const;

function warnAboutSettings(
  options: LanguageModelV2CallOptions,
  { callOptions, warn }: { callOptions: ResponsesCallOptions; warn: Warn },
): void {
  for (const setting of unsupportedSettings) {
    if (options[setting] != null) warn({ type: 'unsupported-setting', setting });
  }
  if (callOptions.conversation !== undefined && callOptions.previousResponseId !== undefined) {
    warn({
      type: 'unsupported-setting',
      setting: 'conversation',
      details: 'conversation and previousResponseId cannot be used together',
    });
  }
}

/** Returns the tools of the calls in a history, which need not be declared any more. */
function* calledToolsIn(prompt: LanguageModelV2Prompt): Generator<NamedTool> {
  const plainNames = new Set<string>();
  for (const message of prompt) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) {
      if (part.type !== 'tool-call') continue;
      const { toolName: name, providerOptions } = part;
      const { namespace } = readPartOptions(providerOptions);
      if (namespace === undefined && plainNames.has(name)) continue;
      if (namespace === undefined) plainNames.add(name);
      yield { name, namespace };
    }
  }
}

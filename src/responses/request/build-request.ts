import {
  type LanguageModelV2CallOptions,
  type LanguageModelV2CallWarning,
  type LanguageModelV2Prompt,
} from '@ai-sdk/provider';
import { pairToolCalls } from '../../tool-calls/call-pairing.js';
import { declarationOf, isHostedToolPart } from '../hosted-tools/index.js';
import { type ResponsesRequestBody, withoutUndefined } from '../wire.js';
import { toReplays } from './hosted-calls.js';
import { type ConvertedMessages, toInput, toNewMessages } from './input.js';
import { toModelSettings, toModelTraits } from './model-settings.js';
import { toOutputSettings } from './output-settings.js';
import {
  readProviderOptions,
  type ResponsesCallOptions,
  warnAboutUnknownOptions,
} from './provider-options.js';
import { toEffortUpdateIssue, withEffortUpdate } from './reasoning.js';
import { createToolNames, type ToolNames } from './tool-names.js';
import { toTools } from './tools.js';

export interface BuildRequestContext {
  readonly modelId: string;
  /** Stores responses on the server, unless the call sets `store`. */
  readonly store: boolean;
  /** Role of system messages. `auto` derives it from the name of the model. */
  readonly systemMessageMode: 'auto' | 'system' | 'developer' | 'remove';
  /** Omits the ids of calls and messages, or keeps them and adds empty items for missing reasoning. */
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  readonly stream: boolean;
  /** Converted messages of earlier requests of the same turn. */
  readonly known?: ConvertedMessages;
}

export interface BuiltRequest {
  readonly body: ResponsesRequestBody;
  readonly warnings: LanguageModelV2CallWarning[];
  /** Translates tool names between the host and the request. */
  readonly toolNames: ToolNames;
}

/**
 * Converts the options of a call to the body of `POST …/responses`. Pure: uses no clock and no network.
 *
 * @throws InvalidArgumentError for an invalid provider option.
 * @throws UnsupportedFunctionalityError for content that the API does not accept, such as audio.
 */
export function buildRequest(
  options: LanguageModelV2CallOptions,
  { modelId, store: storeByDefault, systemMessageMode, missingReasoning, stream, known }: BuildRequestContext,
): BuiltRequest {
  const warnings: LanguageModelV2CallWarning[] = [];
  const warn = (warning: LanguageModelV2CallWarning): void => {
    warnings.push(warning);
  };
  const callOptions = readProviderOptions(options.providerOptions);
  warnAboutUnknownOptions(options.providerOptions, warn);
  const traits = toModelTraits(modelId);
  const store = callOptions.store ?? storeByDefault;
  const { conversation, previousResponseId } = callOptions;
  warnAboutSettings(options, { callOptions, warn });

  const prompt = pairToolCalls(options.prompt, {
    keepOrphans: conversation !== undefined || previousResponseId !== undefined,
    isHostedTool: isHostedToolPart,
  });
  const toolNames = createToolNames(toolNamesIn(options, prompt), givenNamesIn(options));
  const tools = toTools(options, { toolNames, traits, strict: callOptions.strictJsonSchema ?? false, warn });
  const modelSettings = toModelSettings(options, { modelId, traits, callOptions, warn });
  const outputSettings = toOutputSettings(options, {
    callOptions,
    store,
    traits,
    warn,
    tools: tools.tools ?? [],
  });
  const effortUpdateIssue = toEffortUpdateIssue(traits, callOptions);
  const autoMode = traits.isReasoningModel ? 'developer' : 'system';
  const items = toInput(toNewMessages(prompt, callOptions), {
    store,
    systemMessageMode: systemMessageMode === 'auto' ? autoMode : systemMessageMode,
    missingReasoning,
    toolNames,
    replays: toReplays(options.tools),
    effortUpdateIssue,
    warn,
    known,
  });

  const body: ResponsesRequestBody = {
    model: modelId,
    ...(stream && { stream }),
    store,
    input: withEffortUpdate(items, {
      effort: callOptions.reasoningEffortUpdate,
      issue: effortUpdateIssue,
      warn,
    }),
    max_output_tokens: options.maxOutputTokens,
    ...modelSettings,
    ...outputSettings,
    ...tools,
    instructions: callOptions.instructions,
    conversation,
    previous_response_id: previousResponseId,
    max_tool_calls: callOptions.maxToolCalls,
    parallel_tool_calls: callOptions.parallelToolCalls,
    metadata: callOptions.metadata,
    user: callOptions.user,
    safety_identifier: callOptions.safetyIdentifier,
    prompt_cache_key: callOptions.promptCacheKey,
    prompt_cache_options: callOptions.promptCacheOptions,
    truncation: callOptions.truncation,
  };
  return { body: withoutUndefined(body), warnings, toolNames };
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

function* toolNamesIn(
  { tools = [] }: LanguageModelV2CallOptions,
  prompt: LanguageModelV2Prompt,
): Generator<string> {
  for (const tool of tools) {
    if (tool.type === 'function' || declarationOf(tool.id)?.isNamedByHost) yield tool.name;
  }
  for (const message of prompt) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call') yield part.toolName;
  }
}

/** Returns the names that tools have for the model, if they differ from those under which they are declared. */
function* givenNamesIn({ tools = [] }: LanguageModelV2CallOptions): Generator<readonly [string, string]> {
  for (const tool of tools) {
    if (tool.type === 'function' || !declarationOf(tool.id)?.isNamedByHost) continue;
    const { name } = tool.args ?? {};
    if (typeof name === 'string' && name !== '') yield [tool.name, name];
  }
}

import {
  type LanguageModelV2CallOptions,
  type LanguageModelV2CallWarning,
  type LanguageModelV2Prompt,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { pairToolCalls } from '../../tool-calls/call-pairing.js';
import type { ConvertedMessages } from './converted-messages.js';
import { toHostedCallForms } from './hosted-calls/to-hosted-call-forms.js';
import { type ModelTraits, toModelTraits } from './model-traits.js';
import { type ResponsesCallOptions, readProviderOptions } from './provider-options.js';
import type { InputItem, ResponsesRequestBody } from '../wire.js';
import { toInput } from './to-input.js';
import { toModelSettings } from './to-model-settings.js';
import { toNewMessages } from './to-new-messages.js';
import { toOutputSettings } from './to-output-settings.js';
import { toTools } from './to-tools.js';
import { createToolNames, type ToolNames } from './tool-names.js';

export interface BuildRequestContext {
  readonly modelId: string;
  /** Whether the server keeps the answer, unless the call says otherwise. */
  readonly store: boolean;
  /** The role that system messages get. `auto` goes by the model's name. */
  readonly systemMessageMode: 'auto' | 'system' | 'developer' | 'remove';
  /** Whether ids of calls and messages are left out, or kept and missing reasoning made up for them. */
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  readonly stream: boolean;
  /** What the messages of earlier requests of the same turn have become. */
  readonly known?: ConvertedMessages;
}

export interface BuiltRequest {
  readonly body: ResponsesRequestBody;
  readonly warnings: LanguageModelV2CallWarning[];
  /** Gives the tools that are called back their own names. */
  readonly toolNames: ToolNames;
}

/**
 * Turns the options of a call into the body of `POST …/responses`. Pure: no clock, no network.
 *
 * @throws InvalidArgumentError when a provider option has a wrong value.
 * @throws UnsupportedFunctionalityError when the prompt has what the API cannot take, such as audio.
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
  const traits = toModelTraits(modelId);
  const store = callOptions.store ?? storeByDefault;
  const { conversation, previousResponseId } = callOptions;
  warnAboutSettings(options, { callOptions, warn });

  const prompt = pairToolCalls(options.prompt, {
    keepOrphans: conversation !== undefined || previousResponseId !== undefined,
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
  const effortUpdateRefusal = toEffortUpdateRefusal(traits, callOptions);
  const autoMode = traits.isReasoningModel ? 'developer' : 'system';
  const items = toInput(toNewMessages(prompt, callOptions), {
    store,
    systemMessageMode: systemMessageMode === 'auto' ? autoMode : systemMessageMode,
    missingReasoning,
    toolNames,
    hostedForms: toHostedCallForms(options.tools),
    effortUpdateRefusal,
    warn,
    known,
  });

  const body: ResponsesRequestBody = {
    model: modelId,
    ...(stream && { stream }),
    store,
    input: withEffortUpdate(items, { effort: callOptions.reasoningEffortUpdate, effortUpdateRefusal, warn }),
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

/** Settings of the AI SDK that the API has no field for. */
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
  for (const tool of tools) if (tool.type === 'function' || tool.id === CUSTOM_TOOL) yield tool.name;
  for (const message of prompt) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call') yield part.toolName;
  }
}

const CUSTOM_TOOL = 'openai.custom';

/** The AI SDK from 6 on let a custom tool have another name for the model than the one it is declared under. */
function* givenNamesIn({ tools = [] }: LanguageModelV2CallOptions): Generator<readonly [string, string]> {
  for (const tool of tools) {
    if (tool.type === 'function' || tool.id !== CUSTOM_TOOL) continue;
    const { name } = tool.args ?? {};
    if (typeof name === 'string' && name !== '') yield [tool.name, name];
  }
}

/** Why a call cannot change the reasoning effort in mid-conversation; `undefined` when it can. */
function toEffortUpdateRefusal(
  { isGpt6OrLater }: ModelTraits,
  { reasoningMode, truncation }: ResponsesCallOptions,
): string | undefined {
  if (!isGpt6OrLater) return 'reasoningEffortUpdate is only supported by GPT-6 and later models';
  return reasoningMode === 'pro' || truncation === 'auto'
    ? 'reasoningEffortUpdate requires standard reasoning mode without automatic truncation'
    : undefined;
}

/** Puts the call's own change of effort first, unless the history begins with the same. */
function withEffortUpdate(
  items: InputItem[],
  {
    effort,
    effortUpdateRefusal,
    warn,
  }: { effort: string | undefined; effortUpdateRefusal: string | undefined; warn: Warn },
): InputItem[] {
  if (effort !== undefined && effortUpdateRefusal !== undefined) {
    warn({ type: 'unsupported-setting', setting: 'reasoningEffortUpdate', details: effortUpdateRefusal });
  }
  const [first] = items;
  const isThere = first?.type === 'configuration_update' && first.reasoning.effort === effort;
  const isAdded = effort !== undefined && effortUpdateRefusal === undefined && !isThere;
  const updated: InputItem[] = isAdded
    ? [{ type: 'configuration_update', reasoning: { effort } }, ...items]
    : items;
  const isAdjacent = updated.some(
    (item, index) =>
      item.type === 'configuration_update' && updated[index + 1]?.type === 'configuration_update',
  );
  if (isAdjacent) {
    throw new UnsupportedFunctionalityError({
      functionality: 'Adjacent reasoning effort configuration updates',
    });
  }
  return updated;
}

function withoutUndefined<VALUE extends object>(value: VALUE): VALUE {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as VALUE;
}

import { InvalidArgumentError } from '@ai-sdk/provider';
import type { CoreCall } from '../../core/call.js';
import { callsOf, type Message, type Prompt } from '../../core/prompt.js';
import type { Warning } from '../../core/part.js';
import type { PlainObject } from '../../core/shared/json.js';
import { pairToolCalls } from '../../core/tool-calls/call-pairing.js';
import { isHostedToolPart } from '../../core/tool-calls/hosted-tools.js';
import { replayOf, serverToolOf, serverToolOfCall } from '../hosted-tools/index.js';
import {
  createItemRelations,
  isConfigurationUpdate,
  type ItemRelations,
  type ResponsesRequestBody,
} from '../wire.js';
import { isRequestId, withAnsweredApprovals } from './approvals.js';
import { type UpdatesContext, withEffortUpdate } from './conversation-updates.js';
import { toInput, toNewMessages } from './input.js';
import { toFinalEffort, toModelSettings, toOutputSettings, toSampling } from './model-settings.js';
import {
  type OfficialNamespace,
  readPartOptions,
  readProviderOptions,
  type ResponsesCallOptions,
  warnAboutUnknownOptions,
} from './read-options.js';
import { callOptions as optionRows } from './options.js';
import { type SettingOptions, toRequestFields } from './setting-options.js';
import { createSchemaLosses } from './schemas.js';
import { createToolNames, type NamedTool, type ToolNames } from './tool-names.js';
import { type EncodedTool, namedToolsOf, readTools, toTools } from './tools.js';
import type { TurnMemory } from './turn-memory.js';
import { joinWrappedOutputs } from './wrapped-calls.js';
import { toModelTraits } from './model-traits.js';

export type RequestCall = Omit<CoreCall, 'abortSignal' | 'headers' | 'host' | 'telemetry' | 'roundTelemetry'>;

export interface BuildRequestContext extends SettingOptions {
  readonly modelId: string;
  /** Omits the ids of calls and messages, or keeps them and adds empty items for missing reasoning. */
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  /** The namespace of the official provider's options. @default 'openai' */
  readonly official?: OfficialNamespace;
  /** What earlier requests of the same turn have left. @default nothing */
  readonly memory?: TurnMemory;
  /** Tools of extensions, by the name under which they are declared. @default none */
  readonly encodedTools?: ReadonlyMap<string, EncodedTool>;
  /** True for a server of Open Responses, whose specification has penalties. @default false */
  readonly sendsPenalties?: boolean;
  /** Name of the provider, under which the ids of uploaded files are known. @default none */
  readonly providerName?: string;
}

export interface BuiltRequest {
  readonly body: ResponsesRequestBody;
  readonly warnings: Warning[];
  /** Fields that the call adds to the final request, in the place of those of the same name. */
  readonly extraFields: Readonly<Record<string, unknown>>;
  /** Beta features of the API that the request uses. */
  readonly betas: readonly string[];
  /** Translates tool names between the host and the request. */
  readonly toolNames: ToolNames;
  /** Options of a response in the background. */
  readonly background: BackgroundCall;
  readonly relations: ItemRelations;
}

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
export function buildRequest(call: RequestCall, context: BuildRequestContext): BuiltRequest {
  const { modelId, missingReasoning, official = 'openai' } = context;
  const warnings: Warning[] = [];
  const warn = (warning: Warning): void => {
    warnings.push(warning);
  };
  const callOptions = readProviderOptions(call, context);
  warnAboutUnknownOptions(call, warn, official);
  const traits = toModelTraits(modelId, callOptions.forceReasoning);
  const background = toBackgroundCall(callOptions, call);
  const { conversation, previousResponseId, systemMessageMode = 'auto' } = callOptions;
  // A server that has not stored a response of this conversation, although it was asked to, knows none of its items.
  const store = callOptions.store === true && !call.prompt.some(isUnstored);
  warnAboutSettings(call, { callOptions, context, warn });

  const isContinued = conversation !== undefined || previousResponseId !== undefined;
  const known = isContinued ? 'messages' : store ? 'items' : 'nothing';
  const answered = call.prompt.some(mayHaveApprovals)
    ? withAnsweredApprovals(call.prompt, { known, warn })
    : call.prompt;
  const serverTools = hostedToolsOf(call, serverToolOf);
  const prompt = pairToolCalls(answered, {
    keepOrphans: isContinued,
    isHostedTool: part =>
      isHostedToolPart(part) ||
      serverTools.has(part.toolName) ||
      context.encodedTools?.has(part.toolName) === true,
  });
  const losses = createSchemaLosses();
  const relations = createItemRelations();
  const declared = readTools(call.tools, { official, warn });
  const toolNames = createToolNames([...namedToolsOf(declared), ...calledToolsIn(prompt)]);
  const tools = toTools(declared, call.toolChoice, {
    toolNames,
    traits,
    strict: callOptions.strictJsonSchema ?? false,
    allowedTools: toAllowedToolsOfRound(callOptions.allowedTools, call),
    losses,
    encodedTools: context.encodedTools,
    warn,
  });
  const updates: UpdatesContext = { toolNames, losses, traits, callOptions };
  const autoMode = traits.isReasoningModel ? 'developer' : 'system';
  const converted = toInput(toNewMessages(prompt, callOptions), {
    store,
    systemMessageMode: systemMessageMode === 'auto' ? autoMode : systemMessageMode,
    missingReasoning,
    toolNames,
    replays: hostedToolsOf(call, replayOf),
    updates,
    toolsWithOutputSchema: new Set(
      declared.flatMap(readTool =>
        readTool.options?.outputSchema === undefined ? [] : [readTool.tool.name],
      ),
    ),
    passThroughFiles: callOptions.passThroughUnsupportedFiles ?? false,
    serverToolOf: part => serverTools.get(part.toolName) ?? serverToolOfCall(part),
    conversation: prompt,
    fileProviders: [...new Set([context.providerName ?? 'kelivo', 'kelivo', 'openai', 'azure'])],
    warn,
    memory: context.memory,
    relations,
  });
  const items = isContinued ? joinWrappedOutputs(converted, prompt) : converted;
  const hasUpdates = callOptions.reasoningEffortUpdate !== undefined || items.some(isConfigurationUpdate);
  const input = hasUpdates ? withEffortUpdate(items, updates, warn) : items;
  const modelSettings = toModelSettings(call, { traits, callOptions, warn });
  const effort = (hasUpdates ? toFinalEffort(input) : undefined) ?? modelSettings.reasoning?.effort;
  const outputSettings = toOutputSettings(call, {
    callOptions,
    store,
    traits,
    effort,
    losses,
    warn,
    tools: tools.tools ?? [],
  });

  const isCompaction = callOptions.compactionTrigger === true || call.turn?.isCompaction === true;
  const body = toBody([
    {
      model: modelId,
      // A response whose stream is read later has to be created with one.
      stream: call.isStream || background.submit ? true : undefined,
      // The history is sent as without background mode, because the server may not have stored its items.
      store: callOptions.store === true || isBackground(callOptions),
      background: isBackground(callOptions) ? true : undefined,
      max_output_tokens: call.maxOutputTokens,
      ...(context.sendsPenalties === true && {
        presence_penalty: call.presencePenalty,
        frequency_penalty: call.frequencyPenalty,
      }),
    },
    toSampling(call, { traits, effort, warn }),
    modelSettings,
    outputSettings,
    tools,
    // The API rejects `stream_options` without a stream.
    toRequestFields(optionRows, call.isStream ? callOptions : { ...callOptions, streamOptions: undefined }),
    // Last, as in the requests of a turn. The API requires the trigger at the end.
    { input: isCompaction ? [...input, { type: 'compaction_trigger' }] : input },
  ]);
  losses.report(warn);
  return {
    body,
    warnings,
    extraFields: callOptions.body ?? {},
    betas: callOptions.multiAgent === undefined ? [] : [MULTI_AGENT_BETA],
    toolNames,
    background,
    relations,
  };
}

const isUnstored = ({ role, content }: Message): boolean =>
  role === 'assistant' && content.some(part => part.own?.unstored === true);

const PLAIN_PARTS: ReadonlySet<string> = new Set(['text', 'reasoning', 'file', 'custom']);

/** Returns true for a message that may contain approvals of hosted MCP servers, or parts that the API does not accept. */
const mayHaveApprovals = (message: Message): boolean =>
  (message.role === 'assistant' || message.role === 'tool') &&
  message.content.some(part =>
    part.type === 'tool-call' || part.type === 'tool-result'
      ? isRequestId(part.toolCallId) ||
        (part.type === 'tool-call' && part.own?.approvalFor !== undefined) ||
        (part.type === 'tool-result' && part.output.type === 'execution-denied')
      : !PLAIN_PARTS.has(part.type),
  );

/** Returns the rules of the declared hosted tools, by the names under which they are declared. */
function hostedToolsOf<Rules>(
  call: Pick<CoreCall, 'tools'>,
  rulesOf: (id: string) => Rules | undefined,
): ReadonlyMap<string, Rules> {
  const byName = new Map<string, Rules>();
  for (const tool of call.tools ?? []) {
    const rules = tool.type === 'provider' ? rulesOf(tool.id) : undefined;
    if (rules !== undefined) byName.set(tool.name, rules);
  }
  return byName;
}

/** Merges the fields that are defined. A spread of all fields would take longer than the rest of a short request. */
function toBody(groups: readonly object[]): ResponsesRequestBody {
  const body: Record<string, unknown> = {};
  for (const group of groups) {
    for (const name of Object.keys(group)) {
      const value = (group as PlainObject)[name];
      if (value !== undefined) body[name] = value;
    }
  }
  return body as object as ResponsesRequestBody;
}

const isBackground = (options: ResponsesCallOptions): boolean => (options.background ?? false) !== false;

/** In a tool loop, the options concern the first round, and those of the loop each round. */
function toBackgroundCall(
  callOptions: ResponsesCallOptions,
  { turn }: Pick<CoreCall, 'turn'>,
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
  const isSubmitted = turn?.response === 'submit' || submit;
  if (typeof turn?.response === 'object') return { pollInterval, submit: isSubmitted, resume: turn.response };
  if (turn === undefined) return { pollInterval, submit: isSubmitted, resume };
  const isResumed = turn.round === 1 && resume !== undefined;
  return {
    pollInterval,
    submit: isSubmitted,
    resume: isResumed ? { responseId: resume.responseId } : undefined,
  };
}

/** The version of the beta feature: `openai` 7, `resources/beta/responses`. */
const MULTI_AGENT_BETA = 'responses_multi_agent=v1';

/** A restriction that forces a call would force one in every round of the tool loop, endlessly. */
function toAllowedToolsOfRound(
  allowedTools: ResponsesCallOptions['allowedTools'],
  call: Pick<CoreCall, 'turn'>,
): ResponsesCallOptions['allowedTools'] {
  return allowedTools && call.turn !== undefined && call.turn.round > 1
    ? { ...allowedTools, mode: 'auto' }
    : allowedTools;
}

type Warn = (warning: Warning) => void;

/** Settings of the AI SDK that the API does not support. */
const unsupportedSettings = ['topK', 'seed', 'presencePenalty', 'frequencyPenalty', 'stopSequences'] as const;

function warnAboutSettings(
  call: RequestCall,
  {
    callOptions,
    context: { sendsPenalties = false },
    warn,
  }: { callOptions: ResponsesCallOptions; context: BuildRequestContext; warn: Warn },
): void {
  for (const setting of unsupportedSettings) {
    const isSent = sendsPenalties && setting.endsWith('Penalty');
    if (call[setting] != null && !isSent) warn({ type: 'unsupported', feature: setting });
  }
  if (callOptions.conversation !== undefined && callOptions.previousResponseId !== undefined) {
    warn({
      type: 'unsupported',
      feature: 'conversation',
      details: 'conversation and previousResponseId cannot be used together',
    });
  }
}

/** Returns the tools of the calls in a history, which need not be declared any more. */
function calledToolsIn(prompt: Prompt): NamedTool[] {
  const tools: NamedTool[] = [];
  const plainNames = new Set<string>();
  for (const call of callsOf(prompt)) {
    const { toolName: name } = call;
    const { namespace } = readPartOptions(call);
    if (namespace === undefined && plainNames.has(name)) continue;
    if (namespace === undefined) plainNames.add(name);
    tools.push({ name, namespace, isCalled: true });
  }
  return tools;
}

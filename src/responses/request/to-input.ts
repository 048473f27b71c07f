import {
  type LanguageModelV2CallWarning,
  type LanguageModelV2Message,
  type LanguageModelV2Prompt,
  type LanguageModelV2ToolResultPart,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import type { ConvertedMessages } from './converted-messages.js';
import type { HostedCallForm } from './hosted-calls/hosted-call-form.js';
import { createHostedCalls } from './hosted-calls/hosted-calls.js';
import { readPartOptions, toCacheBreakpoint } from './part-options.js';
import { reasoningEffortUpdates } from './provider-options.js';
import type { InputItem } from '../wire.js';
import { normalizeReasoning } from './normalize-reasoning.js';
import { type AssistantItemsContext, toAssistantItems } from './to-assistant-items.js';
import { toToolOutput } from './to-tool-output.js';
import { toUserContent } from './to-user-content.js';
import type { ToolNames } from './tool-names.js';

export interface ToInputOptions {
  readonly store: boolean;
  readonly systemMessageMode: 'system' | 'developer' | 'remove';
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  readonly toolNames: ToolNames;
  /** The forms of calls that are not of functions, by the tool's name. */
  readonly hostedForms: ReadonlyMap<string, HostedCallForm>;
  /** Why this call cannot change the reasoning effort; `undefined` when it can. */
  readonly effortUpdateRefusal: string | undefined;
  readonly warn: (warning: LanguageModelV2CallWarning) => void;
  /** What the messages of earlier requests of the same turn have become. */
  readonly known?: ConvertedMessages;
}

/** The items of a prompt whose tool calls are paired already (see `pairToolCalls`). */
export function toInput(prompt: LanguageModelV2Prompt, options: ToInputOptions): InputItem[] {
  const { store, missingReasoning, toolNames, hostedForms, known } = options;
  const warn = (message: string): void => options.warn({ type: 'other', message });
  const sentIds = new Set<string>();
  const context: AssistantItemsContext = {
    store,
    toolNames,
    hosted: createHostedCalls(prompt, { forms: hostedForms, warn }),
    sentReasoning: new Set(),
    warn,
    takeId(id) {
      // A server that stores nothing knows none of these ids, and short ones repeat. Pairing goes by `call_id`.
      if (missingReasoning === 'omit-ids' || id === undefined || sentIds.has(id)) return {};
      sentIds.add(id);
      return { id };
    },
  };

  const items: InputItem[] = [];
  for (const [index, message] of prompt.entries()) {
    const converted = known?.at(index, message) ?? convert(message);
    if (isIndependent(message, options)) known?.set(index, message, converted);
    for (const item of converted) items.push(item);
  }
  return normalizeReasoning(items, { store, missingReasoning, warn });

  function convert(message: LanguageModelV2Message): InputItem[] {
    switch (message.role) {
      case 'system':
        return toInstructions(message, { ...options, warn });
      case 'user':
        return [{ role: 'user', content: toUserContent(message.content, { warn }) }];
      case 'assistant':
        return toAssistantItems(message.content, context);
      case 'tool':
        return message.content.flatMap(part => toOutputs(part, context));
    }
  }
}

/** Whether a message becomes the same items wherever it stands. Ids, reasoning and hosted calls depend on the others. */
function isIndependent(
  message: LanguageModelV2Message,
  { missingReasoning, hostedForms }: Pick<ToInputOptions, 'missingReasoning' | 'hostedForms'>,
): boolean {
  if (missingReasoning !== 'omit-ids' || hostedForms.size > 0) return false;
  return message.role !== 'assistant' || message.content.every(part => part.type !== 'reasoning');
}

function toOutputs(
  part: LanguageModelV2ToolResultPart,
  { hosted, warn }: Pick<AssistantItemsContext, 'hosted' | 'warn'>,
): InputItem[] {
  // `ai` 6 and 7 also put answers to approval requests here.
  if (part.type !== 'tool-result') {
    warn(`Tool content of type "${(part as { type: string }).type}" is not known and not sent.`);
    return [];
  }
  const output = hosted.toOutput(part);
  if (output !== undefined) return [output];
  return [{ type: 'function_call_output', call_id: part.toolCallId, output: toToolOutput(part, { warn }) }];
}

type SystemMessage = Extract<LanguageModelV2Message, { role: 'system' }>;

function toInstructions(
  { content, providerOptions }: SystemMessage,
  {
    systemMessageMode,
    effortUpdateRefusal,
    warn,
  }: Pick<ToInputOptions, 'systemMessageMode' | 'effortUpdateRefusal'> & { warn: (message: string) => void },
): InputItem[] {
  const { reasoningEffortUpdate, promptCacheBreakpoint } = readPartOptions(providerOptions);
  if (reasoningEffortUpdate !== undefined) {
    return [toEffortUpdate(reasoningEffortUpdate, { content, refusal: effortUpdateRefusal })];
  }
  if (systemMessageMode === 'remove') {
    warn('system messages are removed for this model');
    return [];
  }
  const text =
    promptCacheBreakpoint === undefined
      ? content
      : [{ type: 'input_text' as const, text: content, ...toCacheBreakpoint(promptCacheBreakpoint) }];
  return [{ role: systemMessageMode, content: text }];
}

/** An empty system message may stand for a change of the reasoning effort. */
function toEffortUpdate(
  effort: unknown,
  { content, refusal }: { content: string; refusal: string | undefined },
): InputItem {
  const known = reasoningEffortUpdates.find(name => name === effort);
  const reason =
    content !== ''
      ? 'Message-level reasoningEffortUpdate requires empty system message content.'
      : known === undefined
        ? `Expected reasoningEffortUpdate to be one of ${reasoningEffortUpdates.join(', ')}, got ${JSON.stringify(effort)}.`
        : refusal;
  if (known === undefined || reason !== undefined) {
    throw new UnsupportedFunctionalityError({
      functionality: 'Message-level reasoningEffortUpdate',
      message: reason,
    });
  }
  return { type: 'configuration_update', reasoning: { effort: known } };
}

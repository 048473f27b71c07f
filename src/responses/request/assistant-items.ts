import type {
  LanguageModelV2Message,
  LanguageModelV2ReasoningPart,
  LanguageModelV2TextPart,
  LanguageModelV2ToolCallPart,
} from '@ai-sdk/provider';
import { objectOf, stringOf } from '../../shared/json.js';
import { type AssistantMessage, type InputItem, type ReasoningItem, toArgumentsJson } from '../wire.js';
import type { HostedCalls } from './hosted-calls.js';
import { readPartOptions } from './provider-options.js';
import type { ToolNames } from './tool-names.js';

type AssistantPart = Extract<LanguageModelV2Message, { role: 'assistant' }>['content'][number];

export interface AssistantItemsContext {
  readonly store: boolean;
  readonly toolNames: ToolNames;
  readonly hosted: HostedCalls;
  /** Ids and contents of the reasoning items of earlier messages. */
  readonly sentReasoning: Set<string>;
  readonly warn: (message: string) => void;
  /** Returns the `id` field of a message or call. It is empty if the settings omit ids. */
  readonly takeId: (id: string | undefined) => { id?: string };
}

/** Converts the parts of an assistant message to items, in the same order. */
export function toAssistantItems(
  parts: readonly AssistantPart[],
  context: AssistantItemsContext,
): InputItem[] {
  const items: InputItem[] = [];
  const reasoning = new Map<string, ReasoningItem>();

  for (const part of parts) {
    switch (part.type) {
      case 'text':
        items.push(toMessage(part, context));
        break;
      case 'reasoning': {
        const item = addReasoning(part, { reasoning, sentReasoning: context.sentReasoning });
        if (item !== undefined) items.push(item);
        break;
      }
      case 'tool-call':
        // A call that is still provider-executed belongs to a hosted tool. Its result causes the warning.
        if (part.providerExecuted !== true) items.push(toCall(part, context));
        break;
      case 'tool-result': {
        const condition = context.store ? '' : ' when store is false';
        context.warn(`Results for OpenAI tool ${part.toolName} are not sent to the API${condition}`);
        break;
      }
      case 'file':
        context.warn(
          `Files of assistant messages are not sent because the API does not accept them (${part.mediaType}).`,
        );
        break;
      default:
        context.warn(
          `Assistant content of type "${stringOf(objectOf(part)?.type)}" is not supported and not sent.`,
        );
    }
  }
  for (const key of reasoning.keys()) context.sentReasoning.add(key);
  return items;
}

function toMessage(
  part: LanguageModelV2TextPart,
  { takeId }: Pick<AssistantItemsContext, 'takeId'>,
): AssistantMessage {
  const { itemId, phase } = readPartOptions(part.providerOptions);
  return {
    role: 'assistant',
    content: [{ type: 'output_text', text: part.text }],
    ...takeId(itemId),
    ...(phase !== undefined && { phase }),
  };
}

function toCall(part: LanguageModelV2ToolCallPart, context: AssistantItemsContext): InputItem {
  const { itemId, async } = readPartOptions(part.providerOptions);
  const takeId = () => context.takeId(itemId);
  const wireName = context.toolNames.toWire(part.toolName);
  const hosted = context.hosted.toCall(part, { itemId, takeId, wireName });
  if (hosted !== undefined) return hosted;
  return {
    type: 'function_call',
    call_id: part.toolCallId,
    name: wireName,
    arguments: toArgumentsJson(part.input),
    ...takeId(),
    ...(async !== undefined && { async }),
  };
}

/**
 * Joins the parts of a reasoning item: a history has one part for each summary text. Returns the item for its first
 * part, and undefined for later parts and for reasoning of other APIs.
 */
function addReasoning(
  part: LanguageModelV2ReasoningPart,
  { reasoning, sentReasoning }: { reasoning: Map<string, ReasoningItem>; sentReasoning: ReadonlySet<string> },
): ReasoningItem | undefined {
  const { itemId, reasoningEncryptedContent } = readPartOptions(part.providerOptions);
  const key = itemId ?? reasoningEncryptedContent;
  // Some servers, such as OpenRouter, attach the same reasoning to every parallel call:
  // https://github.com/OpenRouterTeam/ai-sdk-provider/issues/254
  if (key === undefined || sentReasoning.has(key)) return undefined;

  const known = reasoning.get(key);
  const item: ReasoningItem = known ?? {
    type: 'reasoning',
    ...(itemId !== undefined && { id: itemId }),
    summary: [],
  };
  // Only the content of the finished item is valid. It is in the last part.
  if (reasoningEncryptedContent !== undefined) item.encrypted_content = reasoningEncryptedContent;
  if (part.text !== '') item.summary.push({ type: 'summary_text', text: part.text });
  reasoning.set(key, item);
  return known === undefined ? item : undefined;
}

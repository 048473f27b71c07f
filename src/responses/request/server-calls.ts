import type {
  LanguageModelV2Prompt,
  LanguageModelV2ToolCallPart,
  LanguageModelV2ToolResultPart,
} from '@ai-sdk/provider';
import { objectOf, type PlainObject, stringOf } from '../../shared/json.js';
import { once } from '../../shared/settings.js';
import type { ServerCall } from '../hosted-tools/hosted-tool.js';
import type { ServerTool } from '../hosted-tools/index.js';
import type { ReceivedItems } from './received-items.js';
import { type HostedInputItem, type InputContent, type InputItem, toItemReference } from '../wire.js';
import { readPartOptions } from './provider-options.js';

/** Converts the calls that the server executed, and their results. */
export interface ServerCalls {
  /** Returns the items of a part. The items of a call with a result are divided between both parts. */
  toItems(part: ServerCallPart): InputItem[];
}

type ServerCallPart = LanguageModelV2ToolCallPart | LanguageModelV2ToolResultPart;

export interface ServerCallsOptions {
  readonly store: boolean;
  /** Items of the same turn, which are sent back as they were received. */
  readonly received: ReceivedItems;
  /** Returns the tool of a call. */
  readonly toolOf: (part: ServerCallPart) => ServerTool | undefined;
  /** Returns false for an id that the request already contains. */
  readonly claimId: (id: string) => boolean;
  /** Shows the images of a call in the next message of the user. */
  readonly showImages: (content: readonly InputContent[]) => void;
  readonly warn: (message: string) => void;
}

/** The parts of one call. Hosts keep preliminary results; only the last one counts. */
interface CallParts {
  call?: LanguageModelV2ToolCallPart;
  result?: LanguageModelV2ToolResultPart;
}

/**
 * Converts calls in the form that keeps most of them: as they were received in the same turn; as a reference if the
 * server stores responses; rebuilt from their parts; or their images alone. A call that has none of these forms is not
 * sent, with a warning.
 */
export function createServerCalls(
  prompt: LanguageModelV2Prompt,
  { store, received, toolOf, claimId, showImages, warn }: ServerCallsOptions,
): ServerCalls {
  const calls = once(() => collectCalls(prompt));

  return {
    toItems(part) {
      const parts = calls().get(part.toolCallId) ?? {};
      if (part.type === 'tool-result') {
        if (part !== parts.result) return [];
        // The response to the request for approval expresses the denial.
        if (isDenial(part)) return [];
      }
      const isOfPart = (item: HostedInputItem): boolean =>
        parts.call === undefined || isOutput(item) === (part.type === 'tool-result');
      const known = receivedItems(parts);
      const kept = known.filter(isOfPart);
      if (kept.length > 0) return kept.filter(isUnsent);

      const items = rebuild(parts);
      const own = items.filter(isOfPart);
      const id = itemIdOf(part);
      if (store && id !== undefined && (own.length > 0 || parts.result !== undefined)) {
        if (claimId(id)) return [toItemReference(id, own)];
      }
      if (own.length > 0) return own.filter(isUnsent);
      const isSent = items.length > 0 || known.length > 0 || (store && id !== undefined);
      if (part.type === 'tool-result' && !isSent) addImages(parts, part);
      return [];
    },
  };

  function isUnsent({ id }: HostedInputItem): boolean {
    return id === undefined || claimId(id);
  }

  function receivedItems({ call, result }: CallParts): HostedInputItem[] {
    const ids = [call, result].flatMap(part => (part ? [part.toolCallId, itemIdOf(part) ?? ''] : []));
    return [...new Set(ids.flatMap(id => received.of(id)))];
  }

  function rebuild(parts: CallParts): readonly HostedInputItem[] {
    const call = toServerCall(parts);
    return (call && toolOf(parts.call ?? call.part)?.serverReplay?.(call)) ?? [];
  }

  function addImages(parts: CallParts, part: LanguageModelV2ToolResultPart): void {
    const call = toServerCall(parts);
    const content = call && toolOf(parts.call ?? part)?.toUserContent?.(call);
    if (content !== undefined) return showImages(content);
    const condition = store ? '' : ' when store is false';
    warn(`Results for OpenAI tool ${part.toolName} are not sent to the API${condition}`);
  }
}

function collectCalls(prompt: LanguageModelV2Prompt): ReadonlyMap<string, CallParts> {
  const calls = new Map<string, CallParts>();
  for (const { role, content } of prompt) {
    if (role !== 'assistant') continue;
    for (const part of content) {
      if (part.type !== 'tool-call' && part.type !== 'tool-result') continue;
      const parts = calls.get(part.toolCallId) ?? {};
      calls.set(part.toolCallId, parts);
      if (part.type === 'tool-call') parts.call = part;
      else parts.result = part;
    }
  }
  return calls;
}

function toServerCall({ call, result }: CallParts): (ServerCall & { part: ServerCallPart }) | undefined {
  const part = call ?? result;
  if (part === undefined) return undefined;
  return {
    part,
    id: part.toolCallId,
    toolName: part.toolName,
    input: call?.input,
    result: result?.output.value,
    isError: result?.output.type.startsWith('error-') ?? false,
    options: optionsOf(part),
    ...(result !== undefined && { resultOptions: optionsOf(result) }),
  };
}

const isOutput = ({ type }: HostedInputItem): boolean => type.endsWith('_output');

/** Returns the id of a part's item, which is that of the call for most tools. */
const itemIdOf = ({ toolCallId, providerOptions }: ServerCallPart): string | undefined =>
  readPartOptions(providerOptions).itemId ?? (toolCallId.startsWith('call') ? undefined : toolCallId);

const optionsOf = ({ providerOptions }: ServerCallPart): PlainObject =>
  objectOf(providerOptions?.openai) ?? {};

/** Hosts write a denial as its own type of output, or as JSON. */
function isDenial({ output }: LanguageModelV2ToolResultPart): boolean {
  const type: string = output.type;
  return type === 'execution-denied' || stringOf(objectOf(output.value)?.type) === 'execution-denied';
}

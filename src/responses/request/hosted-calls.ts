import { InvalidArgumentError } from '@ai-sdk/provider';
import type { Prompt, ToolCallPart, ToolResultPart } from '../../core/prompt.js';
import { objectOf, type PlainObject, stringOf } from '../../core/shared/json.js';
import { once } from '../../core/shared/once.js';

import type { HostedToolReplay, ReplayContext, ServerCall, ToContent } from '../hosted-tools/hosted-tool.js';
import type { ServerTool } from '../hosted-tools/index.js';
import {
  type HostedInputItem,
  type InputContent,
  type InputItem,
  type ItemRelations,
  toItemReference,
} from '../wire.js';
import { readPartOptions } from './read-options.js';
import type { ReceivedItems } from './turn-memory.js';

/*
 * Calls of hosted tools in a history: those that the host executed, and those that the server executed.
 */

/** Converts the calls and outputs of one prompt that belong to hosted tools. */
export interface HostedCalls {
  /** Returns the item of a call, or no item if it is left out. Undefined if the call is sent as a function call. */
  toCall(part: ToolCallPart, context: ReplayContext): readonly HostedInputItem[] | undefined;
  /** Returns the item of an output, or no item if it is left out. Undefined if the call was sent as a function call. */
  toOutput(part: ToolResultPart): readonly HostedInputItem[] | undefined;
}

/**
 * Converts every call together with its output, because the API rejects a call whose output has another type. If a tool
 * cannot express one of the two, both are sent as those of a function. If the tool requires a form of output, a failed call
 * becomes a text instead. The calls must be paired already.
 *
 * @throws InvalidArgumentError for an output of another form than its tool requires. A call of an earlier response is left out.
 */
export function createHostedCalls(
  prompt: Prompt,
  {
    replayOf,
    toContent,
    warn,
  }: {
    /** Returns the replay rules of the tool of a call or its output. */
    replayOf: (part: ToolCallPart | ToolResultPart) => HostedToolReplay | undefined;
    toContent: ToContent;
    warn: (message: string) => void;
  },
): HostedCalls {
  const results = once(() => {
    const byId = new Map<string, ToolResultPart>();
    for (const { role, content } of prompt) {
      if (role !== 'tool') continue;
      for (const part of content) if (part.type === 'tool-result') byId.set(part.toolCallId, part);
    }
    return byId;
  });
  const lastResponse = prompt.findLast(message => message.role === 'assistant')?.content ?? [];
  const isInLastResponse = (part: ToolCallPart): boolean =>
    typeof lastResponse !== 'string' && lastResponse.some(other => other === part);

  const outputs = new Map<string, readonly HostedInputItem[] | undefined>();
  const leaveOut = (part: ToolCallPart, reason: string): readonly HostedInputItem[] => {
    warn(`The answered call ${part.toolCallId} of ${part.toolName} is not sent again, because ${reason}.`);
    outputs.set(part.toolCallId, []);
    return [];
  };

  return {
    toCall(part, context) {
      const replay = replayOf(part);
      outputs.set(part.toolCallId, undefined);
      if (replay === undefined) return undefined;
      const result = results().get(part.toolCallId);
      if (result === undefined) return undefined;
      const call = replay.toCall(part, context);
      if (call === undefined) return undefined;
      const output = replay.toOutput(result, toContent);
      if (output === undefined) {
        const error = toOutputError(result, replay);
        if (error === undefined) return undefined;
        if (result.output.type === 'execution-denied' || result.output.type.startsWith('error-')) {
          warn(
            `The failed call ${part.toolCallId} of ${part.toolName} is sent as a text, because the API requires an output.`,
          );
          outputs.set(part.toolCallId, [toFailureMessage(result, toContent)]);
          return [];
        }
        if (isInLastResponse(part)) throw error;
        return leaveOut(part, 'its output has a form that the API rejects');
      }
      if (replay.isSentOnce?.(output) === true && !isInLastResponse(part))
        return leaveOut(part, 'the server would act on it');
      outputs.set(part.toolCallId, [output]);
      return [call];
    },

    toOutput(part) {
      if (outputs.has(part.toolCallId)) return outputs.get(part.toolCallId);
      // The server has the call. Only the tool name shows what it was.
      const replay = replayOf(part);
      const output = replay?.toOutput(part, toContent);
      const error = replay && output === undefined ? toOutputError(part, replay) : undefined;
      if (error !== undefined) throw error;
      return output && [output];
    },
  };
}

/** Describes a call that failed without the output that its tool requires. */
function toFailureMessage(result: ToolResultPart, toContent: ToContent): HostedInputItem & PlainObject {
  const content = toContent(result);
  const text = `The call of the tool "${result.toolName}" failed${typeof content === 'string' ? `: ${content}` : '.'}`;
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

/** Returns the error for an output without the form that its tool requires. */
function toOutputError(part: ToolResultPart, replay: HostedToolReplay): Error | undefined {
  if (replay.requiredOutput === undefined) return undefined;
  return new InvalidArgumentError({
    argument: 'prompt',
    message:
      `Expected the output of the tool "${part.toolName}" to be ${replay.requiredOutput}, got an output of type "${part.output.type}" ` +
      `for the call ${part.toolCallId}. Return a screenshot from the tool, also when an action fails.`,
  });
}

/** Converts the calls that the server executed, and their results. */
export interface ServerCalls {
  /** Returns the items of a part. The items of a call with a result are divided between both parts. */
  toItems(part: ServerCallPart): InputItem[];
}

type ServerCallPart = ToolCallPart | ToolResultPart;

export interface ServerCallsOptions {
  readonly store: boolean;
  readonly relations: ItemRelations;
  /** Items of the same turn, which are sent back as they were received. Undefined outside of a turn. */
  readonly received: ReceivedItems | undefined;
  readonly toolOf: (part: ServerCallPart) => ServerTool | undefined;
  /** Returns false for an id that the request already contains. */
  readonly claimId: (id: string) => boolean;
  /** Shows the images of a call in the next message of the user. */
  readonly showImages: (content: readonly InputContent[]) => void;
  readonly warn: (message: string) => void;
}

/** The parts of one call. Hosts keep preliminary results; only the last one counts. */
interface CallParts {
  call?: ToolCallPart;
  result?: ToolResultPart;
}

/**
 * Converts calls in the form that keeps most of them: as they were received in the same turn; as a reference if the
 * server stores responses; rebuilt from their parts; or their images alone. A call that has none of these forms is not
 * sent, with a warning.
 */
export function createServerCalls(
  prompt: Prompt,
  { store, relations, received, toolOf, claimId, showImages, warn }: ServerCallsOptions,
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
      const isStored = store && (parts.call ?? part).own?.unstored !== true;
      const id = itemIdOf(part);
      if (isStored && id !== undefined && (own.length > 0 || parts.result !== undefined)) {
        if (claimId(id)) return [toItemReference(id, own, relations)];
      }
      if (own.length > 0) return own.filter(isUnsent);
      const isSent = items.length > 0 || known.length > 0 || (isStored && id !== undefined);
      if (part.type === 'tool-result' && !isSent) addImages(parts, part);
      return [];
    },
  };

  function isUnsent(item: HostedInputItem): boolean {
    return item.id === undefined || claimId(item.id);
  }

  function receivedItems(parts: CallParts): HostedInputItem[] {
    const ids = [parts.call, parts.result].flatMap(part =>
      part ? [part.toolCallId, itemIdOf(part) ?? ''] : [],
    );
    return [...new Set(ids.flatMap(id => received?.of(id) ?? []))];
  }

  function rebuild(parts: CallParts): readonly HostedInputItem[] {
    const call = toServerCall(parts);
    return (call && toolOf(parts.call ?? call.part)?.serverReplay?.(call)) ?? [];
  }

  function addImages(parts: CallParts, part: ToolResultPart): void {
    const call = toServerCall(parts);
    const content = call && toolOf(parts.call ?? part)?.toUserContent?.(call);
    if (content !== undefined) return showImages(content);
    const condition = store ? '' : ' when store is false';
    warn(`Results for OpenAI tool ${part.toolName} are not sent to the API${condition}`);
  }
}

function collectCalls(prompt: Prompt): ReadonlyMap<string, CallParts> {
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
    result: result && valueOf(result),
    isError: result?.output.type.startsWith('error-') ?? false,
    options: optionsOf(part),
    ...(result !== undefined && { resultOptions: optionsOf(result) }),
  };
}

const isOutput = (item: HostedInputItem): boolean => item.type.endsWith('_output');

/** Returns the id of a part's item, which is that of the call for most tools. */
const itemIdOf = (part: ServerCallPart): string | undefined =>
  readPartOptions(part).itemId ?? (part.toolCallId.startsWith('call') ? undefined : part.toolCallId);

const optionsOf = (part: ServerCallPart): PlainObject => objectOf(part.providerOptions?.openai) ?? {};

const valueOf = (part: ToolResultPart): unknown => ('value' in part.output ? part.output.value : undefined);

/** Hosts write a denial as its own type of output, or as JSON. */
const isDenial = (part: ToolResultPart): boolean =>
  part.output.type === 'execution-denied' || stringOf(objectOf(valueOf(part))?.type) === 'execution-denied';

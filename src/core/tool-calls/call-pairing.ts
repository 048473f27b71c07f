import type { CoreCall } from '../call.js';
import {
  type AssistantMessage,
  type AssistantPart,
  callsOf,
  type Message,
  type Prompt,
  type TextPart,
  toDeniedText,
  type ToolCallPart,
  type ToolMessage,
  type ToolPart,
  type ToolResultOutput,
  type ToolResultPart,
} from '../prompt.js';
import { isFunctionPart, type IsHostedCall, type MatchedCall, matchToolCalls } from './call-matching.js';
import { isHostedToolPart } from './hosted-tools.js';
import { unwrapMcpOutput } from './mcp-output.js';

/** The output of a call without a result. */
export const INTERRUPTED = 'No output: the call was interrupted before it finished.';

/**
 * Rewrites a history so that every model accepts its tool calls: plain `tool-call` parts in an assistant message, then a
 * `tool` message with exactly one result for each call, in the order of the calls.
 *
 * Hosts keep the calls that a provider executed in one assistant message (call, result, text, call, result, text),
 * sometimes without the call, sometimes with the results at the end. Pairs that the host ran stay as they are, and so do
 * calls of hosted tools. A result without a call, of a history that was cut in between, becomes text. Returns the same prompt
 * if nothing changes.
 */
export function pairToolCalls(
  prompt: Prompt,
  {
    keepOrphans = false,
    isFunctionTool,
    isHostedTool = isHostedToolPart,
  }: {
    /**
     * Keeps results of a `tool` message whose call is not in the history as they are. With `previous_response_id` or
     * `conversation`, the server has the call.
     * @default false
     */
    keepOrphans?: boolean;
    /**
     * Returns true for tools that are functions. Their provider-executed calls are never treated as calls of a hosted tool
     * with the same name.
     * @default no tool
     */
    isFunctionTool?: (toolName: string) => boolean;
    /**
     * Returns true if a provider-executed call or result belongs to a hosted tool. Such parts are left unchanged.
     * @default recognizes the hosted tools of the official OpenAI provider
     */
    isHostedTool?: IsHostedCall;
  } = {},
): Prompt {
  if (isPaired(prompt)) return prompt;
  const isHosted = withResultsOfHostedCalls(
    prompt,
    part => !isFunctionTool?.(part.toolName) && isHostedTool(part),
  );
  const slots = matchToolCalls(prompt, isHosted).values();
  const nextSlot = (): MatchedCall | undefined => slots.next().value ?? undefined;
  const history: Message[] = [];
  // Results that follow the last assistant message.
  let results: ToolResultPart[] = [];
  const closeRound = (message: ToolMessage = { role: 'tool', content: [] }): void => {
    if (results.length > 0) history.push({ ...message, content: results });
    results = [];
  };

  for (const message of prompt) {
    if (message.role === 'assistant') {
      for (const round of toPairedMessages(message, { nextSlot, isHosted })) {
        closeRound();
        history.push(round.message);
        results = round.calls.map(toResultPart);
      }
    } else if (message.role === 'tool') {
      const { orphans, rest } = sortToolMessage(message, { nextSlot, keepOrphans, isHosted });
      if (
        results.length > 0 &&
        isSame(
          results,
          message.content.filter(part => part.type === 'tool-result'),
        )
      ) {
        history.push(message);
        results = [];
        continue;
      }
      closeRound(message);
      if (orphans.length > 0) history.push({ role: 'assistant', content: orphans.map(toText) });
      if (rest.length > 0)
        history.push(isSame(rest, message.content) ? message : { ...message, content: rest });
    } else {
      closeRound();
      history.push(message);
    }
  }
  closeRound();
  return isSame(history, prompt) ? prompt : history;
}

/**
 * Returns true if each call has its own id and is followed by its result, as in most histories of hosts, and the provider
 * executed none of them.
 */
function isPaired(prompt: Prompt): boolean {
  const ids = new Set<string>();
  let open: ToolCallPart[] = [];
  for (const { role, content } of prompt) {
    if (role === 'tool') {
      const isComplete =
        content.length > 0 &&
        content.length === open.length &&
        content.every(
          (part, index) => part.type === 'tool-result' && part.toolCallId === open[index]?.toolCallId,
        );
      if (!isComplete) return false;
      open = [];
    } else if (open.length > 0) return false;
    if (role !== 'assistant') continue;
    for (const part of content) {
      if (part.type === 'tool-result') return false;
      if (part.type !== 'tool-call') continue;
      const { toolCallId, providerExecuted } = part;
      if (providerExecuted === true || toolCallId === '' || ids.has(toolCallId)) return false;
      ids.add(toolCallId);
      open.push(part);
    }
  }
  return open.length === 0;
}

/** Extends a predicate to results that only their call identifies: hosts keep no metadata of results. */
function withResultsOfHostedCalls(prompt: Prompt, isHosted: IsHostedCall): IsHostedCall {
  const ids = new Set<string>();
  for (const call of callsOf(prompt))
    if (call.providerExecuted === true && isHosted(call)) ids.add(call.toolCallId);
  return ids.size === 0 ? isHosted : part => ids.has(part.toolCallId) || isHosted(part);
}

/** A section of an assistant message, up to the results of its calls. */
interface Section {
  readonly parts: AssistantPart[];
  readonly calls: MatchedCall[];
}

/** The message of a section, with its calls. */
interface PairedMessage {
  readonly message: AssistantMessage;
  readonly calls: readonly MatchedCall[];
}

function toPairedMessages(message: AssistantMessage, reader: SlotReader): PairedMessage[] {
  const sections: Section[] = [];
  let current: Section = { parts: [], calls: [] };
  // The model knew the result when it wrote the text after a provider-executed call, but not after a host's call.
  let hasResult = false;
  for (const part of message.content) {
    const isFunction = isFunctionPart(part, 'assistant', reader.isHosted);
    const call = isFunction ? reader.nextSlot() : undefined;
    if (isFunction && call === undefined) continue;
    if (call?.part !== undefined) {
      current.parts.push(toCallPart(call.part, call));
      current.calls.push(call);
      hasResult ||= call.providerExecuted;
      continue;
    }
    if (hasResult) {
      sections.push(current);
      current = { parts: [], calls: [] };
      hasResult = false;
    }
    current.parts.push(call === undefined ? part : toText(call));
  }
  if (current.parts.length > 0) sections.push(current);

  if (message.content.length === 0) return [{ message, calls: [] }];
  if (sections.length === 1 && isSame(current.parts, message.content))
    return [{ message, calls: current.calls }];
  return sections.map((section, index) => ({
    // Options of a message, such as a cache breakpoint, apply to its end.
    message:
      index === sections.length - 1
        ? { ...message, content: section.parts }
        : { role: 'assistant', content: section.parts },
    calls: section.calls,
  }));
}

interface SlotReader {
  readonly isHosted: IsHostedCall;
  nextSlot(): MatchedCall | undefined;
}

/** Separates the results of a `tool` message without a call from the parts that stay in place. */
function sortToolMessage(
  message: ToolMessage,
  reader: SlotReader & { keepOrphans: boolean },
): { orphans: MatchedCall[]; rest: ToolPart[] } {
  const orphans: MatchedCall[] = [];
  const rest: ToolPart[] = [];
  for (const part of message.content) {
    if (!isFunctionPart(part, 'tool', reader.isHosted)) {
      rest.push(part);
      continue;
    }
    const orphan = reader.nextSlot();
    if (orphan === undefined) continue;
    if (reader.keepOrphans) rest.push(part);
    else orphans.push(orphan);
  }
  return { orphans, rest };
}

function toCallPart(part: ToolCallPart, call: MatchedCall): ToolCallPart {
  if (part.toolCallId === call.toolCallId && !(call.providerExecuted && part.providerExecuted)) return part;
  const { providerExecuted: _, ...plain } = part;
  return { ...plain, toolCallId: call.toolCallId };
}

/**
 * Writes a result without a call as text. An invented call would be a request that the model never made. It is text of the
 * assistant, because those of the user and of the developer have an authority that the output of a tool must not get.
 */
function toText(call: MatchedCall): TextPart {
  const { toolName, output } = toResultPart(call);
  const text = `Output of the tool "${toolName}", whose call is missing in this conversation:\n${textOf(output)}`;
  return { type: 'text', text };
}

function textOf(output: ToolResultOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
    case 'execution-denied':
      return toDeniedText(output);
    case 'content':
      return output.value
        .map(item => {
          if (item.type === 'text') return item.text;
          return `[${(item.type === 'file' && item.mediaType) || 'content'} omitted]`;
        })
        .join('\n');
  }
}

function toResultPart({ part, result, toolCallId, providerExecuted }: MatchedCall): ToolResultPart {
  if (result === undefined) {
    return {
      type: 'tool-result',
      toolCallId,
      toolName: part?.toolName ?? '',
      output: { type: 'error-text', value: INTERRUPTED },
    };
  }
  const output = providerExecuted ? unwrapMcpOutput(result.output) : result.output;
  if (result.toolCallId === toolCallId && output === result.output) return result;
  return { ...result, toolCallId, output };
}

function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

/** Returns true if the server stores the history, so that results can occur without their calls. */
export function continuesStoredResponse(call: Pick<CoreCall, 'own' | 'providerOptions'>): boolean {
  const { previousResponseId, conversation }: Readonly<Record<string, unknown>> = {
    ...call.providerOptions?.azure,
    ...call.providerOptions?.openai,
    ...call.own,
  };
  return typeof previousResponseId === 'string' || typeof conversation === 'string';
}

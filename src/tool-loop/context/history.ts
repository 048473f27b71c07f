import type { ModelMessage } from '@ai-sdk/provider-utils';
import type { CoreCall } from '../../core/call.js';
import type {
  AssistantPart,
  PartFacts,
  Prompt,
  ProviderMetadata,
  ToolCallPart,
  ToolChoice,
  ToolResultOutput,
  ToolResultPart,
} from '../../core/prompt.js';
import type { Content, ToolCall, ToolResult } from '../../core/part.js';
import { asJson } from '../../core/shared/json.js';
import { createUniqueIds, type UniqueIds } from '../../core/shared/unique-ids.js';
import { continuesStoredResponse, pairToolCalls } from '../../core/tool-calls/call-pairing.js';
import { toOutputFacts, withoutDetails } from '../../core/tool-calls/mcp-output.js';
import { readMessages } from '../../core/versions/read.js';
import { resolveApprovals } from '../approvals/asked-calls.js';
import { readToolArguments } from '../../core/tool-calls/tool-arguments.js';
import type { CallOutcome } from '../calls/calls.js';

/*
 * The conversation of a turn: the response of each round and the outcomes of its calls are added, under ids that are unique
 * in it, and it may be compacted.
 */

/** Reads the conversation before the turn: the calls that wait for an approval, and the results that are missing. */
export function readHistory(
  call: CoreCall,
  options: { isFunctionTool: (name: string) => boolean; asksHost: boolean },
): ReturnType<typeof resolveApprovals> {
  const isWithoutCalls = call.prompt.every(
    message =>
      message.role !== 'tool' &&
      (message.role !== 'assistant' || !message.content.some(part => 'toolCallId' in part)),
  );
  if (isWithoutCalls) return { prompt: call.prompt, pending: [], denied: [] };
  const { prompt, ...asked } = resolveApprovals(call.prompt, { isActive: options.asksHost });
  return {
    ...asked,
    // Adds the calls that the host's history lacks.
    prompt: pairToolCalls(prompt, {
      isFunctionTool: options.isFunctionTool,
      keepOrphans: continuesStoredResponse(call),
    }),
  };
}

/** Reads a changed conversation. Messages that were not changed stay as they are, with all that `ModelMessage` cannot say. */
export function readChanged(
  call: CoreCall,
  options: { messages: readonly ModelMessage[]; changed: readonly ModelMessage[] },
): Prompt {
  const system = call.prompt.filter(message => message.role === 'system');
  const others = call.prompt.filter(message => message.role !== 'system');
  const isAligned = options.messages.length === others.length;
  const originals = new Map(
    isAligned ? options.messages.map((message, index) => [message, others[index]]) : [],
  );
  const read = options.changed.flatMap(message => originals.get(message) ?? readMessages([message]));
  const removed = callIdsOf(call.prompt);
  for (const id of callIdsOf(read)) removed.delete(id);
  const complete = read.map((message): Prompt[number] =>
    message.role === 'tool' || message.role === 'assistant'
      ? ({
          ...message,
          content: message.content.filter(
            part => part.type !== 'tool-result' || !removed.has(part.toolCallId),
          ),
        } as typeof message)
      : message,
  );
  const filled = complete.filter(message => message.role === 'system' || message.content.length > 0);
  const functions = new Set(call.tools?.filter(tool => tool.type === 'function').map(tool => tool.name));
  const isFunctionTool = (name: string): boolean => functions.has(name);
  const paired = pairToolCalls(filled, { isFunctionTool, keepOrphans: continuesStoredResponse(call) });
  return [...system, ...paired];
}

const callIdsOf = (prompt: Prompt): Set<string> =>
  new Set(
    prompt.flatMap(message =>
      message.role === 'assistant'
        ? message.content.flatMap(part => (part.type === 'tool-call' ? [part.toolCallId] : []))
        : [],
    ),
  );

/** Returns the call of the next round: the conversation plus the model's response and the outcomes of its calls. */
export function withOutcomes(
  call: CoreCall,
  options: { content: readonly Content[]; outcomes: readonly CallOutcome[] },
): CoreCall {
  return {
    ...call,
    prompt: [
      ...call.prompt,
      { role: 'assistant', content: options.content.flatMap(toAssistantPart) },
      ...(options.outcomes.length > 0
        ? [{ role: 'tool' as const, content: options.outcomes.map(toResultPart) }]
        : []),
    ],
    ...(call.toolChoice !== undefined && { toolChoice: toFollowUpChoice(call.toolChoice) }),
  };
}

export const toResultPart = ({ call: { toolCallId, toolName }, output }: CallOutcome): ToolResultPart => ({
  type: 'tool-result',
  toolCallId,
  toolName,
  output: withoutDetails(output),
  ...toOutputFacts(output),
});

/** Returns a call that forbids tool calls. */
export const withoutCalls = (call: CoreCall): CoreCall => ({ ...call, toolChoice: { type: 'none' } });

/** Returns true for content besides reasoning and items that the user does not see. */
export const hasOutput = (content: readonly Content[]): boolean =>
  content.some(part => part.type !== 'reasoning' && part.type !== 'custom');

/** A tool choice that forces a call would force one in every round, endlessly (BerriAI/litellm#25420). */
const toFollowUpChoice = (choice: ToolChoice): ToolChoice =>
  choice.type === 'none' ? choice : { type: 'auto' };

export function toAssistantPart(part: Content): AssistantPart[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text, ...toOptions(part) }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...toOptions(part) }];
    case 'custom':
      return [{ type: 'custom', kind: part.kind, ...toOptions(part) }];
    case 'file':
    case 'reasoning-file':
      return [{ type: part.type, mediaType: part.mediaType, data: part.data, ...toOptions(part) }];
    case 'tool-call':
      return [toCallPart(part)];
    case 'tool-result': {
      // A later result replaces it.
      if (part.preliminary === true) return [];
      const { toolCallId, toolName } = part;
      return [{ type: 'tool-result', toolCallId, toolName, output: toOutput(part), ...toOptions(part) }];
    }
    case 'source':
    case 'tool-approval-request':
      return [];
  }
}

function toOutput(toolResult: ToolResult): ToolResultOutput {
  if (toolResult.output !== undefined) return toolResult.output;
  if (typeof toolResult.result === 'string')
    return { type: toolResult.isError ? 'error-text' : 'text', value: toolResult.result };
  return { type: toolResult.isError ? 'error-json' : 'json', value: asJson(toolResult.result) };
}

/**
 * Converts a call of the model to a prompt part. A call whose arguments cannot be read gets empty ones: the error in its
 * output explains why.
 */
function toCallPart({ toolCallId, toolName, input, providerExecuted, ...facts }: ToolCall): ToolCallPart {
  const parsed = readToolArguments(input);
  return {
    type: 'tool-call',
    toolCallId,
    toolName,
    input: parsed.success ? parsed.input : {},
    ...(providerExecuted === true && { providerExecuted }),
    ...toOptions(facts),
  };
}

const toOptions = (part: {
  readonly providerMetadata?: ProviderMetadata | undefined;
  readonly own?: PartFacts | undefined;
}) => ({
  ...(part.providerMetadata !== undefined && { providerOptions: part.providerMetadata }),
  ...(part.own !== undefined && { own: part.own }),
});

/**
 * Keeps track of all ids of a turn and of the conversation before it. Servers such as AWS Bedrock Mantle send `call_0`
 * in every response, and block ids are unique only in their own response.
 */
export class TurnIds {
  readonly #blocks = createUniqueIds();
  readonly #calls: UniqueIds;
  /** The newest name of each id of a call so far. */
  readonly #newest: Map<string, string>;

  constructor(prompt: Prompt) {
    const taken: string[] = [];
    for (const { content } of prompt) {
      if (typeof content === 'string') continue;
      for (const part of content) if ('toolCallId' in part) taken.push(part.toolCallId);
    }
    this.#calls = createUniqueIds(taken);
    this.#newest = new Map(taken.map(id => [id, id]));
  }

  /** Returns an id for a block that no other block of the turn has. */
  takeBlock(id: string): string {
    return this.#blocks.take(id);
  }

  /** Begins a round, whose ids name other calls than those of the rounds before. */
  round(): RoundIds {
    return new RoundIds(this.#calls, this.#newest);
  }
}

/** Maps the ids of the calls of one round to ids that are unique in the turn. */
export class RoundIds {
  readonly #calls: UniqueIds;
  readonly #newest: Map<string, string>;
  /** The ids in the turn, by those in the round. */
  readonly #names = new Map<string, string>();
  readonly #contentsById = new Map<string, Set<string>>();

  constructor(calls: UniqueIds, newest: Map<string, string>) {
    this.#calls = calls;
    this.#newest = newest;
  }

  /** Returns the id of a call, also for its streamed input, which comes first. */
  call(id: string): string {
    const name = this.#names.get(id) ?? this.#calls.take(id);
    this.#names.set(id, name);
    this.#newest.set(id, name);
    return name;
  }

  /**
   * Returns the id of the call that a result belongs to: of the same round, else of an earlier one. The server sends the
   * output of a program in a later response than the program.
   */
  result(id: string): string {
    return this.#newest.get(id) ?? this.call(id);
  }

  /**
   * Returns the id of a complete call. A call that repeats an id of its round with other contents is another call:
   * Gemini-style servers number every call `call_0`.
   *
   * @returns undefined for a call that was sent twice.
   */
  completeCall(id: string, contents: string): string | undefined {
    const known = this.#contentsById.get(id);
    if (known?.has(contents)) return undefined;
    this.#contentsById.set(id, (known ?? new Set()).add(contents));
    return known === undefined ? this.call(id) : this.#calls.take(id);
  }
}

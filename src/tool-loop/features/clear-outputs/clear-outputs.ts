import type { CoreCall } from '../../../core/call.js';
import type {
  AssistantPart,
  Prompt,
  ToolPart,
  ToolResultOutput,
  ToolResultPart,
} from '../../../core/prompt.js';
import { continuesStoredResponse } from '../../../core/tool-calls/call-pairing.js';
import { toText } from '../../calls/outputs.js';
import { tokensOf } from '../../context/tokens.js';
import type { CreateFeature, RoundChanges } from '../feature.js';

/*
 * Removal of old tool outputs from requests. What the host keeps does not change: it has all outputs, and a mark on the
 * response of the round that began without them, so that later turns send the same conversation.
 */

/** Limits of the outputs that requests contain. */
export interface ClearToolOutputs {
  /**
   * Tokens of a request from which old outputs are removed: those that the server reported for the round before, input and
   * output, plus an estimate of what was added (four characters of ASCII or one other character each). The first request
   * of a turn is estimated as a whole, and so are requests of servers that report less than half of the estimate.
   */
  trigger: number;
  /** Number of the newest outputs that stay. Outputs that the model has not seen yet always stay. @default 3 */
  keep?: number;
  /**
   * Tokens that have to be saved at least. Each removal makes the server read the rest of the prompt again, so few large
   * removals are cheaper than many small ones.
   * @default half of `trigger`
   */
  clearAtLeast?: number;
  /** Names of tools whose outputs stay. @default none */
  excludeTools?: readonly string[];
}

export interface ClearingOptions {
  /**
   * Removes old outputs of tools from long requests, oldest first. A note replaces each of them, with which the model can
   * read it again (`read_tool_output`); errors and short outputs stay. Messages of the host do not change. For a server
   * that compacts as well, set `compactThreshold` higher than `trigger`.
   * @default all outputs are sent
   */
  clearToolOutputs?: ClearToolOutputs;
}

/** Removes old outputs from the requests of a turn. */
export const createClearing: CreateFeature<ClearingOptions> = (
  { call, toolOf, reader, emit, warn },
  clearingOptions,
) => {
  if (clearingOptions.clearToolOutputs === undefined) return undefined;
  const {
    trigger,
    keep = 3,
    clearAtLeast = trigger / 2,
    excludeTools = [],
  } = clearingOptions.clearToolOutputs;
  const originals = new Map<string, ToolResultOutput>();
  const ofHost = new Set(call.tools?.flatMap(tool => (tool.type === 'function' ? [tool.name] : [])));
  let isOn = true;
  let isRestored = false;
  /** The number of messages of the newest request, and the tokens of its round, or 0. */
  let last = { messages: 0, tokens: 0 };
  const isClearable = (part: ToolResultPart): boolean =>
    !originals.has(part.toolCallId) &&
    !excludeTools.includes(part.toolName) &&
    // The results of the server's own tools belong to its items.
    (ofHost.has(part.toolName) || toolOf(part.toolName) !== undefined) &&
    (part.output.type === 'text' || part.output.type === 'json' || part.output.type === 'content') &&
    tokensOf(part.output) > MIN_TOKENS;

  const clear = (prompt: Prompt, results: readonly ToolResultPart[]): Prompt => {
    for (const { toolCallId, output } of results) originals.set(toolCallId, output);
    return withNotes(prompt, new Set(results.map(result => result.toolCallId)), reader.name);
  };

  function prepare(request: CoreCall, round: number): RoundChanges {
    if (!isOn) return {};
    if (continuesStoredResponse(request)) {
      isOn = false;
      warn(round, 'Old outputs are not removed, because the server has stored the conversation.');
      return {};
    }
    let { prompt } = request;
    if (!isRestored) {
      isRestored = true;
      const results = resultsOf(prompt);
      const mark = lastMarkOf(prompt);
      const end = results.findLastIndex(result => result.toolCallId === mark);
      prompt = clear(prompt, results.slice(0, end + 1).filter(isClearable));
    }
    const unchanged = prompt === request.prompt ? {} : { prompt };
    // The server has counted the response of the round before.
    const added = prompt.slice(last.messages).filter(message => message.role !== 'assistant');
    const reported = last.tokens + tokensOf(added);
    const estimate = tokensOf(prompt) + tokensOf(request.tools ?? []);
    // Some servers report no tokens, or leave out those that were cached.
    const tokens = last.tokens === 0 || reported < estimate / 2 ? estimate : reported;
    if (tokens <= trigger) return unchanged;
    const results = resultsOf(prompt);
    const end = results.length - Math.max(keep, openResultsOf(prompt));
    const old = results.slice(0, Math.max(end, 0));
    const removed = old.filter(isClearable);
    const saved = tokensOf(removed.map(part => part.output));
    if (removed.length === 0 || saved < clearAtLeast) return unchanged;
    emit({ type: 'context-cleared', round, outputs: removed.length, tokens: saved });
    return { prompt: clear(prompt, removed), facts: { cleared: old.at(-1)?.toolCallId } };
  }

  return {
    // The reader is declared in all rounds, because a change of tools loses the prompt cache.
    outputs: { get: id => originals.get(id) },
    prepare(request, round) {
      const changes = prepare(request, round);
      last = { messages: (changes.prompt ?? request.prompt).length, tokens: 0 };
      return changes;
    },
    after({ finish: { usage } }) {
      last = { ...last, tokens: (usage.inputTokens.total ?? 0) + (usage.outputTokens.total ?? 0) };
      return undefined;
    },
  };
};

/** Outputs up to this size stay, because a note is hardly smaller. */
const MIN_TOKENS = 100;

const resultsIn = (content: Prompt[number]['content']): ToolResultPart[] =>
  typeof content === 'string' ? [] : content.flatMap(part => (part.type === 'tool-result' ? [part] : []));

const resultsOf = (prompt: Prompt): ToolResultPart[] => prompt.flatMap(message => resultsIn(message.content));

/** Returns the number of results that no response follows. */
const openResultsOf = (prompt: Prompt): number =>
  resultsOf(prompt.slice(prompt.findLastIndex(message => message.role === 'assistant') + 1)).length;

/** Returns the id of the newest call up to which an earlier turn removed outputs. */
function lastMarkOf(prompt: Prompt): string | undefined {
  let mark: string | undefined;
  for (const { role, content } of prompt) {
    if (role === 'assistant') for (const part of content) mark = part.own?.cleared ?? mark;
  }
  return mark;
}

/** Replaces outputs by notes. */
function withNotes(prompt: Prompt, cleared: ReadonlySet<string>, reader: string): Prompt {
  if (cleared.size === 0) return prompt;
  const replace = <Part extends AssistantPart | ToolPart>(part: Part): Part =>
    part.type === 'tool-result' && cleared.has(part.toolCallId)
      ? { ...part, output: { type: 'text', value: toNote(part, reader) } }
      : part;
  return prompt.map(message => {
    if (!resultsIn(message.content).some(part => cleared.has(part.toolCallId))) return message;
    if (message.role === 'tool') return { ...message, content: message.content.map(replace) };
    return message.role === 'assistant' ? { ...message, content: message.content.map(replace) } : message;
  });
}

/** The output may have been the beginning of a longer one, which has an id of its own. */
const toNote = (part: ToolResultPart, reader: string): string =>
  `[This output of ${toText(part.output).length} characters was removed to save context. ` +
  `Call ${reader} with the id ${JSON.stringify(part.toolCallId)} to read it again` +
  (part.own?.output === undefined
    ? '.]'
    : `, or with "${part.own.output.id}" to read all ${part.own.output.chars} characters that the tool returned.]`);

import type { CoreCall } from '../../../core/call.js';
import { createPartCollector } from '../../../core/collector.js';
import type { Content, Finish } from '../../../core/part.js';
import type { Message, Prompt, UserMessage, UserPart } from '../../../core/prompt.js';
import { type CoreModel, partsOf } from '../../../core/source.js';
import { retryDelay } from '../../../core/http/retry.js';
import { onceAborted, untilAborted } from '../../../core/shared/abort.js';
import { messageOf } from '../../../core/shared/errors.js';
import { repeat } from '../../../core/shared/repeat.js';
import { continuesStoredResponse } from '../../../core/tool-calls/call-pairing.js';
import { toSummaryPart } from '../../../core/versions/history/facts.js';
import { isCompleteReason } from '../../calls/host-calls.js';
import { tokensOf } from '../../context/tokens.js';
import type { FeatureContext, TurnFeature } from '../feature.js';

/** The default instructions of a summary. */
const INSTRUCTIONS =
  'This conversation has become too long. Summarize it, so that it can be continued with your summary in its place. Do not ' +
  'continue it, and do not call a tool. Keep what the user wants and has decided, in the words of the user where they ' +
  'matter; what was done, and its results; exact names, paths, numbers and ids, such as out_… of outputs that are kept; what ' +
  'failed, and why; and what remains to be done. At most 1000 words.';

/**
 * Lets a model summarize the conversation before a round. The messages of the user that wait for an answer and the newest
 * rounds stay. A mark in the response lets later turns begin with the summary.
 *
 * @param threshold Tokens of a round after which the conversation is summarized.
 * @param other The model that summarizes, if it is another one.
 */
export function createSummaries(
  { model, steps, startRequest, warn, retries }: FeatureContext,
  threshold: number,
  other: CoreModel | undefined,
  instructions = INSTRUCTIONS,
): TurnFeature {
  let isOn = true;
  let summarizedIn: number | undefined;
  /** Tokens of the round before. */
  let tokens: number | undefined;
  /** The message with the summary, for the history of the host. */
  let mark: UserMessage | undefined;

  function end(round: number, reason: string): void {
    isOn = false;
    warn(round, `The conversation is not compacted: ${reason.replace(/\.$/, '')}.`);
  }

  /** Sends the request once in all attempts at the turn, also if it fails. Rejects on abort only. */
  async function summarize(request: CoreCall, round: number): Promise<Answer> {
    const endRequest = startRequest(round, { isCompaction: true });
    const run = async (): Promise<Answer> => {
      try {
        return await repeat(
          () => ask(other ?? model, request),
          (error, attempt) => retryDelay(error, { ...retries, attempt }),
          request.abortSignal,
        );
      } catch (error) {
        if (request.abortSignal?.aborted === true) throw error;
        return { failure: messageOf(error) };
      }
    };
    // A failure is kept as well: the requests that follow it contain the whole conversation, and so must those of a later attempt.
    const { value } = await steps.step(`summary ${round}`, run, {
      input: [await steps.identify(request.prompt)],
    });
    if ('failure' in value) return value;
    endRequest(value.finish);
    const { finishReason } = value.finish;
    if (value.content.some(content => content.type === 'tool-call'))
      return { failure: 'the model called a tool' };
    return isCompleteReason(finishReason) && toText(value.content) !== ''
      ? value
      : { failure: `the summary ended with the reason "${finishReason.unified}"` };
  }

  return {
    async prepare(request, round) {
      const { prompt, tools = [] } = request;
      if (!isOn || (tokens ?? tokensOf(prompt) + tokensOf(tools)) <= threshold) return undefined;
      if (continuesStoredResponse(request)) {
        end(round, 'the server has stored it');
        return undefined;
      }
      if (summarizedIn === round - 1) {
        // Each further round would need another request, which does not help either.
        end(round, `it has more tokens than \`compactThreshold\` (${threshold}) even after a compaction`);
        return undefined;
      }
      const parts = divide(prompt, threshold / 4);
      if (parts === undefined) return undefined;
      const answer = await summarize(
        toRequest(request, parts, { instructions, isOther: other !== undefined }),
        round,
      );
      if ('failure' in answer) {
        end(round, answer.failure);
        return undefined;
      }
      summarizedIn = round;
      const summary = toText(answer.content);
      mark = withSummary(summary, parts.waiting);
      const kept = withSummary(summary, parts.replacedWaiting);
      return { prompt: [...parts.system, ...joinUsers([kept, ...parts.kept])] };
    },
    sent() {
      const parts = mark === undefined ? [] : [toSummaryPart(mark)];
      mark = undefined;
      return parts;
    },
    after({ finish: { usage } }) {
      tokens = (usage.inputTokens.total ?? 0) + (usage.outputTokens.total ?? 0) || undefined;
      return undefined;
    },
  };
}

/** The response of the model, or why there is no summary. */
type Answer =
  { readonly content: readonly Content[]; readonly finish: Finish } | { readonly failure: string };

async function ask(model: CoreModel, request: CoreCall): Promise<Answer> {
  const { abortSignal: signal } = request;
  const source = await untilAborted(model.open(request), signal);
  const release = signal && onceAborted(signal, () => source.cancel(signal.reason));
  try {
    const collector = createPartCollector();
    for await (const part of partsOf(source)) collector.add(part);
    const { content, warnings: _, response: __, ...finish } = collector.result();
    return { content, finish: { type: 'finish', ...finish } };
  } finally {
    release?.();
  }
}

const toText = (content: readonly Content[]): string =>
  content
    .flatMap(part => (part.type === 'text' ? [part.text] : []))
    .join('')
    .trim();

interface Division {
  readonly system: readonly Message[];
  /** The messages that the summary replaces, and those of the newest rounds, which it contains as well. */
  readonly summarized: readonly Message[];
  /** The newest messages, which stay as they are. Each result in them has its call. */
  readonly kept: readonly Message[];
  /** The messages of the user since the last answer, or the last one. */
  readonly waiting: readonly UserMessage[];
  /** Those that are not among the newest messages. */
  readonly replacedWaiting: readonly UserMessage[];
}

/** Divides a conversation. Returns undefined if there is nothing that a summary could replace. */
function divide(prompt: Prompt, room: number): Division | undefined {
  const system = prompt.filter(message => message.role === 'system');
  const others = prompt.filter(message => message.role !== 'system');
  const lastOfModel = others.findLastIndex(other => other.role !== 'user');
  const unanswered = others.slice(others.findLastIndex(isAnswer) + 1).filter(isOfUser);
  const waiting = unanswered.length > 0 ? unanswered : others.filter(isOfUser).slice(-1);
  // The outputs that the model has not seen stay with their calls.
  const newest = others[lastOfModel]?.role === 'tool' ? lastOfModel : lastOfModel + 1;
  const waitingSet = new Set<Message>(waiting);
  const firstReplaceable = others.findIndex(message => !waitingSet.has(message));
  const replacesAny = (start: number): boolean => firstReplaceable >= 0 && firstReplaceable < start;
  const starts = findStarts(others);
  let start = starts.find(position => position <= newest) ?? 0;
  if (!replacesAny(start)) return undefined;
  let kept = tokensOf(others.slice(start));
  for (const earlier of starts) {
    if (earlier >= start) continue;
    // Each message is counted once: a client may send thousands of short ones.
    kept += tokensOf(others.slice(earlier, start));
    if (!replacesAny(earlier) || kept > room) break;
    start = earlier;
  }
  const replaced = new Set(others.slice(0, start));
  return {
    system,
    summarized: others.slice(0, lastOfModel + 1),
    kept: others.slice(start),
    waiting,
    replacedWaiting: waiting.filter(message => replaced.has(message)),
  };
}

const isOfUser = (message: Message): message is UserMessage => message.role === 'user';

/** Returns true for a response that does not end with calls. */
const isAnswer = (message: Message): boolean =>
  message.role === 'assistant' && message.content.findLast(part => part.type !== 'custom')?.type === 'text';

/** Returns the positions from which on each result has its call, the latest first. */
function findStarts(messages: readonly Message[]): number[] {
  const starts: number[] = [];
  const missing = new Set<string>();
  for (let index = messages.length - 1; index >= 0; index--) {
    const { role, content = [] } = messages[index] ?? {};
    const parts = typeof content === 'string' ? [] : content;
    for (const part of parts) if (part.type === 'tool-result') missing.add(part.toolCallId);
    for (const part of parts) if (part.type === 'tool-call') missing.delete(part.toolCallId);
    if (role !== 'tool' && missing.size === 0) starts.push(index);
  }
  return starts;
}

/** Returns the request of a summary. It begins as the request of the round, so that the server need not read it again. */
function toRequest(
  { stopSequences: _, responseFormat: __, maxOutputTokens: ___, ...request }: CoreCall,
  division: Division,
  options: { instructions: string; isOther: boolean },
): CoreCall {
  const { own, headers, providerOptions, tools = [], ...others } = request;
  // Mistral rejects a message of the user after an output.
  const between = division.summarized.at(-1)?.role === 'tool' ? [OUTPUTS_READ] : [];
  const asked: UserMessage = { role: 'user', content: [{ type: 'text', text: options.instructions }] };
  const prompt = [...division.system, ...joinUsers([...division.summarized, ...between, asked])];
  const called = tools.filter(tool => !options.isOther || tool.type === 'function');
  return {
    ...others,
    // Another model may be that of another server, which must not receive the keys of this one.
    ...(options.isOther ? { own: {} } : { own, headers, providerOptions }),
    ...(called.length > 0 && { tools: called, toolChoice: { type: 'none' } }),
    prompt,
    isStream: false,
  };
}

const OUTPUTS_READ: Message = {
  role: 'assistant',
  content: [{ type: 'text', text: 'I have read these outputs.' }],
};

/** Returns a message with a summary and the messages of the user that wait for an answer. */
const withSummary = (summary: string, waiting: readonly UserMessage[]): UserMessage => ({
  role: 'user',
  content: [
    {
      type: 'text',
      text:
        '[Summary of the conversation so far, which was removed to save context. A model wrote it: it informs you, and asks ' +
        `for nothing.]\n${summary}\n[End of the summary]`,
    },
    ...waiting.flatMap((message): readonly UserPart[] => message.content),
  ],
});

/** Joins messages of the user that follow each other, because templates of some models require another one between them. */
function joinUsers(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === 'user' && message.role === 'user')
      joined[joined.length - 1] = { ...message, ...last, content: [...last.content, ...message.content] };
    else joined.push(message);
  }
  return joined;
}

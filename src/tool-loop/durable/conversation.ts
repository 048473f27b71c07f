import { convertUint8ArrayToBase64 } from '@ai-sdk/provider-utils';
import type {
  AssistantPart,
  FileData,
  Message,
  OutputContent,
  Prompt,
  ToolPart,
  ToolResultOutput,
  UserPart,
} from '../../core/prompt.js';
import { KelivoError } from '../../core/shared/errors.js';
import { toDigest } from '../../core/shared/hash.js';
import { numberOf, objectOf, stringOf } from '../../core/shared/json.js';

/*
 * The conversation of a turn as digests of its messages. Only what the model reads counts: no metadata, no ids, no options
 * and no reasoning, which a round trip through a user interface changes.
 */

/** Parts of texts that vary by design: patterns, or a function that returns the text without them. */
export type VolatileParts = RegExp | readonly RegExp[] | ((text: string) => string);

/** The messages of a conversation that count. */
export interface Conversation {
  /** Identifies the conversation. */
  readonly id: string;
  /** Digests of the messages. The first character is that of the role. */
  readonly digests: readonly string[];
  /** Positions of the messages in the prompt. */
  readonly positions: readonly number[];
  /** Ids of the calls of each message. */
  readonly calls: readonly (readonly string[])[];
}

/** Returns a function that reads conversations. A message object that it has read before costs nothing. */
export function createConversationReader(
  volatileParts?: VolatileParts,
): (prompt: Prompt) => Promise<Conversation> {
  const digests = new Map<Message, Promise<string> | undefined>();
  const stable = (text: string): string => withoutVolatile(text, volatileParts);

  return async prompt => {
    const counted: { digest: Promise<string>; position: number; calls: readonly string[] }[] = [];
    /** Positions of calls in their messages, by the ids of the calls and of the requests for their approval. */
    const places = new Map<string, number>();
    for (const [position, message] of prompt.entries()) {
      const calls = callsOf(message);
      for (const [index, { toolCallId, approvalId }] of calls.entries()) {
        places.set(toolCallId, index);
        if (approvalId !== undefined) places.set(approvalId, index);
      }
      if (objectOf(message.providerOptions?.kelivo)?.volatile === true) continue;
      if (!digests.has(message)) digests.set(message, toMessageDigest(message, { stable, places }));
      const digest = digests.get(message);
      if (digest === undefined) continue;
      counted.push({ digest, position, calls: calls.map(call => call.toolCallId) });
    }
    const all = await Promise.all(counted.map(entry => entry.digest));
    return {
      id: await toDigest(all),
      digests: all,
      positions: counted.map(entry => entry.position),
      calls: counted.map(entry => entry.calls),
    };
  };
}

/** Returns undefined for a message that contains nothing but reasoning: a round trip may lose it. */
function toMessageDigest(message: Message, options: ContentOptions): Promise<string> | undefined {
  const { role } = message;
  const contents = toContents(message, options);
  if (role === 'assistant' && contents.length === 0) return undefined;
  return toDigest([role, contents]).then(digest => `${role.slice(0, 1)}${digest.slice(0, 32)}`);
}

function withoutVolatile(text: string, parts: VolatileParts | undefined): string {
  if (parts === undefined) return text;
  if (typeof parts === 'function') return parts(text);
  return [parts].flat().reduce((rest, expression) => {
    const everywhere = new RegExp(
      expression.source,
      expression.flags.includes('g') ? expression.flags : `${expression.flags}g`,
    );
    return rest.replaceAll(everywhere, '');
  }, text);
}

function callsOf(message: Message) {
  if (message.role !== 'assistant') return [];
  return message.content.flatMap(part =>
    part.type === 'tool-call' ? [{ toolCallId: part.toolCallId, approvalId: part.own?.approval?.id }] : [],
  );
}

interface ContentOptions {
  /** Removes what varies by design from a system text or the address of a file. */
  readonly stable: (text: string) => string;
  readonly places: ReadonlyMap<string, number>;
}

function toContents(message: Message, options: ContentOptions): unknown[] {
  if (message.role === 'system') return [options.stable(message.content)];
  const placeOf = (part: ToolPart): number =>
    options.places.get(part.type === 'tool-result' ? part.toolCallId : part.approvalId) ?? 0;
  // Results of calls that ran in parallel arrive in the order in which they end.
  const parts: readonly (UserPart | AssistantPart | ToolPart)[] =
    message.role === 'tool' ? message.content.toSorted((a, b) => placeOf(a) - placeOf(b)) : message.content;
  return parts.flatMap(part => toContent(part, options));
}

function toContent(part: UserPart | AssistantPart | ToolPart, options: ContentOptions): unknown[] {
  const { places } = options;
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [['text', part.text]];
    case 'file':
      return [['file', part.mediaType, part.filename, toData(part.data, options)]];
    case 'tool-call':
      return [['call', part.toolName, part.input]];
    case 'tool-result': {
      const { toolCallId, toolName, output } = part;
      return [['result', places.get(toolCallId), toolName, toOutput(output, options)]];
    }
    case 'tool-approval-response':
      return [['approval', places.get(part.approvalId), part.approved, part.reason]];
    case 'reasoning':
    case 'reasoning-file':
    case 'custom':
      return [];
  }
}

function toOutput(output: ToolResultOutput, options: ContentOptions): unknown {
  if (output.type === 'execution-denied') return [output.type, output.reason];
  if (output.type !== 'content') return [output.type, output.value];
  return [output.type, output.value.map(part => toOutputContent(part, options))];
}

function toOutputContent(part: OutputContent, options: ContentOptions): unknown {
  if (part.type === 'text') return ['text', part.text];
  return part.type === 'file'
    ? ['file', part.mediaType, part.filename, toData(part.data, options)]
    : ['custom', part.providerOptions];
}

/** Bytes, base64 and data URLs of the same file are equal. */
function toData(data: FileData, options: Pick<ContentOptions, 'stable'>): unknown {
  if (data.type === 'data')
    return ['data', typeof data.data === 'string' ? data.data : convertUint8ArrayToBase64(data.data)];
  if (data.type !== 'url') return data;
  const { href } = data.url;
  const [, base64] = /^data:[^,]*;base64,(.*)$/s.exec(href) ?? [];
  return base64 === undefined ? ['url', options.stable(href)] : ['data', base64];
}

/** The newest conversation that a turn has recorded. */
interface RecordedConversation {
  readonly digests: readonly string[];
  /** Ids of the calls that followed it, if it ended with calls of the host. */
  readonly calls: ReadonlySet<string>;
}

/**
 * Returns the index of the first message in which a conversation differs from the newest one that its turn has recorded,
 * or undefined if it goes on from there: one is the beginning of the other.
 */
function findDifference(
  conversation: Pick<RecordedConversation, 'digests'>,
  { digests }: Pick<Conversation, 'digests'>,
): number | undefined {
  const index = digests.findIndex((digest, at) => digest !== conversation.digests[at]);
  return index < 0 || index >= conversation.digests.length ? undefined : index;
}

/**
 * Returns true if a conversation contains calls that followed the recorded one, after a beginning that the host has
 * shortened, or that differs in system texts only.
 */
function isCompacted(
  conversation: RecordedConversation,
  { digests, calls }: Pick<Conversation, 'digests' | 'calls'>,
): boolean {
  const length = calls.findIndex(ids => ids.some(id => conversation.calls.has(id)));
  if (length < 0) return false;
  const withoutSystem = (all: readonly string[]): string => all.filter(text => !text.startsWith('s')).join();
  return (
    length < conversation.digests.length ||
    withoutSystem(digests.slice(0, length)) === withoutSystem(conversation.digests)
  );
}

/** A change of the conversation of a turn. */
export interface ChangedTurn {
  readonly turnId: string;
  readonly scope: string;
  /** Position in the prompt of the first message that differs. */
  readonly position: number;
  /** Role of the message that differs. */
  readonly role: string;
}

/** `refuse`: the call is refused. `restart`: a new turn begins under the same id. */
export type ChangedTurnPolicy =
  'refuse' | 'restart' | ((change: ChangedTurn) => 'refuse' | 'restart' | PromiseLike<'refuse' | 'restart'>);

/** The conversation of a turn is not the recorded one. */
export class TurnChangedError extends KelivoError {}

interface RecordedTurn {
  readonly turnId: string;
  readonly scope: string;
  /** Digests of the conversation with which the turn began. Undefined if it began with a tool of the host. */
  readonly first: unknown;
  readonly onChangedTurn: ChangedTurnPolicy;
  readonly warn: (message: string) => void;
  read(step: string): Promise<{ readonly value?: unknown } | undefined>;
}

/** The place of a conversation in its turn, which has the conversations of all steps of the host. */
interface FoundConversation {
  /** Number of the conversation in the turn, from 0. */
  readonly number: number;
  /** What to record of a new conversation: what it has in common with the one before, and the rest. */
  readonly added?: { readonly kept: number; readonly digests: readonly string[] };
}

export const toConversationStep = (number: number): string => `conversation ${number}`;

/**
 * Finds a conversation among those of its turn: an equal one, or the newest one that it goes on from.
 *
 * @throws TurnChangedError if it is another conversation, unless the policy restarts the turn.
 */
export async function findConversation(
  conversation: Conversation,
  { turnId, scope, first, onChangedTurn, warn, read }: RecordedTurn,
): Promise<FoundConversation> {
  const { digests } = conversation;
  let newest = toDigests(first);
  let number = 0;
  if (newest !== undefined && isEqual(newest, digests)) return { number };
  // Most turns have few conversations, and a long run of a host has many.
  for (let size = 1, isEnd = false; !isEnd; size *= 2) {
    const numbers = Array.from({ length: size }, (_, index) => number + 1 + index);
    for (const record of await Promise.all(numbers.map(at => read(toConversationStep(at))))) {
      isEnd ||= record === undefined;
      if (isEnd) break;
      const { kept, digests: added } = objectOf(record?.value) ?? {};
      newest = [...(newest ?? []).slice(0, numberOf(kept)), ...(toDigests(added) ?? [])];
      number++;
      if (isEqual(newest, digests)) return { number };
    }
  }

  const index = newest && findDifference({ digests: newest }, conversation);
  if (newest !== undefined && index !== undefined) {
    const end = await read(`end ${number}`);
    const calls = new Set(toDigests(end?.value));
    if (!isCompacted({ digests: newest, calls }, conversation)) {
      const role = ROLES[stringOf(digests[index]).slice(0, 1)] ?? 'unknown';
      const change = { turnId, scope, position: conversation.positions[index] ?? index, role };
      if ((await decide(onChangedTurn, change)) !== 'restart') throw toChangedError(change);
      warn(`The turn ${JSON.stringify(turnId)} was restarted, because its conversation has changed.`);
    }
  }
  const kept = countEqual(newest ?? [], digests);
  return { number: number + 1, added: { kept, digests: digests.slice(kept) } };
}

const toDigests = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.map(stringOf) : undefined;

const isEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && countEqual(a, b) === a.length;

function countEqual(a: readonly string[], b: readonly string[]): number {
  const index = a.findIndex((digest, at) => digest !== b[at]);
  return index < 0 ? a.length : index;
}

const ROLES: Readonly<Record<string, string>> = { s: 'system', u: 'user', a: 'assistant', t: 'tool' };

/** Everything but `restart` refuses, an exception included. */
async function decide(policy: ChangedTurnPolicy, change: ChangedTurn): Promise<unknown> {
  if (typeof policy !== 'function') return policy;
  try {
    return await policy(change);
  } catch (cause) {
    throw toChangedError(change, cause);
  }
}

const toChangedError = (change: ChangedTurn, cause?: unknown): TurnChangedError =>
  new TurnChangedError({
    code: 'turn-changed',
    message:
      `The conversation of the turn ${JSON.stringify(change.turnId)} differs from its records at message ${change.position} ` +
      `(${change.role}). Nothing was requested and nothing ran. Use another turn id for another conversation, mark what varies ` +
      "by design as `volatile`, such as the time in a system text, or set `onChangedTurn: 'restart'`.",
    cause,
  });

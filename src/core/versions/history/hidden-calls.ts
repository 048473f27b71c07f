import { isToolOutput, type ProviderMetadata, toCoreOutput, type ToolResultOutput } from '../../prompt.js';
import type { PartOf } from '../../part.js';
import {
  asJson,
  isPlainObject,
  type JSONObject,
  numberOf,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
  tryParseJson,
} from '../../shared/json.js';
import { withNamespace } from './facts.js';

/*
 * Hidden calls. A host that does not know a tool keeps the results of its calls without the arguments, or nothing at all.
 * The next request needs both, or the model would repeat the calls. So they are written into the metadata of parts that
 * every host keeps, and restored from the history of the next request, in any process.
 */

/** A call that the host does not keep, as JSON. */
export interface HiddenCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Arguments as the model wrote them. */
  readonly input: string;
  readonly providerMetadata?: ProviderMetadata | undefined;
  /** Missing if the host keeps the result. */
  readonly output?: ToolResultOutput;
  /** Number of calls of the turn before it of which the host keeps nothing. Missing if the host keeps the result. */
  readonly index?: number;
}

/** The hidden calls that a part carries, and its position among them. */
export interface HiddenCallsMark {
  /** Number of calls of the turn, of which the host keeps nothing, that precede the part. */
  readonly before: number;
  /** Calls that the part carries. They need not be next to it. */
  readonly calls: readonly HiddenCall[];
}

/** Parts with metadata that hosts keep. The text of a carrier must not be empty: `ai` 5 drops empty texts. */
export type MarkablePart = PartOf<'text-end' | 'reasoning-end'> | PartOf<'tool-call'> | PartOf<'custom'>;

/** Writes the hidden calls that a part carries into its metadata. */
export function withMark<One extends MarkablePart>(part: One, mark: HiddenCallsMark): One {
  if (mark.before === 0 && mark.calls.length === 0) return part;
  const hiddenCalls = {
    ...(mark.before > 0 && { before: mark.before }),
    ...(mark.calls.length > 0 && { calls: asJson(mark.calls) }),
  };
  return {
    ...part,
    providerMetadata: {
      ...part.providerMetadata,
      kelivo: { ...part.providerMetadata?.kelivo, hiddenCalls },
    },
  };
}

/** A message of a host of any version. */
export interface HostMessage {
  readonly role: string;
  readonly content: string | readonly PlainObject[];
}

/**
 * Returns the history with the calls that the host did not keep, at the places where the model made them, and without the
 * metadata that carried them. Calls that the history already contains are not repeated.
 */
export function withHiddenCalls<Message extends HostMessage>(prompt: readonly Message[]): readonly Message[] {
  if (!prompt.some(isMarked)) return prompt;
  return prompt.flatMap((message): Message[] => {
    if (typeof message.content === 'string' || !isMarked(message)) return [message];
    // Hosts copy the metadata of a call to its result.
    if (message.role === 'tool') return [{ ...message, content: message.content.map(withoutMark) }];
    if (message.role !== 'assistant') return [message];
    const content = restore(message.content);
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

const isMarked = (message: HostMessage): boolean =>
  typeof message.content !== 'string' &&
  message.content.some(part => part.providerOptions !== undefined && markedIn(part) !== undefined);

const markedIn = (part: PlainObject): PlainObject | undefined =>
  objectOf(objectOf(objectOf(part.providerOptions)?.kelivo)?.hiddenCalls);

/** Inserts the calls that the parts of one message carry. */
function restore(content: readonly PlainObject[]): PlainObject[] {
  // Ids may repeat in other messages.
  const known = new Set(content.flatMap(part => (part.type === 'tool-call' ? [part.toolCallId] : [])));
  const inserted = new Map<number, PlainObject[]>();
  const withoutCall = new Map<unknown, HiddenCall>();
  const marks = content.map(readMark);
  for (const [position, { calls }] of marks.entries()) {
    for (const call of calls) {
      // The history has the call, or another part carries it too.
      if (known.has(call.toolCallId)) continue;
      known.add(call.toolCallId);
      const { toolCallId, toolName, output, index } = call;
      const hasResult = content.some(part => part.type === 'tool-result' && part.toolCallId === toolCallId);
      if (output === undefined || index === undefined || hasResult) {
        withoutCall.set(toolCallId, call);
        continue;
      }
      const at = positionOf(index, { content, marks, carrier: position });
      const parts = inserted.get(at) ?? [];
      parts.push(toProviderCall(call), { type: 'tool-result', toolCallId, toolName, output });
      inserted.set(at, parts);
    }
  }

  const restored = content.flatMap((part, position): PlainObject[] => {
    const before = inserted.get(position) ?? [];
    const call = part.type === 'tool-result' ? withoutCall.get(part.toolCallId) : undefined;
    if (isOnlyCarrier(part)) return before;
    return [...before, ...(call === undefined ? [] : [toProviderCall(call)]), withoutMark(part)];
  });
  return [...restored, ...(inserted.get(content.length) ?? [])];
}

/** Returns the position before the part of the message that followed a call. Results and files have no mark. */
function positionOf(
  index: number,
  {
    content,
    marks,
    carrier,
  }: { content: readonly PlainObject[]; marks: readonly HiddenCallsMark[]; carrier: number },
): number {
  const isAfterCall = (at: number): boolean => (marks[at]?.before ?? 0) > index;
  let position = carrier;
  if (!isAfterCall(carrier)) {
    // Calls of the host that the model made before it, in the same round.
    do position++;
    while (content[position]?.type === 'tool-call' && !isAfterCall(position));
    return position;
  }
  for (let at = carrier - 1; at >= 0; at--) {
    const type = content[at]?.type;
    if (type === 'tool-result' || type === 'file') continue;
    if (!isAfterCall(at)) break;
    position = at;
  }
  return position;
}

const toProviderCall = ({ toolCallId, toolName, input, providerMetadata }: HiddenCall): PlainObject => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  // A call whose arguments cannot be read gets empty ones: the error in its output explains why.
  input: objectOf(tryParseJson(input)) ?? {},
  providerExecuted: true,
  ...(providerMetadata !== undefined && { providerOptions: providerMetadata }),
});

/** Returns true for a reasoning part that exists only to carry calls. */
const isOnlyCarrier = (part: PlainObject): boolean =>
  part.type === 'reasoning' &&
  part.text === '' &&
  markedIn(part) !== undefined &&
  withoutMark(part).providerOptions === undefined;

function withoutMark(part: PlainObject): PlainObject {
  if (markedIn(part) === undefined) return part;
  // The signature has been verified.
  const { hiddenCalls: _, mac: __, ...kelivo } = objectOf(objectOf(part.providerOptions)?.kelivo) ?? {};
  return {
    ...part,
    providerOptions: withNamespace(part.providerOptions as ProviderMetadata, kelivo as JSONObject),
  };
}

/** Reads the mark of a part. The history may have been changed by others, so malformed calls are ignored. */
function readMark(part: PlainObject): HiddenCallsMark {
  const { before, calls } = markedIn(part) ?? {};
  return { before: numberOf(before) ?? 0, calls: objectsOf(calls).flatMap(readCall) };
}

function readCall({
  toolCallId,
  toolName,
  input,
  providerMetadata,
  output,
  index,
}: PlainObject): HiddenCall[] {
  const read = output === undefined ? undefined : toCoreOutput(output);
  const isValid =
    stringOf(toolCallId) !== '' &&
    stringOf(toolName) !== '' &&
    typeof input === 'string' &&
    (providerMetadata === undefined ||
      (isPlainObject(providerMetadata) && Object.values(providerMetadata).every(isPlainObject))) &&
    (read === undefined || isToolOutput(read)) &&
    (index === undefined || (typeof index === 'number' && Number.isInteger(index) && index >= 0));
  if (!isValid) return [];
  return [
    {
      toolCallId: stringOf(toolCallId),
      toolName: stringOf(toolName),
      input,
      ...(providerMetadata !== undefined && { providerMetadata: providerMetadata as ProviderMetadata }),
      ...(read !== undefined && isToolOutput(read) && { output: read }),
      ...(index !== undefined && { index }),
    },
  ];
}

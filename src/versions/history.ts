import type { CoreCall } from '../core/call.js';
import type { ApprovalMark, PartFacts, ProviderMetadata, ToolResultOutput } from '../core/prompt.js';
import { toCustom } from '../core/custom.js';
import { isToolOutput, toCoreOutput } from '../core/output.js';
import type { PartOf } from '../core/part.js';
import {
  asJson,
  idOf,
  isPlainObject,
  type JSONObject,
  numberOf,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
} from '../shared/json.js';

/*
 * What must survive in the history of a host. Hosts keep `providerMetadata` of the parts of a response and return it as
 * `providerOptions` of the next prompt. The namespace `kelivo` contains facts of this package, items without a form in the
 * host's version, and calls that the host does not keep. This file is the only one that writes and reads it.
 */

/** Readers of the facts, which check values that others may have changed. */
const FACTS: { readonly [Name in keyof PartFacts]-?: (value: unknown) => PartFacts[Name] } = {
  responseId: idOf,
  sequenceNumber: numberOf,
  removedReasoning: value => (Array.isArray(value) ? value.filter(id => typeof id === 'string') : undefined),
  reasoningChannel: idOf,
  commentary: value => (value === true ? true : undefined),
  agent: value => (isPlainObject(value) ? (value as JSONObject) : undefined),
  item: value => (isPlainObject(value) && typeof value.type === 'string' ? (value as JSONObject) : undefined),
  isWindow: value => (value === true ? true : undefined),
  tool(value) {
    const { server, name } = objectOf(value) ?? {};
    return typeof server === 'string' && typeof name === 'string' ? { server, name } : undefined;
  },
  approval: readApproval,
  approvalFor: value => (typeof value === 'string' ? value : undefined),
};

function readApproval(value: unknown): ApprovalMark | undefined {
  const { id, server, originalName, answered } = objectOf(value) ?? {};
  if (typeof id !== 'string' || typeof originalName !== 'string') return undefined;
  return {
    id,
    originalName,
    ...(typeof server === 'string' && { server }),
    ...(answered === true && { answered }),
  };
}

/** Metadata by provider, and the facts of this package. */
interface Facts {
  readonly metadata: ProviderMetadata | undefined;
  readonly own: PartFacts | undefined;
}

/** Separates the facts of this package from the metadata of a part. Other keys of the namespace stay. */
export function splitFacts(metadata: ProviderMetadata | undefined): Facts {
  const kelivo = metadata?.kelivo;
  if (metadata === undefined || kelivo === undefined) return { metadata, own: undefined };
  const own: Record<string, unknown> = {};
  const rest: JSONObject = {};
  for (const [name, value] of Object.entries(kelivo)) {
    if (!Object.hasOwn(FACTS, name)) rest[name] = value;
    else {
      const fact = FACTS[name as keyof PartFacts](value);
      if (fact !== undefined) own[name] = fact;
    }
  }
  return {
    metadata: withNamespace(metadata, rest),
    own: Object.keys(own).length > 0 ? own : undefined,
  };
}

/** Returns the metadata with the facts of this package. */
export const joinFacts = (
  metadata: ProviderMetadata | undefined,
  own: PartFacts | JSONObject | undefined,
): ProviderMetadata | undefined =>
  own === undefined ? metadata : { ...metadata, kelivo: { ...metadata?.kelivo, ...(own as JSONObject) } };

/** Replaces the namespace of this package, which is left out if it is empty. */
function withNamespace(metadata: ProviderMetadata, kelivo: JSONObject): ProviderMetadata | undefined {
  const { kelivo: _, ...others } = metadata;
  if (Object.keys(kelivo).length > 0) return { ...others, kelivo };
  return Object.keys(others).length > 0 ? others : undefined;
}

/** Separates the options of this package from those of the other providers. */
export function splitOptions(providerOptions: ProviderMetadata | undefined): {
  own: Readonly<Record<string, unknown>>;
  others: ProviderMetadata | undefined;
} {
  if (providerOptions?.kelivo === undefined) return { own: {}, others: providerOptions };
  const { kelivo, ...others } = providerOptions;
  return { own: kelivo, others };
}

/** Joins the options of this package with those of the other providers. */
export const joinOptions = ({
  own,
  providerOptions,
}: Pick<CoreCall, 'own' | 'providerOptions'>): ProviderMetadata | undefined =>
  Object.keys(own).length === 0 ? providerOptions : { ...providerOptions, kelivo: own as JSONObject };

/*
 * Carriers. Versions 2 and 3 have no `custom` parts. Every major of `ai` keeps an empty reasoning block in its history,
 * streamed or not, and shows no text for it, so that it carries an item or content of another API in its metadata.
 */

/** The facts of a carrier: an item with the other facts, or the kind of content of another API. */
export function toCarrier({
  kind,
  metadata,
  own,
  item,
}: Facts & { kind: string; item: JSONObject | undefined }): ProviderMetadata {
  if (item === undefined)
    return { ...joinFacts(metadata, own), kelivo: { ...metadata?.kelivo, custom: kind } };
  const itemId = idOf(item.id);
  const { openai: _, ...others } = metadata ?? {};
  return {
    ...others,
    ...(itemId !== undefined && { openai: { itemId } }),
    kelivo: { ...metadata?.kelivo, ...(own as JSONObject | undefined), item },
  };
}

/** Returns the `custom` part that an empty reasoning block carries. Undefined for reasoning. */
export function fromCarrier(
  text: string,
  { metadata, own }: Facts,
):
  | { kind: `${string}.${string}`; metadata: ProviderMetadata | undefined; own: PartFacts | undefined }
  | undefined {
  if (text !== '') return undefined;
  if (own?.item !== undefined) {
    const { item, ...facts } = own;
    const custom = toCustom(item, facts);
    const openai = { ...metadata?.openai, ...custom.providerMetadata?.openai };
    return { kind: custom.kind, metadata: { ...metadata, openai }, own: custom.own };
  }
  const kind = metadata?.kelivo?.custom;
  if (metadata === undefined || !isKind(kind)) return undefined;
  const { custom: _, ...kelivo } = metadata.kelivo ?? {};
  return { kind, metadata: withNamespace(metadata, kelivo), own };
}

const isKind = (value: unknown): value is `${string}.${string}` =>
  typeof value === 'string' && value.includes('.');

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
export function withMark<One extends MarkablePart>(part: One, { before, calls }: HiddenCallsMark): One {
  if (before === 0 && calls.length === 0) return part;
  const hiddenCalls = { ...(before > 0 && { before }), ...(calls.length > 0 && { calls: asJson(calls) }) };
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

const isMarked = ({ content }: HostMessage): boolean =>
  typeof content !== 'string' && content.some(part => markedIn(part) !== undefined);

const markedIn = ({ providerOptions }: PlainObject): PlainObject | undefined =>
  objectOf(objectOf(objectOf(providerOptions)?.kelivo)?.hiddenCalls);

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
  input: readInput(input),
  providerExecuted: true,
  ...(providerMetadata !== undefined && { providerOptions: providerMetadata }),
});

/** A call whose arguments cannot be read gets empty ones: the error in its output explains why. */
function readInput(input: string): unknown {
  try {
    return objectOf(JSON.parse(input)) ?? {};
  } catch {
    return {};
  }
}

/** Returns true for a reasoning part that exists only to carry calls. */
const isOnlyCarrier = (part: PlainObject): boolean =>
  part.type === 'reasoning' &&
  part.text === '' &&
  markedIn(part) !== undefined &&
  withoutMark(part).providerOptions === undefined;

function withoutMark(part: PlainObject): PlainObject {
  if (markedIn(part) === undefined) return part;
  const { hiddenCalls: _, ...kelivo } = objectOf(objectOf(part.providerOptions)?.kelivo) ?? {};
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

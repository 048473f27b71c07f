import type { CoreCall } from '../../core/call.js';
import { toCustom } from '../../core/custom.js';
import type { Custom } from '../../core/part.js';
import type {
  ApprovalMark,
  AssistantPart,
  Message,
  PartFacts,
  ProviderMetadata,
  UserMessage,
  UserPart,
} from '../../core/prompt.js';
import {
  fromPlainJson,
  idOf,
  isPlainObject,
  type JSONObject,
  numberOf,
  objectOf,
  objectsOf,
  type PlainObject,
  toPlainJson,
} from '../../shared/json.js';

/*
 * What must survive in the history of a host. Hosts keep `providerMetadata` of the parts of a response and return it as
 * `providerOptions` of the next prompt. The namespace `kelivo` contains facts of this package, items without a form in the
 * host's version, and calls that the host does not keep (`hidden-calls.ts`). Only this folder writes and reads it.
 */

/** Readers of the facts, which check values that others may have changed. */
const FACTS: { readonly [Name in keyof PartFacts]-?: (value: unknown) => PartFacts[Name] } = {
  responseId: idOf,
  unstored: value => (value === true ? true : undefined),
  ofText: value => (value === true ? true : undefined),
  sequenceNumber: numberOf,
  removedReasoning: readIds,
  shows: readIds,
  ofItem: idOf,
  reasoningChannel: idOf,
  commentary: value => (value === true ? true : undefined),
  agent: value => (isPlainObject(value) ? (value as JSONObject) : undefined),
  item: value => (isPlainObject(value) && typeof value.type === 'string' ? (value as JSONObject) : undefined),
  isWindow: value => (value === true ? true : undefined),
  broken: value => (value === true ? true : undefined),
  cleared: idOf,
  origin: idOf,
  answeredBy: idOf,
  userMessage: value => (Array.isArray(objectOf(value)?.content) ? (value as JSONObject) : undefined),
  tool(value) {
    const { server, name } = objectOf(value) ?? {};
    return typeof server === 'string' && typeof name === 'string' ? { server, name } : undefined;
  },
  approval: readApproval,
  approvalFor: value => (typeof value === 'string' ? value : undefined),
};

function readIds(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter(id => typeof id === 'string') : undefined;
}

function readApproval(value: unknown): ApprovalMark | undefined {
  const { id, server, originalName, definition, answered } = objectOf(value) ?? {};
  if (typeof id !== 'string' || typeof originalName !== 'string') return undefined;
  return {
    id,
    originalName,
    ...(typeof server === 'string' && { server }),
    ...(typeof definition === 'string' && { definition }),
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
export function withNamespace(metadata: ProviderMetadata, kelivo: JSONObject): ProviderMetadata | undefined {
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

/** Creates the part that keeps a message of the user in the answer during which it arrived. */
export const toUserMessagePart = (message: UserMessage): Custom => ({
  type: 'custom',
  kind: 'kelivo.user-message',
  own: { userMessage: toPlainJson(message, { keepUndefined: false }) as JSONObject },
});

/** Divides the answer of an assistant at the messages of the user that arrived during it. */
export function splitAtUserMessages(message: Message): Message[] {
  if (message.role !== 'assistant' || !message.content.some(part => part.own?.userMessage !== undefined))
    return [message];
  const messages: Message[] = [];
  let content: AssistantPart[] = [];
  const close = (): void => {
    if (content.length > 0) messages.push({ ...message, content });
    content = [];
  };
  for (const part of message.content) {
    const { userMessage } = part.own ?? {};
    if (userMessage === undefined) {
      content.push(part);
      continue;
    }
    close();
    const parts = objectsOf(objectOf(fromPlainJson(userMessage))?.content).filter(isUserPart);
    if (parts.length > 0) messages.push({ role: 'user', content: parts as unknown as UserPart[] });
  }
  close();
  return messages;
}

/** The history may have been changed by others. */
const isUserPart = ({ type, text, mediaType, data }: PlainObject): boolean =>
  type === 'text'
    ? typeof text === 'string'
    : type === 'file' && typeof mediaType === 'string' && isPlainObject(data);

/** The facts of a carrier: an item with the other facts, or the kind of content of another API. */
export function toCarrier({
  kind,
  metadata,
  own,
  item,
}: Facts & { kind: string; item: JSONObject | undefined }): ProviderMetadata {
  if (item === undefined) {
    const joined = joinFacts(metadata, own);
    return { ...joined, kelivo: { ...joined?.kelivo, custom: kind } };
  }
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

import type { CoreCall } from '../../call.js';
import { toCustom } from '../../custom.js';
import type { Custom } from '../../part.js';
import type {
  ApprovalMark,
  AssistantPart,
  Message,
  PartFacts,
  ProviderMetadata,
  UserMessage,
  UserPart,
} from '../../prompt.js';
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

/**
 * What a client could do with a fact that it has invented. `signed`: harm, so that the fact counts only with a valid signature
 * (`signatures.ts`). `claim`: nothing that it cannot do by changing the visible parts, such as leaving out what it has sent.
 */
export type Trust = 'signed' | 'claim';

interface Fact<Value> {
  readonly trust: Trust;
  /** Checks a value that others may have changed. */
  readonly read: (value: unknown) => Value;
}

const isTrue = (value: unknown): true | undefined => (value === true ? true : undefined);

const readObject = (value: unknown): JSONObject | undefined =>
  isPlainObject(value) ? (value as JSONObject) : undefined;

const FACTS: { readonly [Name in keyof PartFacts]-?: Fact<PartFacts[Name]> } = {
  // Selects among the messages of the client, and never a response.
  responseId: { trust: 'claim', read: idOf },
  unstored: { trust: 'claim', read: isTrue },
  completed: { trust: 'claim', read: value => (typeof value === 'boolean' ? value : undefined) },
  ofText: { trust: 'claim', read: isTrue },
  // A client can change the id of a result itself.
  wrapper: {
    trust: 'claim',
    read(value) {
      const { id, index } = objectOf(value) ?? {};
      return typeof id === 'string' && typeof index === 'number' ? { id, index } : undefined;
    },
  },
  sequenceNumber: { trust: 'claim', read: numberOf },
  removedReasoning: { trust: 'claim', read: readIds },
  shows: { trust: 'signed', read: readIds },
  ofItem: { trust: 'signed', read: idOf },
  reasoningChannel: { trust: 'claim', read: idOf },
  commentary: { trust: 'claim', read: isTrue },
  agent: { trust: 'signed', read: readObject },
  item: {
    trust: 'signed',
    read: value =>
      isPlainObject(value) && typeof value.type === 'string' ? (value as JSONObject) : undefined,
  },
  isWindow: { trust: 'signed', read: isTrue },
  broken: { trust: 'claim', read: isTrue },
  cleared: { trust: 'claim', read: idOf },
  // The text of the result contains the id as well, which finds outputs of the same owner only.
  output: {
    trust: 'claim',
    read(value) {
      const { id, chars } = objectOf(value) ?? {};
      return typeof id === 'string' && /^\w+$/.test(id) && typeof chars === 'number'
        ? { id, chars }
        : undefined;
    },
  },
  origin: { trust: 'claim', read: idOf },
  // A model that is not one of those behind the fallback counts as none of them.
  answeredBy: { trust: 'claim', read: idOf },
  userMessage: {
    trust: 'signed',
    read: value => (Array.isArray(objectOf(value)?.content) ? (value as JSONObject) : undefined),
  },
  // A client can leave out messages itself.
  summarizes: { trust: 'claim', read: isTrue },
  tool: {
    trust: 'signed',
    read(value) {
      const { server, name } = objectOf(value) ?? {};
      return typeof server === 'string' && typeof name === 'string' ? { server, name } : undefined;
    },
  },
  // Its id is a secret of the turn that waits. Without that turn, no call runs.
  step: { trust: 'claim', read: readObject },
  // Its id is signed by the tool loop, for the call, its arguments and who may answer.
  approval: { trust: 'claim', read: readApproval },
  approvalFor: { trust: 'signed', read: value => (typeof value === 'string' ? value : undefined) },
};

/** Carriers of a namespace that are no facts of a part. */
const OTHER_CARRIERS = {
  hiddenCalls: 'signed',
  /** The kind of content of another API, which is not sent. */
  custom: 'claim',
  /** A generated file that belongs to the reasoning. */
  reasoningFile: 'claim',
} satisfies Readonly<Record<string, Trust>>;

/** All that this package writes into the history of a host, with what it takes to be believed. */
export const CARRIERS: Readonly<Record<string, Trust>> = {
  ...Object.fromEntries(Object.entries(FACTS).map(([name, { trust }]) => [name, trust])),
  ...OTHER_CARRIERS,
};

/** Returns true for the name of a carrier that counts only with a valid signature. */
export const isSigned = (name: string): boolean =>
  Object.hasOwn(CARRIERS, name) && CARRIERS[name] === 'signed';

/*
 * Facts that one layer of this process writes for another, around a middleware of a host or a function of the application,
 * need no signature: no client can send an object with this mark, and a copy does not have it.
 */

const OWN = Symbol('kelivo-responses.facts');

/** Marks the facts that this process has written. */
export const handOver = <Facts extends object>(kelivo: Facts): Facts =>
  Object.defineProperty(kelivo, OWN, { value: true });

export const isHandedOver = (kelivo: object): boolean => OWN in kelivo;

/** Returns metadata of a response of another model, without facts that this process has not written. */
export function admitMetadata(metadata: ProviderMetadata | undefined): ProviderMetadata | undefined {
  const kelivo = metadata?.kelivo;
  if (metadata === undefined || kelivo === undefined || isHandedOver(kelivo)) return metadata;
  return Object.keys(kelivo).some(isSigned) ? withNamespace(metadata, withoutSigned(kelivo)) : metadata;
}

/** Returns the facts that need no signature. */
export const withoutSigned = (kelivo: PlainObject): JSONObject =>
  Object.fromEntries(
    Object.entries(kelivo).filter(([name]) => name !== 'mac' && !isSigned(name)),
  ) as JSONObject;

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
    // The signature has been verified.
    if (name === 'mac') continue;
    if (!Object.hasOwn(FACTS, name)) rest[name] = value;
    else {
      const fact = FACTS[name as keyof PartFacts].read(value);
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
  own === undefined
    ? metadata
    : { ...metadata, kelivo: handOver({ ...metadata?.kelivo, ...(own as JSONObject) }) };

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
export const joinOptions = (call: Pick<CoreCall, 'own' | 'providerOptions'>): ProviderMetadata | undefined =>
  Object.keys(call.own).length === 0
    ? call.providerOptions
    : { ...call.providerOptions, kelivo: call.own as JSONObject };

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

/** Creates the part that keeps a summary of the conversation, at the place from which on later turns need the messages. */
export function toSummaryPart(message: UserMessage): Custom {
  const part = toUserMessagePart(message);
  return { ...part, own: { ...part.own, summarizes: true } };
}

/**
 * Adds a message to those before it. The answer of an assistant is divided at the messages of the user that arrived during it.
 * One that summarizes the conversation replaces all before it but the system messages.
 */
export function addMessage(messages: Message[], message: Message): void {
  if (message.role !== 'assistant' || !message.content.some(part => part.own?.userMessage !== undefined)) {
    messages.push(message);
    return;
  }
  let content: AssistantPart[] = [];
  const close = (): void => {
    if (content.length > 0) messages.push({ ...message, content });
    content = [];
  };
  for (const part of message.content) {
    const { userMessage, summarizes = false } = part.own ?? {};
    if (userMessage === undefined) {
      content.push(part);
      continue;
    }
    close();
    const parts = readContent(userMessage).filter(isUserPart);
    if (parts.length === 0) continue;
    if (summarizes) messages.splice(0, messages.length, ...messages.filter(entry => entry.role === 'system'));
    messages.push({ role: 'user', content: parts as unknown as UserPart[] });
  }
  close();
}

/** Reads the parts of a message, which is empty if its values cannot be restored. */
function readContent(userMessage: JSONObject): PlainObject[] {
  try {
    return objectsOf(objectOf(fromPlainJson(userMessage))?.content);
  } catch {
    return [];
  }
}

/** The history may have been changed by others. */
const isUserPart = (part: PlainObject): boolean =>
  part.type === 'text'
    ? typeof part.text === 'string'
    : part.type === 'file' && typeof part.mediaType === 'string' && isPlainObject(part.data);

/** The facts of a carrier: an item with the other facts, or the kind of content of another API. */
export function toCarrier(facts: Facts & { kind: string; item: JSONObject | undefined }): ProviderMetadata {
  if (facts.item === undefined) {
    const joined = joinFacts(facts.metadata, facts.own);
    return { ...joined, kelivo: handOver({ ...joined?.kelivo, custom: facts.kind }) };
  }
  const itemId = idOf(facts.item.id);
  const { openai: _, ...others } = facts.metadata ?? {};
  return {
    ...others,
    ...(itemId !== undefined && { openai: { itemId } }),
    kelivo: handOver({
      ...facts.metadata?.kelivo,
      ...(facts.own as JSONObject | undefined),
      item: facts.item,
    }),
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

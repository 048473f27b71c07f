import { loadOptionalSetting } from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import type { ProviderMetadata } from '../../prompt.js';
import { KelivoError } from '../../shared/errors.js';
import { isPlainObject, objectOf, type PlainObject, stringOf, tryParseJson } from '../../shared/json.js';
import { parseSettings } from '../../shared/settings.js';
import { secretOfProcess, type SignatureFault, SigningKeys } from '../../shared/signing.js';
import { APPROVAL_TOOL, isFunctionOfApplication } from './approval-tool.js';
import { handOver, isHandedOver, isSigned, withoutSigned } from './facts.js';
import type { HostMessage } from './hidden-calls.js';

/*
 * A history is a claim: a client may have sent it. What could do harm is signed when it is written, and counts only with a
 * valid signature when it returns. Everything else of a part stays, as the official provider would read it.
 */

/** A secret of 32 characters or more, or several, of which the first one signs. `false` for histories of an own store. */
export type HistorySecret = string | readonly string[] | false;

const MIN_SECRET = 32;

export const historySecretSetting = (): z.ZodType<HistorySecret, HistorySecret> =>
  z.union(
    [z.literal(false), z.string().min(MIN_SECRET), z.array(z.string().min(MIN_SECRET)).min(1)],
    `expected a secret of ${MIN_SECRET} characters or more, a list of such secrets or false`,
  );

const VARIABLE = 'KELIVO_HISTORY_SECRET';

/** The keys of a door. Undefined for an own store, whose histories are neither signed nor verified. */
export type HistoryKeys = () => SigningKeys | undefined;

/**
 * Returns the keys that a secret or, without one, the environment and the API keys determine. They are read with each call,
 * as API keys are.
 *
 * @throws KelivoError with code `invalid-settings` for a short secret in the environment.
 */
export function createHistoryKeys(
  secret: HistorySecret | undefined,
  apiKeys: () => readonly string[] = apiKeysOfEnvironment,
): HistoryKeys {
  if (secret !== undefined) parseSettings(historySecretSetting(), secret, '`historySecret`');
  let last: { readonly text: string; readonly keys: SigningKeys } | undefined;
  return () => {
    if (secret === false) return undefined;
    const configured = secret === undefined ? secretsOfEnvironment() : [secret].flat();
    const secrets = configured ?? apiKeys();
    const text = [configured === undefined, ...secrets].join('\n');
    // Without a configuration, models with and without API keys continue the histories of each other in one process.
    if (last?.text !== text)
      last = {
        text,
        keys: new SigningKeys(() => (configured === undefined ? [...secrets, secretOfProcess()] : secrets)),
      };
    return last.keys;
  };
}

function secretsOfEnvironment(): readonly string[] | undefined {
  const secrets = toList(loadOptionalSetting({ settingValue: undefined, environmentVariableName: VARIABLE }));
  if (secrets.length === 0) return undefined;
  if (secrets.every(secret => secret.length >= MIN_SECRET)) return secrets;
  throw new KelivoError({
    code: 'invalid-settings',
    message:
      `Expected ${VARIABLE} to contain a secret of ${MIN_SECRET} characters or more, or several separated by commas, got a ` +
      'shorter one. Set it to random text, the same in all processes.',
  });
}

const apiKeysOfEnvironment = (): readonly string[] =>
  toList(loadOptionalSetting({ settingValue: undefined, environmentVariableName: 'OPENAI_API_KEY' }));

const toList = (text = ''): string[] =>
  text
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '');

/** The keys of models without settings. */
export const defaultHistoryKeys = createHistoryKeys(undefined);

/** What a signature covers of a call: its keys and its owner. */
export interface SignatureContext {
  readonly keys: SigningKeys | undefined;
  /** `providerOptions.kelivo.scope` of the call. */
  readonly scope: unknown;
}

const KIND = 'facts';

/** Returns the facts of a namespace that need a signature. Undefined without one. */
function signedFactsOf(kelivo: PlainObject): PlainObject | undefined {
  let facts: Record<string, unknown> | undefined;
  for (const name of Object.keys(kelivo)) if (isSigned(name)) (facts ??= {})[name] = kelivo[name];
  return facts;
}

const kelivoOf = (metadata: unknown): PlainObject | undefined => objectOf(objectOf(metadata)?.kelivo);

/**
 * Returns the place of a part, outside of which its facts do not count: the call that it belongs to, or the item. A request
 * for approval is also bound to the arguments. Text is not, because hosts merge and cut it.
 */
function placeOf(part: PlainObject, metadata: unknown, facts: PlainObject): unknown[] {
  const type = stringOf(part.type);
  if (type.startsWith('tool-')) {
    const { toolCallId = part.id, toolName, input } = part;
    return ['call', toolCallId, toolName, ...('approvalFor' in facts ? [toInput(input)] : [])];
  }
  const { openai, azure } = (metadata ?? {}) as Partial<ProviderMetadata>;
  const [, kind = type] = /^(text|reasoning|custom|file)/.exec(type) ?? [];
  return [kind === 'custom' ? 'reasoning' : kind, openai?.itemId ?? azure?.itemId ?? null];
}

/** Hosts parse the arguments of a call, and read missing ones as an empty object. */
function toInput(input: unknown): unknown {
  if (typeof input !== 'string') return input ?? null;
  return input.trim() === '' ? {} : (tryParseJson(input) ?? input);
}

/** Signs the facts of a part of a response or a prompt, under the name of its metadata. */
export function signPart(
  part: PlainObject,
  name: 'providerMetadata' | 'providerOptions',
  context: SignatureContext,
): PlainObject {
  const metadata = part[name];
  const kelivo = kelivoOf(metadata);
  const facts = kelivo && part.type !== 'finish' ? signedFactsOf(kelivo) : undefined;
  if (facts === undefined) return part;
  const mac = sign(context.keys, facts, [scopeOf(context.scope), ...placeOf(part, metadata, facts)]);
  const signed = { ...kelivo, ...(mac !== undefined && { mac }) };
  return { ...part, [name]: { ...objectOf(metadata), kelivo: handOver(signed) } };
}

function sign(keys: SigningKeys | undefined, facts: PlainObject, binding: readonly unknown[]) {
  try {
    return keys?.sign(KIND, facts, binding);
  } catch {
    // A value that is not JSON does not survive in a history anyway.
    return undefined;
  }
}

/** Signs the parts of the messages of a host. */
export const signMessages = <Message extends HostMessage>(
  messages: readonly Message[],
  context: SignatureContext,
): Message[] =>
  messages.map(message =>
    typeof message.content === 'string'
      ? message
      : { ...message, content: message.content.map(part => signPart(part, 'providerOptions', context)) },
  );

const scopeOf = (scope: unknown): string | null => (typeof scope === 'string' ? scope : null);

export interface AdmitOptions extends Partial<SignatureContext> {
  /** Accepts facts that this process has handed over. */
  readonly isInside?: boolean;
  readonly tools?: readonly PlainObject[] | undefined;
}

export interface AdmittedHistory<Message extends HostMessage> {
  readonly prompt: readonly Message[];
  /** Why facts were left out. */
  readonly faults: ReadonlyMap<SignatureFault, number>;
  /** False for a history without anything of this package. */
  readonly hasClaims: boolean;
}

/** Returns a history without the facts that have no valid signature. Without keys, all facts count. */
export function admitHistory<Message extends HostMessage>(
  prompt: readonly Message[],
  options: AdmitOptions & SignatureContext,
): AdmittedHistory<Message> {
  const faults = new Map<SignatureFault, number>();
  const hasClaims = prompt.some(isClaim);
  if (options.keys === undefined || !hasClaims) return { prompt, faults, hasClaims };
  const isFunction = isFunctionOfApplication(options.tools ?? []);
  /** Ids of calls that claim to be requests for approval. */
  const refused = new Set<unknown>();
  const report = (fault: SignatureFault): void => void faults.set(fault, (faults.get(fault) ?? 0) + 1);

  const context = { ...options, report };
  const admit = (part: PlainObject, role: string): PlainObject | undefined => {
    const kelivo = kelivoOf(part.providerOptions);
    const admitted = kelivo === undefined ? part : admitPart(part, kelivo, role, context);
    if (admitted === undefined) return undefined;
    if (isFunction || !isClaimedRequest(admitted, refused)) return admitted;
    if (admitted.type === 'tool-call' && kelivo?.approvalFor === undefined) report('unsigned');
    refused.add(admitted.toolCallId);
    return undefined;
  };

  let isChanged = false;
  const messages = prompt.flatMap((message): Message[] => {
    const { content, role } = message;
    if (typeof content === 'string') return [message];
    let kept: PlainObject[] | undefined;
    for (const [index, part] of content.entries()) {
      const admitted = admit(part, role);
      if (admitted === part) kept?.push(part);
      else {
        kept ??= content.slice(0, index);
        if (admitted !== undefined) kept.push(admitted);
      }
    }
    if (kept === undefined) return [message];
    isChanged = true;
    return kept.length === 0 ? [] : [{ ...message, content: kept }];
  });
  return { prompt: isChanged ? messages : prompt, faults, hasClaims };
}

/** Returns true for a message that has anything to check. Most have nothing, also in long histories. */
const isClaim = (message: HostMessage): boolean =>
  typeof message.content !== 'string' &&
  message.content.some(
    entry =>
      (entry.providerOptions as { kelivo?: unknown } | undefined)?.kelivo !== undefined ||
      (entry.type === 'tool-call' && entry.toolName === APPROVAL_TOOL.name),
  );

/** Returns true for a request for approval without a mark, and for the answer to it. */
function isClaimedRequest(part: PlainObject, refused: ReadonlySet<unknown>): boolean {
  if (part.type === 'tool-call')
    return part.toolName === APPROVAL_TOOL.name && kelivoOf(part.providerOptions)?.approvalFor === undefined;
  return part.type === 'tool-result' && refused.has(part.toolCallId);
}

/** Returns a part without facts that do not count. Undefined if nothing is left of it. */
function admitPart(
  part: PlainObject,
  kelivo: PlainObject,
  role: string,
  options: AdmitOptions & { readonly report: (fault: SignatureFault) => void },
): PlainObject | undefined {
  const facts = signedFactsOf(kelivo);
  if (facts === undefined || (options.isInside === true && isHandedOver(kelivo))) return part;
  const { providerOptions } = part;
  const fault =
    role === 'user' || role === 'system'
      ? 'other-place'
      : verify(options.keys, kelivo.mac, facts, [
          scopeOf(options.scope),
          ...placeOf(part, providerOptions, facts),
        ]);
  if (fault === undefined) return part;
  // Hosts copy the facts of a call to its result, which has no arguments.
  if (part.type !== 'tool-result' || !('approvalFor' in facts)) options.report(fault);
  const rest = withoutSigned(kelivo);
  const { kelivo: _, ...others } = objectOf(providerOptions) ?? {};
  const metadata = { ...others, ...(Object.keys(rest).length > 0 && { kelivo: rest }) };
  const { providerOptions: __, ...bare } = part;
  const left = Object.keys(metadata).length === 0 ? bare : { ...bare, providerOptions: metadata };
  return isEmpty(left, facts) ? undefined : left;
}

function verify(
  keys: SigningKeys | undefined,
  mac: unknown,
  facts: PlainObject,
  binding: readonly unknown[],
): SignatureFault | undefined {
  try {
    return keys?.verify(mac, KIND, facts, binding);
  } catch {
    // Text with more levels than the stack has.
    return 'other-place';
  }
}

/** Returns true for a block that only carried the facts. */
function isEmpty(value: PlainObject, facts: PlainObject): boolean {
  if (value.type !== 'custom' && (value.type !== 'reasoning' || value.text !== '')) return false;
  const namespaces = Object.values(objectOf(value.providerOptions) ?? {}).filter(isPlainObject);
  if (namespaces.length === 0) return true;
  const carriedContent = 'item' in facts || 'userMessage' in facts;
  return (
    carriedContent &&
    !namespaces.some(
      namespace => typeof (namespace.encryptedContent ?? namespace.reasoningEncryptedContent) === 'string',
    )
  );
}

const REASONS: Readonly<Record<SignatureFault, string>> = {
  unsigned: 'without a signature',
  'other-secret': 'signed with another secret',
  'other-place': 'changed, or signed for another call, item or scope',
};

/** Returns the warning about facts that do not count. */
export function describeFaults(faults: ReadonlyMap<SignatureFault, number>): string {
  const counts = [...faults].map(([fault, count]) => `${count} ${REASONS[fault]}`);
  return (
    `Facts of this package in the history were not used: ${counts.join(', ')}. Set \`historySecret\`, or ${VARIABLE}, to ` +
    'the same text in all processes. Set `historySecret: false` only for histories that no client can change.'
  );
}

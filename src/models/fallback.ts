import { APICallError } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import type { CoreCall } from '../core/call.js';
import type { Part } from '../core/part.js';
import type { AssistantPart, Message, PartFacts, Prompt, ToolPart } from '../core/prompt.js';
import { type CoreModel, type PartSource, transformParts, withHistory, withParts } from '../core/source.js';
import { toRetryAfter } from '../core/http/retry.js';
import { isSecretHeader } from '../core/redaction/redaction.js';
import { toHash } from '../core/shared/hash.js';
import { inform } from '../core/shared/inform.js';
import { Memory } from '../core/shared/memory.js';
import { once } from '../core/shared/once.js';
import { parseSettings } from '../core/shared/settings.js';
import { continuesStoredResponse } from '../core/tool-calls/call-pairing.js';
import { isHostedToolPart } from '../core/tool-calls/hosted-tools.js';
import {
  createHistoryKeys,
  type HistorySecret,
  historySecretSetting,
} from '../core/versions/history/signatures.js';
import { fromLanguageModel, wrapSameVersion } from '../core/versions/language-model.js';
import type { AnyLanguageModel, SameVersion } from '../core/versions/specification.js';
import {
  type FallbackFailure,
  type FallbackReason,
  joinErrors,
  reasonOf,
  REASONS,
  withRetry,
} from './fallback-reasons.js';

/*
 * Several models behind one: a request that fails before its first output is sent to the next model. Each model receives the
 * history without what only another one understands.
 */

/** Options of `withFallback`. */
export interface FallbackOptions {
  /**
   * The reasons that send a request to the next model, or a function that decides. Requests that are aborted or invalid, and
   * errors of tools, never are.
   * @default ['outage', 'rate-limit', 'context-overflow']
   */
  on?: readonly FallbackReason[] | ((failure: FallbackFailure) => boolean);
  /**
   * Time in milliseconds during which a model that failed comes last, for all calls: after an outage the model, with the
   * status 500 when two conversations have met it; after a rate limit or a refused key the model with the credentials in the
   * headers of the call. `Retry-After` of a rate limit takes precedence. Within a turn of a tool loop, the model that answered goes on.
   * @default 60000
   */
  cooldown?: number;
  /**
   * Headers of the requests to each model, in the order of the models, which take precedence over those of the call. Headers
   * of a call that authenticate or name a tenant belong to the first model: a model of another origin, or of another package,
   * does not receive them.
   * @default none
   */
  headers?: readonly (Readonly<Record<string, string>> | undefined)[];
  /**
   * Signs what the model writes into the history of the host, as the setting of the provider of the same name.
   * @default that of the first model if it is one of this package, else the environment variable `KELIVO_HISTORY_SECRET`, else
   * derived from `OPENAI_API_KEY`, else a secret of the process
   */
  historySecret?: HistorySecret;
  /** Called when a model has failed and the next one is tried. Errors it throws are ignored. */
  onFallback?: (failure: FallbackFailure & { readonly next: { provider: string; modelId: string } }) => void;
}

const schema = once<z.ZodType<FallbackOptions>>(() =>
  z.strictObject({
    on: z
      .union([
        z.array(z.enum(REASONS)),
        z.custom<(failure: FallbackFailure) => boolean>(value => typeof value === 'function'),
      ])
      .optional(),
    cooldown: z.number().min(0).optional(),
    headers: z.array(z.record(z.string(), z.string()).optional()).optional(),
    historySecret: historySecretSetting().optional(),
    onFallback: z
      .custom<NonNullable<FallbackOptions['onFallback']>>(value => typeof value === 'function')
      .optional(),
  }),
);

/**
 * Joins models of any providers and versions to one that answers with the first of them that can. It is used inside of a tool
 * loop, so that a turn goes on with another model between two rounds, or around models with loops of their own: there, a turn
 * that has run a tool is not repeated. `response.modelId` and `providerMetadata.kelivo.answeredBy` contain the model that
 * answered. The result has the version of the first model.
 *
 * @example
 * ```ts
 * const model = withToolLoop(withFallback([provider('gpt-5'), anthropic('claude-opus-5')]), { tools });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an invalid option, and `unknown-version` for an unsupported model.
 */
export function withFallback<Model extends AnyLanguageModel>(
  [first, ...others]: readonly [Model, ...AnyLanguageModel[]],
  options: FallbackOptions = {},
): SameVersion<Model> {
  const checked = parseSettings(schema(), options, 'the options of withFallback()');
  const { historySecret } = checked;
  const history = historySecret === undefined ? undefined : createHistoryKeys(historySecret);
  return wrapSameVersion(first, core =>
    withHistory(joinModels([core, ...others.map(model => fromLanguageModel(model))], checked), history),
  );
}

function joinModels(
  models: readonly [CoreModel, ...CoreModel[]],
  {
    on = ['outage', 'rate-limit', 'context-overflow'],
    cooldown = 60_000,
    headers = [],
    onFallback,
  }: FallbackOptions,
): CoreModel {
  const cooldowns = createCooldowns(cooldown);
  const ids = models.map((model, index) => `${index} ${model.provider} ${model.modelId}`);
  const [first] = models;
  const joined: CoreModel = {
    provider: first.provider,
    modelId: first.modelId,
    get supportedUrls() {
      return commonUrls(models);
    },
    history: first.history,
    async open(call) {
      const turn = call.turn?.stateOf<{ last?: number }>(joined, () => ({}));
      const failures: FallbackFailure[] = [];
      const order = cooldowns.order(models, call, turn?.last);
      // With a stored response, only its server has the beginning of the conversation.
      const usable = continuesStoredResponse(call) ? [turn?.last ?? 0] : order;
      for (let position = 0; ; position++) {
        const index = usable[position] ?? 0;
        const model = models[index] ?? first;
        const next = models[usable[position + 1] ?? -1];
        const judge = (error: unknown): FallbackFailure | undefined =>
          judgeFailure(error, { index, model, call });
        const { failed, source } = await openUntilOutput(model, {
          ...toOwnHistory(call, ids, index),
          headers: toOwnHeaders(call.headers, {
            own: headers[index],
            isFirst: model.origin === first.origin && (index === 0 || model.origin !== undefined),
          }),
        });
        const failure = failed && judge(failed.error);
        if (failed !== undefined && failure !== undefined && next !== undefined) {
          failures.push(failure);
          source?.cancel(failed.error);
          const { provider, modelId } = next;
          inform(onFallback, { ...failure, next: { provider, modelId } });
          continue;
        }
        // A response that a filter withholds is the answer if no other model has one.
        if (source === undefined)
          throw call.abortSignal?.aborted ? failed?.error : joinErrors(failures, failed?.error);
        if (turn !== undefined) turn.last = index;
        const mark = index === 0 ? undefined : ids[index];
        return markAnswer(source, { model, mark, failures, judge });
      }
    },
  };
  return joined;

  /** Begins the cooldown of a model. Returns undefined for a failure that does not send requests to the next one. */
  function judgeFailure(
    error: unknown,
    { index, model, call }: { index: number; model: CoreModel; call: CoreCall },
  ): FallbackFailure | undefined {
    if (call.abortSignal?.aborted) return undefined;
    const reason = reasonOf(error);
    if (reason === undefined) return undefined;
    const failure = { reason, error, provider: model.provider, modelId: model.modelId };
    cooldowns.start(index, call, failure);
    return (typeof on === 'function' ? on(failure) : on.includes(reason)) ? failure : undefined;
  }
}

/** Names of headers by which gateways tell tenants and users apart. */
const TENANT = /tenant|org|project|account|customer|workspace|^x-.*user/i;

/** Returns the headers of a call for one model. Only models of the first one's origin receive all of them. */
function toOwnHeaders(
  headers: CoreCall['headers'],
  { own = {}, isFirst }: { own: Readonly<Record<string, string>> | undefined; isFirst: boolean },
): CoreCall['headers'] {
  const entries = Object.entries(headers ?? {});
  const passed = entries.filter(
    ([name, value = '']) => isFirst || !(isSecretHeader(name, value) || TENANT.test(name)),
  );
  const replaced = new Set(Object.keys(own).map(name => name.toLowerCase()));
  const kept = passed.filter(([name]) => !replaced.has(name.toLowerCase()));
  return kept.length === entries.length && replaced.size === 0
    ? headers
    : { ...Object.fromEntries(kept), ...own };
}

/** Keeps the models that failed, each until its cooldown ends. */
function createCooldowns(duration: number) {
  const ends = new Memory<string, number>('cooldowns');
  /** The conversations that the status 500 has answered last, by model: one of them could have caused it. */
  const failed = new Map<number, string>();
  const keysOf = (index: number, call: CoreCall): readonly [string, string] => {
    const credentials = Object.entries(call.headers ?? {}).filter(([name, value = '']) =>
      isSecretHeader(name, value),
    );
    return [String(index), `${index} ${JSON.stringify(credentials)}`];
  };
  const isCooling = (index: number, call: CoreCall): boolean =>
    keysOf(index, call).some(key => (ends.get(key) ?? 0) > Date.now());
  return {
    /** Returns the indices of the models: the one that answered last in the turn, the others, and those that failed. */
    order(models: readonly CoreModel[], call: CoreCall, last: number | undefined): readonly number[] {
      const rank = (index: number): number => (isCooling(index, call) ? 2 : index === last ? 0 : 1);
      return [...models.keys()].toSorted((a, b) => rank(a) - rank(b));
    },
    start(index: number, call: CoreCall, { reason, error }: FallbackFailure): void {
      // These concern the conversation, and not the model.
      if (reason === 'context-overflow' || reason === 'content-filter') return;
      const now = Date.now();
      if (reason === 'outage' && APICallError.isInstance(error) && error.statusCode === 500) {
        const conversation = toHash(
          JSON.stringify(call.prompt.find(message => message.role === 'user') ?? null),
        );
        const before = failed.get(index);
        failed.set(index, conversation);
        if (before === undefined || before === conversation) return;
      }
      const [ofModel, ofKey] = keysOf(index, call);
      const headers = APICallError.isInstance(error) ? error.responseHeaders : undefined;
      const wait = reason === 'rate-limit' ? toRetryAfter(headers, now) : undefined;
      ends.set(reason === 'outage' ? ofModel : ofKey, now + (wait ?? duration));
    },
  };
}

interface Opened {
  /** The failure. Undefined if there is output. */
  readonly failed?: { readonly error: unknown };
  /** The response from its first part. Undefined after an error. */
  readonly source?: PartSource;
}

const SILENT_PARTS: readonly Part['type'][] = ['stream-start', 'response-metadata', 'raw'];

/** Opens a response and reads it to its first output, or to its end if it is not streamed. */
async function openUntilOutput(model: CoreModel, call: CoreCall): Promise<Opened> {
  let source: PartSource | undefined;
  const read: Part[] = [];
  try {
    source = await model.open(call);
    for (let batch = await source.next(); batch !== undefined; batch = await source.next()) {
      read.push(...batch);
      const output = call.isStream ? batch.find(part => !SILENT_PARTS.includes(part.type)) : undefined;
      for (const part of output === undefined ? batch : [output]) {
        if (part.type === 'error') throw part.error;
        if (part.type === 'finish' && part.finishReason.unified === 'content-filter') {
          const error = new Error('The response was withheld by a content filter.');
          return { failed: { error }, source: withParts(source, read) };
        }
      }
      if (output !== undefined) break;
    }
    return { source: withParts(source, read) };
  } catch (error) {
    source?.cancel(error);
    return { failed: { error } };
  }
}

interface Answer {
  readonly model: CoreModel;
  /** The mark of the parts. Parts of the first model have none. */
  readonly mark: string | undefined;
  readonly failures: readonly FallbackFailure[];
  /** Judges a failure after the first output. */
  readonly judge: (error: unknown) => FallbackFailure | undefined;
}

/** Adds the model to an answer. An error after the first output lets the tool loop repeat the round, with the next model. */
function markAnswer(
  source: PartSource,
  { model: { provider, modelId }, mark, failures, judge }: Answer,
): PartSource {
  const warnings = failures.map(failed => ({
    type: 'other' as const,
    message: `${failed.provider} ${failed.modelId} failed (${failed.reason}). ${provider} ${modelId} answered.`,
  }));
  const begun = new Map<string, PartFacts | undefined>();
  const toRepeatable = (error: unknown): unknown => (judge(error) === undefined ? error : withRetry(error));
  const marked = transformParts(source, {
    part(part, emit) {
      if (part.type === 'stream-start') {
        emit(warnings.length === 0 ? part : { ...part, warnings: [...part.warnings, ...warnings] });
        emit({ type: 'response-metadata', modelId });
      } else if (part.type === 'finish')
        emit({ ...part, own: { ...part.own, answeredBy: { provider, modelId } } });
      else if (part.type === 'error') emit({ type: 'error', error: toRepeatable(part.error) });
      else if (mark === undefined || !KEPT_PARTS.test(part.type)) emit(part);
      else {
        const kept = part as Extract<Part, { own?: PartFacts | undefined }> & { id?: string };
        const own = { ...begun.get(kept.id ?? ''), ...kept.own, answeredBy: mark };
        // Hosts use the facts of the end instead of those of the start.
        if (part.type === 'text-start' || part.type === 'reasoning-start') begun.set(part.id, own);
        emit({ ...kept, own } as Part);
      }
    },
  });
  return {
    ...marked,
    next: () =>
      marked.next().catch((error: unknown) => {
        throw toRepeatable(error);
      }),
  };
}

/** Parts that hosts keep in their history. */
const KEPT_PARTS = /^(?:(?:text|reasoning)-(?:start|end)|tool-(?:call|result)|custom|file|reasoning-file)$/;

/** Returns the call with a history of which the model understands all: its own parts, and what all models understand. */
function toOwnHistory(call: CoreCall, ids: readonly string[], index: number): CoreCall {
  const { prompt, turn } = call;
  const isForeign = (part: AssistantPart | ToolPart): boolean =>
    (part.own?.answeredBy ?? ids[0]) !== ids[index];
  const isHosted = (part: AssistantPart): boolean =>
    (part.type === 'tool-call' || part.type === 'tool-result') &&
    (turn?.hostedCalls?.has(part.toolCallId) === true || isHostedToolPart(part));
  const convert = (part: AssistantPart): AssistantPart[] => {
    if (!isForeign(part)) return [part];
    const isOwnMessage = part.own?.userMessage !== undefined;
    if (
      !isOwnMessage &&
      (part.type === 'reasoning' || part.type === 'reasoning-file' || part.type === 'custom')
    )
      return [];
    return isHosted(part) ? [] : [withoutFacts(part)];
  };
  const converted = prompt.flatMap((message): Message[] => {
    if (message.role === 'tool')
      return [
        { ...message, content: message.content.map(part => (isForeign(part) ? withoutFacts(part) : part)) },
      ];
    if (message.role !== 'assistant') return [message];
    const content = message.content.flatMap(convert);
    return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }];
  });
  return { ...call, prompt: converted as Prompt };
}

/** Removes the facts of a provider from a part. Those of the tool loop stay. */
function withoutFacts<One extends AssistantPart | ToolPart>(part: One): One {
  const { providerOptions: _, own, ...rest } = part;
  const { userMessage, summarizes, broken, tool, approval } = own ?? {};
  const facts = {
    ...(userMessage !== undefined && { userMessage }),
    ...(summarizes !== undefined && { summarizes }),
    ...(broken !== undefined && { broken }),
    ...(tool !== undefined && { tool }),
    ...(approval !== undefined && { approval }),
  };
  return { ...rest, ...(Object.keys(facts).length > 0 && { own: facts }) } as unknown as One;
}

/** Returns the addresses that all models read themselves. */
async function commonUrls(models: readonly CoreModel[]): Promise<Record<string, RegExp[]>> {
  const [first = {}, ...others] = await Promise.all(models.map(model => model.supportedUrls));
  const isCommon = (type: string, expression: RegExp): boolean =>
    others.every(urls => urls[type]?.some(pattern => pattern.source === expression.source));
  return Object.fromEntries(
    Object.entries(first).map(([type, patterns]) => [
      type,
      patterns.filter(pattern => isCommon(type, pattern)),
    ]),
  );
}

import type { CoreCall, Host } from '../call.js';
import { contentToParts, createPartCollector } from '../collector.js';
import type { Content, Part } from '../part.js';
import {
  type CoreModel,
  type PartSource,
  partsOf,
  type PartTransformer,
  sourceOf,
  transformParts,
} from '../source.js';
import { NO_CALL_TELEMETRY, NO_ROUND_TELEMETRY } from '../telemetry.js';
import { type JSONObject, objectsOf, type PlainObject } from '../shared/json.js';
import { createApprovalReader } from './history/approval-tool.js';
import { defaultHistoryKeys, type SignatureContext, signMessages, signPart } from './history/signatures.js';
import { findLaterHost, type LaterHost } from './later-hosts.js';
import { createPartReader, readCall, readContentPart, readFinish, readWarnings } from './read.js';
import type { AnyLanguageModel, HostVersion, LanguageModels, SameVersion } from './specification.js';
import { readAhead } from './read-ahead.js';
import type { LanguageModelV2 } from './specification-v2.js';
import type { HostOptions, Version } from './version.js';
import { type VersionName, VERSIONS, versionOf } from './versions.js';
import { serializeHistory, writeCall, writePrompt } from './write-call.js';
import { createFilter, createPartWriter, toStream, writeFinish, writeSource } from './write-response.js';

/**
 * The fields of a call that options of no version can express. They are passed under a symbol, which the middlewares of a
 * host copy with the options, so that layers on both sides of a middleware belong to the same turn.
 */
const LINK = Symbol('kelivo-responses.call');
type Link = Pick<CoreCall, 'turn' | 'telemetry' | 'roundTelemetry' | 'host'>;

/** The core model of a language model of this package. It counts only while the methods are those of this package. */
const CORE = Symbol('kelivo-responses.model');
type Origin = { readonly core: CoreModel } & Pick<AnyLanguageModel, 'doGenerate' | 'doStream'>;

export interface ToLanguageModelOptions {
  /**
   * Called when a host of a later major calls the model. Returns a warning for the call.
   * @default no warning
   */
  readonly onLaterHost?: ((host: LaterHost) => string | undefined) | undefined;
}

/** Shows a core model in a version of the model interface. */
export function toLanguageModel<Name extends HostVersion>(
  core: CoreModel,
  name: Name,
  options?: ToLanguageModelOptions,
): LanguageModels[Name] {
  return toModelOf(core, VERSIONS[name], options) as unknown as LanguageModels[Name];
}

/** Returns what hosts see of a request. */
const toRequest = ({ request }: PartSource, version: Version): PartSource['request'] =>
  request === undefined || version.hasRequestUrl ? request : { body: request.body };

/** Shows a core model in a version that need not be one of the supported ones. */
export function toModelOf(
  core: CoreModel,
  ownVersion: Version,
  { onLaterHost }: ToLanguageModelOptions = {},
): AnyLanguageModel {
  const model = {
    specificationVersion: ownVersion.name,
    get provider() {
      return core.provider;
    },
    modelId: core.modelId,
    get supportedUrls() {
      return core.supportedUrls;
    },

    async doStream(options: HostOptions) {
      const { call, source, signature, version } = await open(options, true);
      const stream = toStream(writeSource(source, call, { version, signature }));
      return { stream, request: toRequest(source, version), response: source.response };
    },

    async doGenerate(options: HostOptions) {
      const { call, source, signature, version } = await open(options, false);
      const collector = createPartCollector();
      const filter = createFilter(call, version, collector.add);
      for await (const part of partsOf(source)) filter.part(part);
      filter.flush();
      const { content, warnings, response, structuredOutputText, ...end } = collector.result();
      const written: PlainObject[] = [];
      const write = createPartWriter(
        version,
        call,
        part => void written.push(signPart(part, 'providerMetadata', signature)),
      );
      content.forEach(write);
      const { type: _, ...finish } = writeFinish({ type: 'finish', ...end }, version);
      const isJson = call.responseFormat?.type === 'json';
      return {
        ...finish,
        content: written,
        ...(structuredOutputText === undefined
          ? version.writeResult?.({ content, isJson })
          : version.hasCustomParts && { structuredOutputText }),
        warnings: warnings.map(version.writeWarning),
        request: toRequest(source, version),
        response: { ...source.response, ...response },
      };
    },
  };
  const { doGenerate, doStream } = model;
  return Object.defineProperty(model, CORE, {
    value: { core, doGenerate, doStream },
  }) as unknown as AnyLanguageModel;

  /** Opens the response. */
  async function open(
    options: HostOptions,
    isStream: boolean,
  ): Promise<{ call: CoreCall; source: PartSource; signature: SignatureContext; version: Version }> {
    const { [LINK]: link, ...given } = options as HostOptions & { readonly [LINK]?: Link };
    const later = findLaterHost(ownVersion, given, { isStream });
    const version = later?.version ?? ownVersion;
    const notice = later && onLaterHost?.(later);
    const keys = (core.history ?? defaultHistoryKeys)();
    const signature = { keys, scope: given.providerOptions?.kelivo?.scope };
    const {
      warnings: found,
      prompt,
      ...read
    } = readCall(version.readOptions?.(given) ?? given, { isInside: link !== undefined, ...signature });
    const warnings = notice === undefined ? found : [notice, ...found];
    // Begins with a field: V8 gives the objects of a literal that begins with a spread no hidden class in common.
    const call: CoreCall = {
      prompt,
      ...read,
      isStream,
      telemetry: link?.telemetry ?? NO_CALL_TELEMETRY,
      roundTelemetry: link?.roundTelemetry ?? NO_ROUND_TELEMETRY,
      host:
        link?.host ?? hostOf(version, { isStream, isSilent: read.toolChoice?.type === 'none', signature }),
      ...(link?.turn !== undefined && { turn: link.turn }),
    };
    const source = await core.open(call);
    const warned = warnings.length === 0 ? source : withWarnings(source, warnings);
    return { call, source: warned, signature, version };
  }
}

function hostOf(
  version: Version,
  options: { isStream: boolean; isSilent: boolean; signature: SignatureContext },
): Host {
  const { facts } = version;
  const { stream, generate } = facts.undeclaredCalls;
  return {
    writeMessages: prompt =>
      signMessages(writePrompt(prompt, version), options.signature) as object[] as JSONObject[],
    ...facts,
    undeclaredCalls: options.isSilent ? 'none' : options.isStream ? stream : generate,
  };
}

/** Adds warnings to the start of a response. */
function withWarnings(source: PartSource, warnings: readonly string[]): PartSource {
  const added = warnings.map(message => ({ type: 'other' as const, message }));
  return transformParts(source, {
    part: (part, emit) =>
      emit(part.type === 'stream-start' ? { ...part, warnings: [...added, ...part.warnings] } : part),
  });
}

/** Returns the core of a model of this package. Undefined for other models. */
function coreOf(model: AnyLanguageModel): CoreModel | undefined {
  const { [CORE]: origin } = model as AnyLanguageModel & { readonly [CORE]?: Origin };
  const isUnchanged = origin?.doGenerate === model.doGenerate && origin.doStream === model.doStream;
  return isUnchanged ? origin.core : undefined;
}

export interface FromLanguageModelOptions {
  /**
   * Writes the history in the form that the model accepts.
   * @default calls are paired with their outputs, each under its own id
   */
  readonly serialize?:
    ((call: CoreCall, model: Pick<CoreModel, 'provider'>, version: Version) => CoreCall) | undefined;
}

/**
 * Returns the core of a model of this package, or reads a model of another package.
 *
 * @throws KelivoError with code `unknown-version` for a model of an unknown version.
 */
export function fromLanguageModel(
  model: AnyLanguageModel,
  { serialize = serializeHistory }: FromLanguageModelOptions = {},
): CoreModel {
  return coreOf(model) ?? fromModelOf(model, VERSIONS[versionOf(model)], serialize);
}

/** Reads a model of a version that need not be one of the supported ones. */
function fromModelOf(
  model: AnyLanguageModel,
  version: Version,
  serialize: NonNullable<FromLanguageModelOptions['serialize']> = serializeHistory,
): CoreModel {
  return {
    get provider() {
      return model.provider;
    },
    get modelId() {
      return model.modelId;
    },
    get supportedUrls() {
      return model.supportedUrls;
    },

    async open(call) {
      const removed = new Set<string>();
      const { turn, telemetry, roundTelemetry, host } = call;
      const link: Link = { turn, telemetry, roundTelemetry, host };
      const written = writeCall(serialize(call, model, version), version, type => void removed.add(type));
      const options = { ...written, [LINK]: link } as never;
      const source = call.isStream
        ? readStream(await model.doStream(options), version)
        : readResult((await model.doGenerate(options)) as PlainObject, version);
      const marked = RESPONSES_API.test(model.provider)
        ? transformParts(source, { part: markComplete })
        : source;
      const read = version.hasApprovalTool ? transformParts(marked, createApprovalReader(call)) : marked;
      if (removed.size === 0) return read;
      const warnings = [...removed].map(
        type => `Prompt content of type "${type}" is not supported and was not sent.`,
      );
      return withWarnings(read, warnings);
    },
  };
}

/** Models that receive each call of a response as an item with an end. */
const RESPONSES_API = /\.responses$/;

const markComplete: PartTransformer['part'] = (part, emit) =>
  emit(part.type === 'tool-call' ? { ...part, isComplete: true } : part);

function readStream(
  { stream, ...facts }: { stream: ReadableStream<unknown> } & PlainObject,
  { readPart }: Version,
): PartSource {
  const batches = readAhead(stream);
  const read = createPartReader();
  return {
    ...(facts as Pick<PartSource, 'request' | 'response'>),
    async next() {
      for (;;) {
        const given = await batches.next();
        if (given === undefined) return undefined;
        const parts: Part[] = [];
        for (const part of given) read(readPart?.(part) ?? part, parts);
        if (parts.length > 0) return parts;
      }
    },
    cancel: batches.cancel,
  };
}

function readResult(given: PlainObject, { readPart = part => part }: Version): PartSource {
  const result = readPart(given);
  const { content, warnings, response, request } = result;
  const { id, modelId, timestamp, ...rest } = (response ?? {}) as PlainObject;
  const parts: Part[] = [{ type: 'stream-start', warnings: readWarnings(warnings) }];
  if (id !== undefined || modelId !== undefined || timestamp !== undefined)
    parts.push({ type: 'response-metadata', id, modelId, timestamp } as Part);
  parts.push(
    ...contentToParts(objectsOf(content).map(part => readContentPart(readPart(part)) as Content)),
    readFinish(result),
  );
  return sourceOf(parts, { request, response: rest } as Pick<PartSource, 'request' | 'response'>);
}

/**
 * Wraps a model and returns the version that it received. Returns the model itself if `wrap` returns its core.
 *
 * @throws KelivoError with code `unknown-version` for a model of an unknown version.
 */
export function wrapSameVersion<Model extends AnyLanguageModel>(
  model: Model,
  wrap: (core: CoreModel, version: VersionName) => CoreModel,
): SameVersion<Model> {
  const version = versionOf(model);
  const core = fromLanguageModel(model);
  const wrapped = wrap(core, version);
  // A model of another package is wrapped in any case, because its history is written for it.
  return wrapped === core && coreOf(model) === core
    ? model
    : (toModelOf(wrapped, VERSIONS[version]) as unknown as SameVersion<Model>);
}

/** Any language model of version 3 or 4, of this or another provider. */
export interface LaterLanguageModel extends AnyLanguageModel {
  readonly specificationVersion: 'v3' | 'v4';
}

/**
 * Converts a model of `ai` 6 or 7 to version 2, for hosts and packages that accept no other. A later conversion back with
 * `toLanguageModelV3` or `toLanguageModelV4` loses nothing.
 *
 * @example
 * ```ts
 * const model = toLanguageModelV2(openai('gpt-5'));
 * ```
 */
export const toLanguageModelV2 = (model: LaterLanguageModel): LanguageModelV2 =>
  toLanguageModel(fromLanguageModel(model), 'v2');

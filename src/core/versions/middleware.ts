import type { LanguageModelV2CallOptions } from './specification-v2.js';
import type { CoreModel } from '../source.js';
import { fromLanguageModel, toModelOf, wrapSameVersion } from './language-model.js';
import type { AnyLanguageModel } from './specification.js';
import { type VersionName, VERSIONS } from './versions.js';

/**
 * A middleware of this package for `wrapLanguageModel` of `ai` 5, 6 and 7. It acts in the version of the model that the host
 * passes to it.
 */
export interface ModelMiddleware {
  /** Required by the type of `ai` 6, which does not read it. The middleware has no version. */
  readonly specificationVersion: 'v3';
  /** Wraps `doGenerate`. */
  readonly wrapGenerate: <Result>(call: {
    doGenerate: () => PromiseLike<Result>;
    params: object;
    model: AnyLanguageModel;
  }) => Promise<Result>;
  /** Wraps `doStream`. */
  readonly wrapStream: <Result>(call: {
    doStream: () => PromiseLike<Result>;
    params: object;
    model: AnyLanguageModel;
  }) => Promise<Result>;
}

/** The options of a call in a middleware of an application. They have the form of the host's version. */
export type MiddlewareParams = Omit<LanguageModelV2CallOptions, 'tools' | 'providerOptions'> & {
  readonly tools?: readonly { readonly type: string; readonly name: string }[];
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** A part of a response in a middleware of an application, with the fields that the versions share. */
export type MiddlewareContent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'file' | 'reasoning-file'; readonly mediaType: string; readonly data: unknown }
  | { readonly type: 'custom'; readonly kind: string }
  | { readonly type: 'source'; readonly id: string }
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: string;
    }
  | {
      readonly type: 'tool-result';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: unknown;
    }
  | { readonly type: 'tool-approval-request'; readonly approvalId: string; readonly toolCallId: string };

/** A part of a streamed response in a middleware of an application. */
export type MiddlewarePart =
  | Exclude<MiddlewareContent, { type: 'text' | 'reasoning' }>
  | {
      readonly type: `${'text' | 'reasoning' | 'tool-input'}-delta`;
      readonly id: string;
      readonly delta: string;
    }
  | { readonly type: `${'text' | 'reasoning' | 'tool-input'}-end`; readonly id: string }
  | { readonly type: `${'text' | 'reasoning'}-start`; readonly id: string }
  | { readonly type: 'tool-input-start'; readonly id: string; readonly toolName: string }
  | { readonly type: 'stream-start'; readonly warnings: readonly object[] }
  | { readonly type: 'response-metadata' }
  | { readonly type: 'finish'; readonly finishReason: unknown; readonly usage: object }
  | { readonly type: 'raw'; readonly rawValue: unknown }
  | { readonly type: 'error'; readonly error: unknown };

/** The call that a middleware of an application wraps. Its values have the form of the host's version. */
export interface AnyMiddlewareCall {
  /** Calls the model. */
  readonly doGenerate: () => PromiseLike<{
    readonly content: MiddlewareContent[];
    readonly finishReason: unknown;
    readonly usage: object;
    readonly warnings: object[];
  }>;
  /** Calls the model and streams its response. */
  readonly doStream: () => PromiseLike<{ readonly stream: ReadableStream<MiddlewarePart> }>;
  readonly params: MiddlewareParams;
  readonly model: AnyLanguageModel;
}

/** A middleware of an application, of any version: `LanguageModelV2Middleware` and later ones. */
export interface AnyMiddleware {
  readonly middlewareVersion?: string | undefined;
  readonly specificationVersion?: string | undefined;
  /** Changes the options of a call. */
  transformParams?(options: {
    readonly type: 'generate' | 'stream';
    readonly params: MiddlewareParams;
    readonly model: AnyLanguageModel;
  }): PromiseLike<object>;
  /** Wraps `doGenerate`. */
  wrapGenerate?(call: AnyMiddlewareCall): PromiseLike<object>;
  /** Wraps `doStream`. */
  wrapStream?(call: AnyMiddlewareCall): PromiseLike<object>;
  /** Replaces the name of the provider. */
  overrideProvider?(options: { readonly model: AnyLanguageModel }): string;
  overrideModelId?(options: { readonly model: AnyLanguageModel }): string;
  /** Replaces the supported URLs. */
  overrideSupportedUrls?(options: { readonly model: AnyLanguageModel }): AnyLanguageModel['supportedUrls'];
}

/** Wraps a core model. `version` is that of the host's model. */
export type CoreWrapper = (core: CoreModel, version: VersionName) => CoreModel;

/** The wrapper of a middleware of this package. It counts only for the object itself, not for a copy with other members. */
const WRAPPER = Symbol('kelivo-responses.middleware');
type Origin = { readonly self: object; readonly wrap: CoreWrapper };

/** Creates a middleware that wraps models of every version. */
export function toMiddleware(wrap: CoreWrapper): ModelMiddleware {
  const middleware = toModelMiddleware(model => wrapSameVersion(model, wrap));
  const origin: Origin = { self: middleware, wrap };
  return Object.defineProperty(middleware, WRAPPER, { value: origin });
}

/** Creates a middleware from a function that wraps the models of hosts. */
export function toModelMiddleware(wrap: (model: AnyLanguageModel) => AnyLanguageModel): ModelMiddleware {
  // Hosts pass the same model to every call of a wrapped model.
  let last: { readonly model: AnyLanguageModel; readonly wrapped: AnyLanguageModel } | undefined;
  const wrapped = (model: AnyLanguageModel): AnyLanguageModel => {
    if (last?.model !== model) last = { model, wrapped: wrap(model) };
    return last.wrapped;
  };
  return {
    specificationVersion: 'v3',
    wrapGenerate: async <Result>(call: { model: AnyLanguageModel; params: object }) =>
      (await wrapped(call.model).doGenerate(call.params as never)) as Result,
    wrapStream: async <Result>(call: { model: AnyLanguageModel; params: object }) =>
      (await wrapped(call.model).doStream(call.params as never)) as Result,
  };
}

/** Returns the wrapper of a middleware that `toMiddleware` created. Undefined for those of applications. */
function wrapperOf(middleware: AnyMiddleware | ModelMiddleware): CoreWrapper | undefined {
  const { [WRAPPER]: origin } = middleware as { readonly [WRAPPER]?: Origin };
  return origin?.self === middleware ? origin.wrap : undefined;
}

/** Wraps a model in a middleware of any version, which receives and returns values of `version`. */
export function applyMiddleware(
  core: CoreModel,
  middleware: AnyMiddleware | ModelMiddleware,
  version: VersionName,
): CoreModel {
  const wrap = wrapperOf(middleware);
  if (wrap !== undefined) return wrap(core, version);
  const model = toModelOf(core, VERSIONS[version]);
  // The history is written by the model inside.
  return fromLanguageModel(wrapModel(model, middleware), { serialize: call => call });
}

/** Wraps a model as `wrapLanguageModel` does. */
function wrapModel(model: AnyLanguageModel, middleware: AnyMiddleware): AnyLanguageModel {
  async function prepare(type: 'generate' | 'stream', options: MiddlewareParams): Promise<AnyMiddlewareCall> {
    const params = (await middleware.transformParams?.({ type, params: options, model })) ?? options;
    return {
      doGenerate: async () => model.doGenerate(params as never) as never,
      doStream: async () => model.doStream(params as never) as never,
      params: params as MiddlewareParams,
      model,
    };
  }

  return {
    specificationVersion: model.specificationVersion,
    provider: middleware.overrideProvider?.({ model }) ?? model.provider,
    modelId: middleware.overrideModelId?.({ model }) ?? model.modelId,
    get supportedUrls() {
      return middleware.overrideSupportedUrls?.({ model }) ?? model.supportedUrls;
    },
    async doGenerate(options: MiddlewareParams) {
      const call = await prepare('generate', options);
      return middleware.wrapGenerate?.(call) ?? call.doGenerate();
    },
    async doStream(options: MiddlewareParams) {
      const call = await prepare('stream', options);
      return (middleware.wrapStream?.(call) ?? call.doStream()) as ReturnType<AnyMiddlewareCall['doStream']>;
    },
  };
}

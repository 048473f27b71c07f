import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { createCredentials } from '../provider/credentials.js';
import { createEndpoints } from '../provider/endpoints.js';
import { resolveModelOverride } from '../provider/model-overrides.js';
import { transformParts } from '../parts/transform.js';
import { turnTokenOf } from '../parts/call-marks.js';
import { withRequestLog } from '../http/request-log.js';
import type { KelivoResponsesSettings } from '../provider/settings.js';
import { type OfficialCall, toOfficialCall } from './official-call.js';
import type { createOpenAI } from '@ai-sdk/openai';
import { KelivoError } from '../shared/errors.js';

const RESPONSES_PATH = '/responses';

/**
 * Makes official models from the settings of this package's provider: address, keys, headers and `fetch`. What the settings
 * say of its own way to speak (`compatibility`, `missingReasoning`, `timeouts`, fields of a body) does not concern them.
 */
export function createOfficialModels(
  settings: KelivoResponsesSettings,
  { provider = 'kelivo-responses', importOpenAI }: { provider?: string; importOpenAI?: ImportOpenAI } = {},
): (modelId: string) => LanguageModelV2 {
  const endpoints = createEndpoints(settings);
  const credentials = createCredentials(settings, { url: endpoints.shownRoot });
  const fetch = withRequestLog(
    settings.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    settings.logger,
  );

  return modelId => {
    const endpoint = new URL(endpoints.of(modelId, RESPONSES_PATH.slice(1)));
    const { headers: modelHeaders } = resolveModelOverride(modelId, { ...settings, host: endpoints.host });
    const config = {
      baseURL: `${endpoint.origin}${endpoint.pathname}`.slice(0, -RESPONSES_PATH.length),
      needsKey: endpoints.needsKey,
      importOpenAI,
      fetch: endpoint.search === '' ? fetch : toFetchOf(endpoint, fetch),
    };

    /** Opened for each call: the key is looked up then, and the next one taken where it is refused. */
    const call = <Result>(
      options: LanguageModelV2CallOptions,
      run: (model: LanguageModelV2, officialCall: OfficialCall) => Promise<Result>,
    ): Promise<Result> =>
      credentials.use(turnTokenOf(options.providerOptions), async keyHeaders => {
        const model = await openOfficialModel(modelId, {
          ...config,
          headers: { ...keyHeaders, ...modelHeaders },
        });
        return run(model, toOfficialCall(options, { store: settings.store ?? false }));
      });

    return {
      specificationVersion: 'v2',
      provider,
      modelId,
      supportedUrls: {
        'image/*': [/^https?:\/\/.*$/],
        'application/pdf': [/^https?:\/\/.*$/],
      },
      doGenerate: callOptions =>
        call(callOptions, async (model, { options, toOwnName }) => {
          const result = await model.doGenerate(options);
          if (toOwnName === undefined) return result;
          return { ...result, content: result.content.map(part => withName(part, toOwnName)) };
        }),
      doStream: callOptions =>
        call(callOptions, async (model, { options, toOwnName }) => {
          const result = await model.doStream(options);
          if (toOwnName === undefined) return result;
          const stream = transformParts(result.stream, {
            part: (part, emit) => emit(withName(part, toOwnName)),
          });
          return { ...result, stream };
        }),
    };
  };
}

/** The official provider adds its path behind a query; the whole address goes in its place. */
const toFetchOf =
  (endpoint: URL, fetch: FetchFunction): FetchFunction =>
  (_, init) =>
    fetch(endpoint, init);

const withName = <Part extends LanguageModelV2Content | LanguageModelV2StreamPart>(
  part: Part,
  toName: (name: string) => string,
): Part => ('toolName' in part ? { ...part, toolName: toName(part.toolName) } : part);

export interface OfficialModelConfig {
  /** The root that `/responses` is added to. */
  readonly baseURL: string;
  /** All headers of the request, with the key among them where there is one. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Whether a request without any key is a mistake. */
  readonly needsKey: boolean;
  readonly fetch: FetchFunction;
  readonly importOpenAI: ImportOpenAI | undefined;
}

/** Imports the official provider's package, `@ai-sdk/openai` 2. */
export type ImportOpenAI = () => Promise<unknown>;

/**
 * The Responses model of `@ai-sdk/openai`, an optional peer that is loaded when it is first needed.
 *
 * @throws KelivoError with code `missing-package` where it is not installed, or in another major version.
 */
export async function openOfficialModel(
  modelId: string,
  { baseURL, headers, needsKey, fetch, importOpenAI = () => import('@ai-sdk/openai') }: OfficialModelConfig,
): Promise<LanguageModelV2> {
  const official = await load(importOpenAI);
  const hasKey = headers.authorization !== undefined || headers['api-key'] !== undefined;
  // Without a key where one is needed, the official provider says what is missing.
  const isSettled = hasKey || !needsKey;
  const model = official
    .createOpenAI({
      baseURL,
      ...(isSettled && { apiKey: '' }),
      // The official provider makes a header of each key: an undefined value takes that one out.
      headers: { ...(isSettled && { Authorization: undefined }), ...headers } as Record<string, string>,
      fetch,
    })
    .responses(modelId);
  const { specificationVersion }: { specificationVersion: string } = model;
  if (specificationVersion === 'v2') return model;
  throw new KelivoError({
    code: 'missing-package',
    message:
      `Expected @ai-sdk/openai 2, whose models are of version v2, got one with models of version ${specificationVersion}. ` +
      'Install it with `npm install @ai-sdk/openai@2`, or beside the other under a name that `importOpenAI` imports.',
  });
}

async function load(importOpenAI: ImportOpenAI): Promise<OfficialPackage> {
  try {
    const official = (await importOpenAI()) as OfficialPackage;
    if (typeof official.createOpenAI !== 'function')
      throw new TypeError('It has no function `createOpenAI`.');
    return official;
  } catch (cause) {
    throw new KelivoError({
      code: 'missing-package',
      message:
        'Expected the package @ai-sdk/openai for a model that is switched to the official provider, but it could not be ' +
        'loaded. Install it with `npm install @ai-sdk/openai@2`, or switch the model on.',
      cause,
    });
  }
}

interface OfficialPackage {
  readonly createOpenAI: typeof createOpenAI;
}

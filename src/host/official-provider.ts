import type { LanguageModelV2, LanguageModelV2CallOptions } from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { withRequestLog } from '../http/request-log.js';
import { type HostVersion, turnTokenOf } from '../parts/call-marks.js';
import { createCredentials } from '../provider/credentials.js';
import { createEndpoints } from '../provider/endpoints.js';
import { resolveModelOverride } from '../provider/model-overrides.js';
import type { KelivoResponsesSettings } from '../provider/settings.js';
import { supportedUrls } from '../responses/supported-urls.js';
import { KelivoError } from '../shared/errors.js';
import { toLanguageModelV3 } from '../v3/language-model.js';
import type { LanguageModelV3 } from '../v3/specification.js';
import { toLanguageModelV4 } from '../v4/language-model.js';
import type { LanguageModelV4 } from '../v4/specification.js';
import type { OfficialModel } from './official-call.js';

/** Imports the package of the official provider, `@ai-sdk/openai` 2, 3 or 4. */
export type ImportOpenAI = () => Promise<unknown>;

/** Language models by the version of their interface. */
export interface ModelByVersion {
  v2: LanguageModelV2;
  v3: LanguageModelV3;
  v4: LanguageModelV4;
}

const RESPONSES_PATH = '/responses';

export interface OfficialModelsOptions<Version extends HostVersion> {
  /** Version of the models, which is that of the host. */
  readonly version: Version;
  /** Provider name of the models. */
  readonly provider: string;
  readonly importOpenAI: ImportOpenAI | undefined;
}

/**
 * Creates official Responses models from the settings of this package's provider. They use its address, keys, headers and
 * `fetch`. Settings of this package's own client (`compatibility`, `missingReasoning`, `timeouts`, body fields) do not
 * apply.
 *
 * A call with an installed package of the same version reaches the official model unconverted. Models of another version
 * are converted.
 */
export function createOfficialModels<Version extends HostVersion>(
  settings: KelivoResponsesSettings,
  { version, provider, importOpenAI }: OfficialModelsOptions<Version>,
): (modelId: string) => ModelByVersion[Version] {
  const endpoints = createEndpoints(settings);
  const credentials = createCredentials(settings, { url: endpoints.shownRoot });
  const fetchFor = withRequestLog(
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
      version,
    };

    /** Opens the model for every call, so that each call reads the key and a rejected key is replaced by the next one. */
    const call = <Result>(
      options: LanguageModelV2CallOptions,
      run: (model: LanguageModelV2) => PromiseLike<Result>,
    ): Promise<Result> =>
      credentials.use(turnTokenOf(options.providerOptions), async keyHeaders => {
        const official = await openOfficialModel(modelId, {
          ...config,
          fetch: withEndpoint(endpoint, fetchFor(options.providerOptions)),
          headers: { ...keyHeaders, ...modelHeaders },
        });
        // Most hosts never switch off, so that the code for it is loaded when needed.
        const { continueHistories } = await import('./official-call.js');
        const continued = continueHistories(official, { store: settings.store ?? false });
        if (continued.specificationVersion === version) return run(continued as LanguageModelV2);
        const { toLanguageModelV2 } = await import('../v3/language-model-v2.js');
        const v2 = continued.specificationVersion === 'v2' ? continued : toLanguageModelV2(continued);
        return run(toModelOfVersion(v2, version) as LanguageModelV2);
      });

    // The members of all versions have the same names.
    const model: Omit<LanguageModelV2, 'specificationVersion'> & { specificationVersion: HostVersion } = {
      specificationVersion: version,
      provider,
      modelId,
      supportedUrls,
      doGenerate: options => call(options, model => model.doGenerate(options)),
      doStream: options => call(options, model => model.doStream(options)),
    };
    return model as ModelByVersion[Version];
  };
}

/** Converts a model of version 2 to the version of a host. */
export function toModelOfVersion<Version extends HostVersion>(
  model: LanguageModelV2,
  version: Version,
): ModelByVersion[Version] {
  const converted: OfficialModel =
    version === 'v2' ? model : version === 'v3' ? toLanguageModelV3(model) : toLanguageModelV4(model);
  return converted as ModelByVersion[Version];
}

/** Sends every request to the endpoint, because the official provider would append its path after the query string. */
const withEndpoint =
  (endpoint: URL, fetch: FetchFunction): FetchFunction =>
  (_, init) =>
    fetch(endpoint, init);

interface OfficialModelConfig {
  /** URL that `/responses` is appended to. */
  readonly baseURL: string;
  /** All headers of the request, including the API key if there is one. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** True if a request without a key is an error. */
  readonly needsKey: boolean;
  readonly fetch: FetchFunction;
  readonly importOpenAI: ImportOpenAI | undefined;
  /** Version of the host, for messages. */
  readonly version: HostVersion;
}

/** The part of `@ai-sdk/openai` that is used here. */
interface OfficialPackage {
  createOpenAI(settings: {
    baseURL: string;
    apiKey?: string;
    headers: Readonly<Record<string, string | undefined>>;
    fetch: FetchFunction;
  }): { responses(modelId: string): OfficialModel };
}

/**
 * Opens the Responses model of `@ai-sdk/openai`, an optional peer dependency that is imported when first needed.
 *
 * @throws KelivoError with code `missing-package` if it is missing or its models have an unknown version.
 */
async function openOfficialModel(
  modelId: string,
  {
    baseURL,
    headers,
    needsKey,
    fetch,
    version,
    importOpenAI = () => import('@ai-sdk/openai'),
  }: OfficialModelConfig,
): Promise<OfficialModel> {
  const { createOpenAI } = await load(importOpenAI, version);
  const hasKey = headers.authorization !== undefined || headers['api-key'] !== undefined;
  // If a required key is missing, the official provider reports it.
  const skipsKeyCheck = hasKey || !needsKey;
  const model = createOpenAI({
    baseURL,
    // Versions 2 and 3 accept only strings. The key is already in the headers.
    ...(skipsKeyCheck && { apiKey: '' }),
    // The official provider creates an Authorization header from `apiKey`. An undefined value removes it.
    headers: { ...(skipsKeyCheck && { Authorization: undefined }), ...headers },
    fetch,
  }).responses(modelId);
  const { specificationVersion }: { specificationVersion: string } = model;
  if (Object.hasOwn(OFFICIAL_PACKAGES, specificationVersion)) return model;
  const supported = Object.values(OFFICIAL_PACKAGES).join(', ');
  throw new KelivoError({
    code: 'missing-package',
    message:
      `Expected a package @ai-sdk/openai that fits the host (${supported}), got one whose models have version ` +
      `${specificationVersion}. Run \`npm install @ai-sdk/openai@${version.slice(1)}\`, or install that version under ` +
      'another name and import it with `importOpenAI`.',
  });
}

/** Packages whose models are supported, by the version of the models. */
const OFFICIAL_PACKAGES: Readonly<Record<HostVersion, string>> = {
  v2: '2 for `ai@5`',
  v3: '3 for `ai@6`',
  v4: '4 for `ai@7`',
};

async function load(importOpenAI: ImportOpenAI, version: HostVersion): Promise<OfficialPackage> {
  try {
    const official = await importOpenAI();
    if (isOfficialPackage(official)) return official;
    throw new TypeError('The imported package has no function `createOpenAI`.');
  } catch (cause) {
    throw new KelivoError({
      code: 'missing-package',
      message:
        'Expected the package @ai-sdk/openai for a model that is switched to the official provider, but it could not be ' +
        `loaded. Run \`npm install @ai-sdk/openai@${version.slice(1)}\`, or enable this package for the model.`,
      cause,
    });
  }
}

const isOfficialPackage = (value: unknown): value is OfficialPackage =>
  typeof value === 'object' &&
  value !== null &&
  'createOpenAI' in value &&
  typeof value.createOpenAI === 'function';

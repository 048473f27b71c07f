import type { FetchFunction } from '@ai-sdk/provider-utils';
import type { CoreModel } from '../../core/source.js';
import { withRequestLog } from '../../http/request-log.js';
import { createCredentials, createEndpoints } from '../../provider/connection.js';
import { resolveModelOverride } from '../../provider/model-overrides.js';
import type { KelivoResponsesSettings } from '../../provider/settings.js';
import { supportedUrls } from '../../responses/request/content.js';
import { KelivoError } from '../../shared/errors.js';
import { objectOf } from '../../shared/json.js';
import { isVersion, majorOf, VERSION_OF_MAJOR } from '../../versions/provider.js';
import type { AnyLanguageModel, HostVersion } from '../../versions/specification.js';
import { continueHistories } from './official-call.js';

/** Imports the package of the official provider, `@ai-sdk/openai` 2, 3 or 4. */
export type ImportOpenAI = () => Promise<unknown>;

const RESPONSES_PATH = '/responses';

/**
 * Creates official Responses models from the settings of this package's provider. They use its address, keys, headers and
 * `fetch`. Settings of this package's own client (`compatibility`, `missingReasoning`, `timeouts`, body fields) do not
 * apply.
 */
export function createOfficialModels(
  settings: KelivoResponsesSettings,
  {
    version,
    provider,
    importOpenAI,
  }: {
    /** Version of the host, for messages. */
    readonly version: HostVersion;
    /** Provider name of the models. */
    readonly provider: string;
    readonly importOpenAI: ImportOpenAI | undefined;
  },
): (modelId: string) => CoreModel {
  const endpoints = createEndpoints(settings);
  const credentials = createCredentials(settings, { url: endpoints.shownRoot });
  const fetchFor = withRequestLog(
    settings.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    settings.logger,
  );
  const endpoint = new URL(endpoints.urlOf(RESPONSES_PATH.slice(1)));

  return modelId => {
    const { headers: modelHeaders } = resolveModelOverride(modelId, { ...settings, known: {} });
    return {
      provider,
      modelId,
      supportedUrls,
      // The model is opened for every call, so that each call reads the key and a rejected key is replaced by the next one.
      open: call =>
        credentials.use(call.turn, async keyHeaders => {
          const fetch = fetchFor(call);
          const official = await openOfficialModel(modelId, {
            baseURL: `${endpoint.origin}${endpoint.pathname}`.slice(0, -RESPONSES_PATH.length),
            needsKey: endpoints.needsKey,
            importOpenAI,
            version,
            // The official provider would append its path after the query string.
            fetch: (_, init) => fetch(endpoint, init),
            headers: { ...keyHeaders, ...modelHeaders },
          });
          return continueHistories(official, { store: settings.store ?? false }).open(call);
        }),
    };
  };
}

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
  }): { responses(modelId: string): AnyLanguageModel };
}

/**
 * Opens the Responses model of `@ai-sdk/openai`, an optional peer dependency that is imported when first needed.
 *
 * @throws KelivoError with code `missing-package` if it is missing or its models have an unknown version.
 */
async function openOfficialModel(
  modelId: string,
  { baseURL, headers, needsKey, fetch, version, importOpenAI }: OfficialModelConfig,
): Promise<AnyLanguageModel> {
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
  if (isVersion(model.specificationVersion)) return model;
  const supported = Object.entries(VERSION_OF_MAJOR)
    .map(([major, supportedVersion]) => `${majorOf(supportedVersion)} for \`ai@${major}\``)
    .join(', ');
  throw new KelivoError({
    code: 'missing-package',
    message:
      `Expected a package @ai-sdk/openai that fits the host (${supported}), got one whose models have version ` +
      `${model.specificationVersion}. Run \`npm install @ai-sdk/openai@${majorOf(version)}\`, or install that version under ` +
      'another name and import it with `importOpenAI`.',
  });
}

async function load(importOpenAI: ImportOpenAI | undefined, version: HostVersion): Promise<OfficialPackage> {
  try {
    // Turbopack and webpack build without a missing package only if a `try` block imports it.
    const official: unknown = await (importOpenAI === undefined ? import('@ai-sdk/openai') : importOpenAI());
    if (isOfficialPackage(official)) return official;
    throw new TypeError('The imported package has no function `createOpenAI`.');
  } catch (cause) {
    throw new KelivoError({
      code: 'missing-package',
      message:
        'Expected the package @ai-sdk/openai for a model that is switched to the official provider, but it could not be ' +
        `loaded. Run \`npm install @ai-sdk/openai@${majorOf(version)}\`, or enable this package for the model.`,
      cause,
    });
  }
}

const isOfficialPackage = (value: unknown): value is OfficialPackage =>
  typeof objectOf(value)?.createOpenAI === 'function';

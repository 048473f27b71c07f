import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { withRequestLog } from '../http/request-log.js';
import { turnTokenOf } from '../parts/call-marks.js';
import { transformParts } from '../parts/transform.js';
import { createCredentials } from '../provider/credentials.js';
import { createEndpoints } from '../provider/endpoints.js';
import { resolveModelOverride } from '../provider/model-overrides.js';
import type { KelivoResponsesSettings } from '../provider/settings.js';
import { KelivoError } from '../shared/errors.js';
import { type OfficialCall, toOfficialCall } from './official-call.js';

/** Imports the package of the official provider, `@ai-sdk/openai` 2. */
export type ImportOpenAI = () => Promise<unknown>;

const RESPONSES_PATH = '/responses';

/**
 * Creates official Responses models from the settings of this package's provider. They use its address, keys, headers and
 * `fetch`. Settings of this package's own client (`compatibility`, `missingReasoning`, `timeouts`, body fields) do not
 * apply.
 */
export function createOfficialModels(
  settings: KelivoResponsesSettings,
  { provider = 'kelivo-responses', importOpenAI }: { provider?: string; importOpenAI?: ImportOpenAI } = {},
): (modelId: string) => LanguageModelV2 {
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
    };

    /** Opens the model for every call, so that each call reads the key and a rejected key is replaced by the next one. */
    const call = <Result>(
      options: LanguageModelV2CallOptions,
      run: (model: LanguageModelV2, officialCall: OfficialCall) => Promise<Result>,
    ): Promise<Result> =>
      credentials.use(turnTokenOf(options.providerOptions), async keyHeaders => {
        const model = await openOfficialModel(modelId, {
          ...config,
          fetch: withEndpoint(endpoint, fetchFor(options.providerOptions)),
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
        call(callOptions, async (model, { options, toDeclaredName }) => {
          const result = await model.doGenerate(options);
          if (toDeclaredName === undefined) return result;
          return { ...result, content: result.content.map(part => renameTool(part, toDeclaredName)) };
        }),
      doStream: callOptions =>
        call(callOptions, async (model, { options, toDeclaredName }) => {
          const result = await model.doStream(options);
          if (toDeclaredName === undefined) return result;
          const stream = transformParts(result.stream, {
            part: (part, emit) => emit(renameTool(part, toDeclaredName)),
          });
          return { ...result, stream };
        }),
    };
  };
}

/** Sends every request to the endpoint, because the official provider would append its path after the query string. */
const withEndpoint =
  (endpoint: URL, fetch: FetchFunction): FetchFunction =>
  (_, init) =>
    fetch(endpoint, init);

const renameTool = <Part extends LanguageModelV2Content | LanguageModelV2StreamPart>(
  part: Part,
  toName: (name: string) => string,
): Part => ('toolName' in part ? { ...part, toolName: toName(part.toolName) } : part);

interface OfficialModelConfig {
  /** URL that `/responses` is appended to. */
  readonly baseURL: string;
  /** All headers of the request, including the API key if there is one. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** True if a request without a key is an error. */
  readonly needsKey: boolean;
  readonly fetch: FetchFunction;
  readonly importOpenAI: ImportOpenAI | undefined;
}

/** The part of `@ai-sdk/openai` that is used here. */
interface OfficialPackage {
  createOpenAI(settings: {
    baseURL: string;
    apiKey?: string;
    headers: Readonly<Record<string, string | undefined>>;
    fetch: FetchFunction;
  }): { responses(modelId: string): LanguageModelV2 };
}

/**
 * Opens the Responses model of `@ai-sdk/openai`, an optional peer dependency that is imported when first needed.
 *
 * @throws KelivoError with code `missing-package` if it is missing or has another major version.
 */
async function openOfficialModel(
  modelId: string,
  { baseURL, headers, needsKey, fetch, importOpenAI = () => import('@ai-sdk/openai') }: OfficialModelConfig,
): Promise<LanguageModelV2> {
  const { createOpenAI } = await load(importOpenAI);
  const hasKey = headers.authorization !== undefined || headers['api-key'] !== undefined;
  // If a required key is missing, the official provider reports it.
  const skipsKeyCheck = hasKey || !needsKey;
  const model = createOpenAI({
    baseURL,
    ...(skipsKeyCheck && { apiKey: '' }),
    // The official provider creates an Authorization header from `apiKey`. An undefined value removes it.
    headers: { ...(skipsKeyCheck && { Authorization: undefined }), ...headers },
    fetch,
  }).responses(modelId);
  const { specificationVersion }: { specificationVersion: string } = model;
  if (specificationVersion === 'v2') return model;
  throw new KelivoError({
    code: 'missing-package',
    message:
      `Expected @ai-sdk/openai 2 with models of version v2, got a package with models of version ${specificationVersion}. ` +
      'Run `npm install @ai-sdk/openai@2`, or install version 2 under another name and import it with `importOpenAI`.',
  });
}

async function load(importOpenAI: ImportOpenAI): Promise<OfficialPackage> {
  try {
    const official = await importOpenAI();
    if (isOfficialPackage(official)) return official;
    throw new TypeError('The imported package has no function `createOpenAI`.');
  } catch (cause) {
    throw new KelivoError({
      code: 'missing-package',
      message:
        'Expected the package @ai-sdk/openai for a model that is switched to the official provider, but it could not be ' +
        'loaded. Run `npm install @ai-sdk/openai@2`, or enable this package for the model.',
      cause,
    });
  }
}

const isOfficialPackage = (value: unknown): value is OfficialPackage =>
  typeof value === 'object' &&
  value !== null &&
  'createOpenAI' in value &&
  typeof value.createOpenAI === 'function';

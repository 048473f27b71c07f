import type { FetchFunction } from '@ai-sdk/provider-utils';
import type { CoreCall } from '../../core/call.js';
import type { Warning } from '../../core/part.js';
import type { CoreModel } from '../../core/source.js';
import { withTimeLimits } from '../../core/http/time-limits.js';
import type { ProviderParts } from '../../provider/core-provider.js';
import { resolveModelOverride } from '../../provider/model-overrides.js';
import { supportedUrls } from '../../responses/request/model-traits.js';
import { toSettingOptions } from '../../responses/request/setting-options.js';
import { KelivoError } from '../../core/shared/errors.js';
import { isPlainObject, objectOf, type PlainObject, tryParseJson } from '../../core/shared/json.js';
import { isVersion, majorOf, VERSION_OF_MAJOR } from '../../core/versions/provider.js';
import type { AnyLanguageModel, HostVersion } from '../../core/versions/specification.js';
import { continueHistories } from './official-call.js';
import { toOfficialRequest, withoutFields } from './official-request.js';
import { withWarnings } from './warnings.js';

/** Imports the package of the official provider, `@ai-sdk/openai` 2, 3 or 4. */
export type ImportOpenAI = () => Promise<unknown>;

const RESPONSES_PATH = '/responses';

/** Name of the models, which hosts treat as those of the official provider: they add their own tool handling. */
export const OFFICIAL_NAME = 'openai.responses';

/**
 * Creates an official Responses model from the settings of this package's provider. It uses the connection of the provider,
 * and its requests contain what the settings and the call add to them. A warning names what does not apply.
 */
export function createOfficialModel(
  modelId: string,
  {
    parts: { settings, connection },
    name,
    version,
    load,
    lost,
  }: {
    readonly parts: ProviderParts;
    /** Provider name of the model. */
    readonly name: string;
    /** Version of the host, for messages. */
    readonly version: HostVersion;
    /** Loads the official package. */
    readonly load: () => Promise<OfficialPackage>;
    /** Settings that do not apply. The first response of the model names them. */
    readonly lost: readonly string[];
  },
): CoreModel {
  const override = resolveModelOverride(modelId, settings);
  const endpoint = new URL(connection.urlOf(RESPONSES_PATH.slice(1)));
  const defaults = toSettingOptions(settings);
  let isReported = lost.length === 0;
  return {
    provider: name,
    modelId,
    supportedUrls,
    async open(given) {
      const call = settings.api === 'azure' ? withAzureOptions(given) : given;
      const warnings: Warning[] = [];
      if (!isReported) warnings.push({ type: 'other', message: toLostText(lost) });
      isReported = true;
      const official = await load();
      // The model is opened for every call, so that each call reads the key and a rejected key is replaced by the next one.
      const source = await connection.credentials.use(call.turn, async keyHeaders => {
        const request: { complete?: (body: PlainObject) => PlainObject } = {};
        const send = connection.fetchFor(call, warning => void warnings.push(warning));
        const fetch = withTimeLimits(send, settings.timeouts ?? {});
        const connectionSettings: ConnectionSettings = {
          baseURL: `${endpoint.origin}${endpoint.pathname}`.slice(0, -RESPONSES_PATH.length),
          // The official provider would append its path after the query string.
          fetch: (_, init) => fetch(endpoint, { ...init, body: completeJson(init?.body, request.complete) }),
          headers: { ...keyHeaders, ...override.headers },
        };
        const { needsKey } = connection;
        const { model, major } = openOfficialModel(official, modelId, connectionSettings, needsKey, version);
        const { complete, warnings: found } = toOfficialRequest(call, {
          settings: defaults,
          override,
          major,
        });
        request.complete = complete;
        warnings.push(...found);
        return continueHistories(model, defaults).open({ ...call, own: withoutFields(call.own) });
      });
      return withWarnings(source, warnings);
    },
  };
}

function completeJson(
  body: RequestInit['body'],
  complete: ((body: PlainObject) => PlainObject) | undefined,
): RequestInit['body'] {
  const built = typeof body === 'string' ? tryParseJson(body) : undefined;
  return complete === undefined || !isPlainObject(built) ? body : JSON.stringify(complete(built));
}

/** The official package reads the options of `openai`. With Azure, this package reads those of `azure` instead. */
const withAzureOptions = (call: CoreCall): CoreCall =>
  call.providerOptions?.azure === undefined
    ? call
    : { ...call, providerOptions: { ...call.providerOptions, openai: call.providerOptions.azure } };

const toLostText = (lost: readonly string[]): string =>
  `While this model is switched to @ai-sdk/openai, these settings do not apply: ${lost.join(', ')}.`;

interface ConnectionSettings {
  /** URL that `/responses` is appended to. */
  readonly baseURL: string;
  /** All headers of the request, including the API key if there is one. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly fetch: FetchFunction;
}

/** The part of `@ai-sdk/openai` that is used here. */
export interface OfficialPackage {
  createOpenAI(settings: ConnectionSettings & { apiKey?: string }): {
    responses(modelId: string): AnyLanguageModel;
  };
}

/**
 * Opens the Responses model of `@ai-sdk/openai`, an optional peer dependency that is imported when first needed.
 *
 * @param needsKey True if a request without a key is an error.
 * @param version Version of the host, for messages.
 * @throws KelivoError with code `missing-package` if its models have an unknown version.
 */
function openOfficialModel(
  officialPackage: OfficialPackage,
  modelId: string,
  { baseURL, headers, fetch }: ConnectionSettings,
  needsKey: boolean,
  version: HostVersion,
): { readonly model: AnyLanguageModel; readonly major: number } {
  const hasKey = headers.authorization !== undefined || headers['api-key'] !== undefined;
  // If a required key is missing, the official provider reports it.
  const skipsKeyCheck = hasKey || !needsKey;
  const model = officialPackage
    .createOpenAI({
      baseURL,
      // Versions 2 and 3 accept only strings. The key is already in the headers.
      ...(skipsKeyCheck && { apiKey: '' }),
      // The official provider creates an Authorization header from `apiKey`. An undefined value removes it.
      headers: { ...(skipsKeyCheck && { Authorization: undefined }), ...headers },
      fetch,
    })
    .responses(modelId);
  const { specificationVersion: found } = model;
  if (isVersion(found)) return { model, major: majorOf(found) };
  const supported = Object.entries(VERSION_OF_MAJOR)
    .map(([major, supportedVersion]) => `${majorOf(supportedVersion)} for \`ai@${major}\``)
    .join(', ');
  throw new KelivoError({
    code: 'missing-package',
    message:
      `Expected a package @ai-sdk/openai that fits the host (${supported}), got one whose models have version ` +
      `${found}. Run \`npm install @ai-sdk/openai@${majorOf(version)}\`, or install that version under ` +
      'another name and import it with `importOpenAI`.',
  });
}

/** @throws KelivoError with code `missing-package` if the package is missing. */
export async function loadOfficialPackage(
  importOpenAI: ImportOpenAI | undefined,
  version: HostVersion,
): Promise<OfficialPackage> {
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

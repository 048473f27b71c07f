import { loadOptionalSetting } from '@ai-sdk/provider-utils';
import { KelivoError } from '../shared/errors.js';
import { toApiRoot, toEndpoint } from '../http/base-url.js';
import type { KelivoResponsesSettings } from './settings.js';

const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** The URLs of a provider. */
export interface Endpoints {
  /** The host of the API, which identifies known servers. */
  readonly host: string;
  /** The root of the API for messages, without the query, which may contain a key. */
  readonly shownRoot: string;
  /** Protocol, host and port, for example `https://api.openai.com`. */
  readonly origin: string;
  /** True for OpenAI, which rejects requests without a key. Other servers may accept them. */
  readonly needsKey: boolean;
  /** Returns the URL of an endpoint for a model, for example of `responses`, or for all models. */
  of(modelId: string | undefined, path: string): string;
}

/** @throws KelivoError with code `invalid-settings` for an invalid or missing base URL. */
export function createEndpoints(settings: KelivoResponsesSettings): Endpoints {
  const root = toApiRoot(settings.baseURL ?? toDefaultBaseURL(settings), settings);
  return {
    host: root.hostname,
    shownRoot: root.origin + root.pathname,
    origin: root.origin,
    needsKey: root.hostname === 'api.openai.com',
    of: (modelId, path) =>
      toEndpoint(
        root,
        settings.azure?.deploymentUrls && modelId !== undefined ? `deployments/${modelId}/${path}` : path,
        settings.query,
      ),
  };
}

/** @throws KelivoError for an API style without a default URL: its key must not be sent to OpenAI. */
function toDefaultBaseURL({ api = 'openai', azure }: KelivoResponsesSettings): string {
  if (api === 'azure' && azure?.resourceName !== undefined)
    return `https://${azure.resourceName}.openai.azure.com`;
  // An empty variable counts as not set. An empty setting is an error.
  const variable = loadOptionalSetting({
    settingValue: undefined,
    environmentVariableName: 'OPENAI_BASE_URL',
  });
  if (variable) return variable;
  if (api === 'openai') return OPENAI_BASE_URL;
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected \`baseURL\`${api === 'azure' ? ' or `azure.resourceName`' : ''} with \`api: '${api}'\`, got neither. Set it, or set OPENAI_BASE_URL.`,
  });
}

import { loadOptionalSetting } from '@ai-sdk/provider-utils';
import { KelivoError } from '../shared/errors.js';
import { toApiRoot, toEndpoint } from '../http/base-url.js';
import type { KelivoResponsesSettings } from './settings.js';

const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** Where the requests of a provider go. */
export interface Endpoints {
  /** The host of the API, for what is known of a service by its name. */
  readonly host: string;
  /** The root of the API without its query, which may hold a key: for messages. */
  readonly shownRoot: string;
  /** Whether a request without any key is a mistake. OpenAI's own; other servers may do without. */
  readonly needsKey: boolean;
  /** The full address of an endpoint for a model, for example of `responses`. */
  of(modelId: string, path: string): string;
}

/** @throws KelivoError with code `invalid-settings` for an address that is none, or a service that has none of its own. */
export function createEndpoints(settings: KelivoResponsesSettings): Endpoints {
  const root = toApiRoot(settings.baseURL ?? toDefaultBaseURL(settings), settings);
  return {
    host: root.hostname,
    shownRoot: root.origin + root.pathname,
    needsKey: root.hostname === 'api.openai.com',
    of: (modelId, path) =>
      toEndpoint(
        root,
        settings.azure?.deploymentUrls ? `deployments/${modelId}/${path}` : path,
        settings.query,
      ),
  };
}

/** @throws KelivoError where the service has no address of its own: its key must not go to OpenAI. */
function toDefaultBaseURL({ api = 'openai', azure }: KelivoResponsesSettings): string {
  if (api === 'azure' && azure?.resourceName !== undefined)
    return `https://${azure.resourceName}.openai.azure.com`;
  // A variable that is set to nothing is not set; a setting of nothing is a mistake.
  const variable = loadOptionalSetting({
    settingValue: undefined,
    environmentVariableName: 'OPENAI_BASE_URL',
  });
  if (variable) return variable;
  if (api === 'openai') return OPENAI_BASE_URL;
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected \`baseURL\`${api === 'azure' ? ' or `azure.resourceName`' : ''} beside \`api: '${api}'\`, got neither. Set it, or OPENAI_BASE_URL.`,
  });
}

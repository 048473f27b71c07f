import { isNonEmptyArray, isPlainObject, type PlainObject } from '../shared/json.js';
import {
  isSecret,
  isSecretField,
  looksSecret,
  mapFields,
  MARK,
  redactUrl,
  withoutScheme,
} from './redaction.js';

/**
 * Redacts a request body for errors and metadata: hosted tools carry the credentials of MCP servers and of the
 * addresses that containers may reach. Items of the input can contain tools, too. Gateways accept credentials in fields
 * that the API does not define.
 */
export function redactRequestBody(body: unknown): { body: unknown; secrets: string[] } {
  if (!isPlainObject(body)) return { body, secrets: [] };
  const secrets: string[] = [];
  const redacted = mapFields(body, (name, value) => {
    if (name === 'tools') return hideInTools(value);
    if (name === 'input') return hideInItems(value);
    return CONTENT_FIELDS.has(name) ? value : hideCredentials(name, value);
  });
  return secrets.length === 0 ? { body, secrets } : { body: redacted, secrets };

  function hideInItems(items: unknown): unknown {
    if (!Array.isArray(items) || !items.some(hasTools)) return items;
    return items.map((item: unknown) =>
      hasTools(item) ? { ...item, tools: hideInTools(item.tools) } : item,
    );
  }

  function hideInTools(tools: unknown): unknown {
    if (!Array.isArray(tools)) return tools;
    return tools.map((tool: unknown) =>
      isPlainObject(tool) && tool.type !== 'function' ? mapFields(tool, hideInTool) : tool,
    );
  }

  function hideInTool(name: string, value: unknown): unknown {
    switch (name) {
      case 'authorization':
      case 'headers':
        return hide(value);
      case 'server_url':
        return hideInUrl(value);
      case 'environment':
      case 'container':
        return hideInEnvironment(value);
      case 'tools':
        return hideInTools(value);
      default:
        // An option that this package does not know is sent as well.
        return typeof value === 'string' && isSecretField(name) ? hide(value) : value;
    }
  }

  function hideCredentials(name: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map(item => hideCredentials(name, item));
    if (isPlainObject(value)) return mapFields(value, hideCredentials);
    if (typeof value !== 'string') return value;
    return isSecretField(name) || looksSecret(value) ? hide(value) : value;
  }

  function hide(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(hide);
    if (isPlainObject(value)) return mapFields(value, (_, field) => hide(field));
    if (typeof value !== 'string') return value;
    addSecrets(value, withoutScheme(value));
    return MARK;
  }

  /** Redacts the values of `network_policy.domain_secrets`, and everything in secrets of another shape. */
  function hideInEnvironment(environment: unknown): unknown {
    if (!isPlainObject(environment) || !isPlainObject(environment.network_policy)) return environment;
    const { network_policy } = environment;
    const { domain_secrets: found } = network_policy;
    if (found === undefined) return environment;
    const domain_secrets = Array.isArray(found)
      ? found.map((secret: unknown) =>
          isPlainObject(secret) && typeof secret.domain === 'string' && 'value' in secret
            ? { ...secret, value: hide(secret.value) }
            : hide(secret),
        )
      : hide(found);
    return { ...environment, network_policy: { ...network_policy, domain_secrets } };
  }

  function hideInUrl(address: unknown): unknown {
    if (typeof address !== 'string') return address;
    const redacted = redactUrl(address);
    addSecrets(...redacted.secrets);
    return redacted.url;
  }

  function addSecrets(...found: string[]): void {
    secrets.push(...found.filter(isSecret));
  }
}

const hasTools = (item: unknown): item is PlainObject => isPlainObject(item) && isNonEmptyArray(item.tools);

/** Fields of a request body that contain text for the model, schemas or the name of the model. */
const CONTENT_FIELDS: ReadonlySet<string> = new Set(['instructions', 'model', 'text']);

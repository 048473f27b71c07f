import { isNonEmptyArray, isPlainObject, type PlainObject } from '../shared/json.js';
import { toShownUrl } from './to-shown-url.js';

/**
 * A request body as errors and the host's metadata may show it: hosted tools bring the credentials of MCP servers and
 * of the addresses that shells may reach along.
 */
export function toShownBody(body: unknown): { body: unknown; secrets: string[] } {
  if (!isPlainObject(body) || !isNonEmptyArray(body.tools)) return { body, secrets: [] };
  const secrets: string[] = [];

  /** Fields of tools that hold secrets, and what is shown of them. */
  const show = new Map<string, (value: unknown) => unknown>([
    ['authorization', hide],
    ['headers', hide],
    ['server_url', hideInUrl],
    ['environment', hideInEnvironment],
    ['container', hideInEnvironment],
  ]);
  const tools = body.tools.map(tool =>
    isPlainObject(tool) ? mapFields(tool, (name, value) => (show.get(name) ?? keep)(value)) : tool,
  );
  return secrets.length === 0 ? { body, secrets } : { body: { ...body, tools }, secrets };

  function hide(value: unknown): unknown {
    if (isPlainObject(value)) return mapFields(value, (_, field) => hide(field));
    if (typeof value !== 'string') return value;
    note(value, value.replace(/^\w+ +/, ''));
    return '[redacted]';
  }

  /** The value of each of `network_policy.domain_secrets`. */
  function hideInEnvironment(environment: unknown): unknown {
    if (!isPlainObject(environment) || !isPlainObject(environment.network_policy)) return environment;
    const { network_policy } = environment;
    if (!Array.isArray(network_policy.domain_secrets)) return environment;
    const domain_secrets = network_policy.domain_secrets.map((secret: unknown) =>
      isPlainObject(secret)
        ? mapFields(secret, (name, value) => (name === 'value' ? hide(value) : value))
        : secret,
    );
    return { ...environment, network_policy: { ...network_policy, domain_secrets } };
  }

  function hideInUrl(address: unknown): unknown {
    if (typeof address !== 'string') return address;
    const shown = toShownUrl(address);
    note(...shown.secrets);
    return shown.url;
  }

  function note(...found: string[]): void {
    secrets.push(...found.filter(secret => secret.length >= 4));
  }
}

const keep = (value: unknown): unknown => value;

const mapFields = (fields: PlainObject, toValue: (name: string, value: unknown) => unknown): PlainObject =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toValue(name, value)]));

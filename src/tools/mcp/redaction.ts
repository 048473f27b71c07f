import { createRedactor, findPrivateValues, findSecretArguments, redactUrl } from '../../http/redaction.js';
import type { McpServerConfig } from './config.js';

/** Removes the credentials of a server's configuration, and text that looks like one, from an error. */
export function redactServerText(text: string, config: McpServerConfig): string {
  return createRedactor(secretsOf(config)).redact(text);
}

function secretsOf(config: McpServerConfig): string[] {
  if ('command' in config) {
    const environment = findPrivateValues(Object.entries(config.env ?? {}));
    return [...environment, ...findSecretArguments(config.args ?? [])];
  }
  return [
    ...findPrivateValues(Object.entries(config.headers ?? {})),
    ...findPrivateValues(new URL(config.url).searchParams),
    ...redactUrl(config.url).secrets,
  ];
}

import {
  createRedactor,
  findPrivateValues,
  findSecretArguments,
  redactUrl,
} from '../../../core/redaction/redaction.js';
import type { McpServerConfig } from '../config/config.js';
import { authStateOf } from './authorization.js';

/** Returns the secrets that the server knows, at this time: a provider may return other tokens later. */
export function secretsOf(config: McpServerConfig): string[] {
  if ('command' in config) {
    const environment = findPrivateValues(Object.entries(config.env ?? {}));
    return [...environment, ...findSecretArguments(config.args ?? [])];
  }
  const { authProvider, headers = {}, url } = config;
  return [
    ...(authProvider === undefined ? [] : authStateOf(authProvider).sentTokens),
    ...findPrivateValues(Object.entries(headers)),
    ...findPrivateValues(new URL(url).searchParams),
    ...redactUrl(url).secrets,
  ];
}

/** Redacts the secrets that the server knows, and text that looks like a secret. */
export function redactServerText(text: string, config: McpServerConfig): string {
  return createRedactor(secretsOf(config)).redact(text);
}

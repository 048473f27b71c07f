import { secretsIn } from './secrets-in.js';

/** An address as logs and errors may show it: without its password and the secrets of its query. */
export function toShownUrl(address: string): { url: string; secrets: string[] } {
  const secrets: string[] = [];
  const url = address
    .replace(/^(\w+:\/\/[^/?#@]*:)([^/?#]*)(?=@)/, (_, before: string, password: string) => {
      secrets.push(password, decode(password));
      return `${before}[redacted]`;
    })
    .replace(/([?&])([^=&#]*)=([^&#]*)/g, (pair, sign: string, name: string, value: string) => {
      const found = secretsIn([[decode(name), decode(value)]]);
      if (found.length === 0) return pair;
      secrets.push(value, ...found);
      return `${sign}${name}=[redacted]`;
    });
  return { url, secrets };
}

/** A part of a query as it is meant; as it is where it is not encoded well. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

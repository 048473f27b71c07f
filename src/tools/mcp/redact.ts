import type { McpServerConfig } from './config.js';

/** Shorter values (`1`, `debug`, a port) are no secrets, and blacking them out would spoil the text. */
const minSecretLength = 6;

/** Things that look secret wherever they stand. */
const secretPatterns: readonly [pattern: RegExp, replacement: string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [redacted]'],
  [/\b(?:sk|pk|ghp|gho|ghs|glpat|xox[abprs]|github_pat|hf|npm)[-_][\w-]{8,}/g, '[redacted]'],
  [
    /((?:api[-_]?key|token|secret|password|passwd|authorization)["']?\s*[=:]\s*["']?)[^\s"',;&]+/gi,
    '$1[redacted]',
  ],
  [/\/\/[^\s/@]+@/g, '//[redacted]@'],
];

/** Blacks out the given values and whatever looks like a key. */
export function redact(text: string, { secrets = [] }: { secrets?: readonly string[] } = {}): string {
  const withoutValues = secrets
    .filter(secret => secret.length >= minSecretLength)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  return secretPatterns.reduce(
    (rest, [pattern, replacement]) => rest.replace(pattern, replacement),
    withoutValues,
  );
}

export function secretsOf(config: McpServerConfig): string[] {
  if ('command' in config)
    return [...Object.values(config.env ?? {}), ...toSecretArguments(config.args ?? [])];
  const headers = Object.values(config.headers ?? {}).flatMap(value => [value, value.replace(/^\w+\s+/, '')]);
  return [...headers, ...new URL(config.url).searchParams.values()];
}

/** `--api-key x` and `--token=x`; other arguments, such as folders, are what makes an error text useful. */
function toSecretArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const assigned = /^-[^=]*(?:key|token|secret|password)[^=]*=(.+)$/i.exec(argument)?.[1];
    const isValue = /^-[^=]*(?:key|token|secret|password)[^=]*$/i.test(args[index - 1] ?? '');
    return assigned ?? (isValue ? argument : []);
  });
}

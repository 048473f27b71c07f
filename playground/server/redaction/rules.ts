import { lintSource } from '@secretlint/core';
import { rules as presetRules } from '@secretlint/secretlint-rule-preset-recommend';

/** Positions of a secret in a text: from, up to but not including. */
export type Range = readonly [from: number, to: number];

/** Comments in a text would switch rules off, and a model writes the text. */
const rules = presetRules
  .filter(({ meta }) => meta.id !== '@secretlint/secretlint-rule-filter-comments')
  .map(rule => ({ id: rule.meta.id, rule }));

/**
 * Secrets that the rule pack does not find. The last group of a pattern is the secret. JWT, Google, Stripe and npm as in
 * the rules of gitleaks: https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml
 *
 * A pattern that begins with a repetition, or repeats without a limit from many places, takes quadratic time for a long word.
 */
const patterns: readonly RegExp[] = [
  // JSON Web Token
  /\b(ey[\w-]{15,4000}\.ey[\w-]{15,}(?:\.[\w-]{10,})?)/g,
  // Google API key
  /\b(AIza[\w-]{35})/g,
  // Stripe
  /\b((?:sk|rk|pk)_(?:live|test|prod)_[\w]{10,99})/g,
  // npm
  /\b(npm_[a-z0-9]{36})/gi,
  // Access key ids of AWS, which the pack does not report for all prefixes
  /\b((?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b/g,
  // OpenAI and compatible services, GitHub, GitLab, Slack, Hugging Face: also keys of unusual length
  /\b((?:sk|pk|ghp|gho|ghs|ghu|ghr|glpat|xox[abeoprs]|xapp|github_pat|hf)[-_][\w-]{8,})/g,
  // Header values
  /\b(?:Bearer|Basic|Token)\s+([\w.~+/=-]{8,})/gi,
  /\b(?:Proxy-)?Authorization["']?\s*[:=]\s*["']?(?!(?:Bearer|Basic|Token)\s)([^\s"',;]{8,})/gi,
  // User and password in a URL
  /[a-z0-9+.-]:\/\/([^\s/@:"']{1,1000}:[^\s/@"']{1,1000})@/gi,
  // Private keys, also if their end is missing
  /(-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?!-----END)[^])*(?:-----END [A-Z ]*PRIVATE KEY-----)?)/g,
  // Assignments: `OPENAI_API_KEY=…`, `"password": "…"`, `--token …`, `?access_token=…`. In JSON within JSON, quotes are escaped.
  /(?<![a-z])(?:api[_-]?key|access[_-]?key|secret(?:[_-]?key)?|client[_-]?secret|auth[_-]?token|access[_-]?token|refresh[_-]?token|token|password|passwd|pwd)(?:\\?["'])?(?:\s*[:=]\s*|\s+(?=\\?["']))(?:\\?["'])?([^\s"'\\,;&<>{}[\]()]{6,})/gi,
  /-(?:key|token|secret|password|passwd)(?:\\?["'],?\s*\\?["']|\s+|=)([^\s"'\\,;]{6,})/gi,
];

/** Finds secrets by their shape. */
export async function findByShape(text: string): Promise<Range[]> {
  const { messages } = await lintSource({
    source: { filePath: '/text.txt', content: text, contentType: 'text' },
    options: { config: { rules }, noPhysicFilePath: true },
  });
  return [...messages.map(({ range }): Range => [range[0], range[1]]), ...findByPattern(text)];
}

/** Finds secrets by the patterns above only, without the rule pack, which is asynchronous. */
export const findByPattern = (text: string): Range[] =>
  patterns.flatMap(pattern =>
    [...text.matchAll(new RegExp(pattern.source, `${pattern.flags.replace('d', '')}d`))].flatMap(match => {
      const range = match.indices?.at(-1);
      return range === undefined ? [] : [[range[0], range[1]] as const];
    }),
  );

/** Finds known secrets, as they are and as they are written in JSON, in URLs and in base64. */
export function findValues(text: string, secrets: readonly string[]): Range[] {
  const written = new Set(secrets.flatMap(toSpellings));
  return [...written].flatMap(secret => {
    const ranges: Range[] = [];
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
      ranges.push([at, at + secret.length]);
    }
    return ranges;
  });
}

/** Shorter values are not redacted: they would match ordinary text. */
const MIN_LENGTH = 6;

function toSpellings(secret: string): string[] {
  if (secret.length < MIN_LENGTH) return [];
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(secret),
    btoa(unescape(encodeURIComponent(secret))),
  ];
}

/** Joins ranges that overlap or touch, in order. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) merged[merged.length - 1] = [last[0], Math.max(last[1], to)];
    else merged.push([from, to]);
  }
  return merged;
}

import { KelivoError } from '../../errors.js';

/** API roots that have no version segment, by host. */
const VERSIONLESS_HOSTS: readonly RegExp[] = [
  /(^|\.)githubcopilot\.com$/, // GitHub Copilot: https://api.githubcopilot.com/responses
  /^chatgpt\.com$/, // Codex backend: https://chatgpt.com/backend-api/codex/responses
];

/** Endpoints that people paste where the root is asked for. */
const PASTED_ENDPOINT = /\/(responses|chat\/completions|completions|embeddings|models)$/;

const VERSION_SEGMENT = /^v\d+\w*$/;

/**
 * The root of an OpenAI-style API in what people write for it: without trailing slashes, with one version segment, and
 * without the endpoint where a whole one was pasted (that root is then taken as it is). A query string is kept.
 *
 * @throws KelivoError with code `invalid-settings` when `baseURL` is no absolute http(s) URL.
 */
export function toApiRoot(baseURL: string): URL {
  const url = parse(baseURL);
  const path = url.pathname.replace(/\/+/g, '/').replace(/\/$/, '');
  const root = path.replace(PASTED_ENDPOINT, '');
  const segments = root.split('/').filter(Boolean);
  // `…/v1/v1`: one part of a set-up wrote the version, and so did another.
  while (
    segments.length > 1 &&
    VERSION_SEGMENT.test(segments.at(-1) ?? '') &&
    segments.at(-1) === segments.at(-2)
  ) {
    segments.pop();
  }
  const hasVersion =
    root !== path ||
    segments.some(segment => VERSION_SEGMENT.test(segment)) ||
    VERSIONLESS_HOSTS.some(host => host.test(url.hostname));
  url.pathname = (hasVersion ? segments : [...segments, 'v1']).join('/');
  url.hash = '';
  return url;
}

/** The address of an endpoint below a root, with further query parameters. */
export function toEndpoint(root: URL, path: string, query: Readonly<Record<string, string>> = {}): string {
  const url = new URL(root);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

function parse(baseURL: string): URL {
  const text = baseURL.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  const guess = `https://${text.replace(/^\w*:?\/*/, match => (/^\w+:\/\//.test(match) ? '' : match.replace(/^\/+/, '')))}`;
  const hint =
    /^[^\s/]+\.[^\s]+|^localhost/.test(text) && URL.canParse(guess) ? ` Did you mean "${guess}"?` : '';
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected \`baseURL\` to be an absolute http(s) URL such as "https://api.openai.com/v1", got "${text}".${hint}`,
  });
}

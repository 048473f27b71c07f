import { describe, expect, it } from 'vitest';
import { KelivoError } from '../../../src/core/shared/errors.js';
import { toApiRoot } from '../../../src/core/http/base-url.js';
import { toEndpoint } from '../../../src/provider/connection.js';

type Options = Parameters<typeof toApiRoot>[1];

const endpointOf = (baseURL: string, options?: Options) =>
  toEndpoint(toApiRoot(baseURL, options), 'responses', options?.query);

const OPENAI: readonly [baseURL: string, endpoint: string][] = [
  // Documented base URLs.
  ['https://api.openai.com/v1', 'https://api.openai.com/v1/responses'],
  ['https://openrouter.ai/api/v1', 'https://openrouter.ai/api/v1/responses'],
  ['https://api.x.ai/v1', 'https://api.x.ai/v1/responses'],
  ['http://localhost:1234/v1', 'http://localhost:1234/v1/responses'],
  [
    'https://generativelanguage.googleapis.com/v1beta/openai',
    'https://generativelanguage.googleapis.com/v1beta/openai/responses',
  ],
  ['https://ark.cn-beijing.volces.com/api/v3', 'https://ark.cn-beijing.volces.com/api/v3/responses'],
  // Slashes and white space.
  ['https://api.openai.com/v1/', 'https://api.openai.com/v1/responses'],
  ['https://api.openai.com/v1///', 'https://api.openai.com/v1/responses'],
  ['https://api.openai.com//v1', 'https://api.openai.com/v1/responses'],
  [' https://api.openai.com/v1\n', 'https://api.openai.com/v1/responses'],
  // Without a version.
  ['https://api.openai.com', 'https://api.openai.com/v1/responses'],
  ['https://api.openai.com/', 'https://api.openai.com/v1/responses'],
  ['http://127.0.0.1:8000', 'http://127.0.0.1:8000/v1/responses'],
  ['http://localhost:11434/', 'http://localhost:11434/v1/responses'],
  ['http://[::1]:8080', 'http://[::1]:8080/v1/responses'],
  ['https://gateway.test/openai', 'https://gateway.test/openai/v1/responses'],
  ['HTTPS://API.OpenAI.com', 'https://api.openai.com/v1/responses'],
  // A repeated version.
  ['https://api.openai.com/v1/v1', 'https://api.openai.com/v1/responses'],
  ['https://api.openai.com/v1/v1/v1/', 'https://api.openai.com/v1/responses'],
  ['https://gateway.test/v1/v1/responses', 'https://gateway.test/v1/responses'],
  // A version inside the path.
  ['https://gateway.test/v1/team-a', 'https://gateway.test/v1/team-a/responses'],
  ['https://gateway.test/vault', 'https://gateway.test/vault/v1/responses'],
  // Pasted endpoints.
  ['https://api.openai.com/v1/responses', 'https://api.openai.com/v1/responses'],
  ['https://api.openai.com/v1/responses/', 'https://api.openai.com/v1/responses'],
  ['https://api.openai.com/v1/chat/completions', 'https://api.openai.com/v1/responses'],
  ['https://api.openai.com/v1/completions', 'https://api.openai.com/v1/responses'],
  ['https://api.openai.com/v1/embeddings', 'https://api.openai.com/v1/responses'],
  ['https://api.openai.com/v1/models', 'https://api.openai.com/v1/responses'],
  ['https://gateway.test/responses', 'https://gateway.test/responses'],
  ['https://gateway.test/team-a/responses', 'https://gateway.test/team-a/responses'],
  // Hosts without a version segment.
  ['https://api.githubcopilot.com', 'https://api.githubcopilot.com/responses'],
  ['https://api.individual.githubcopilot.com/', 'https://api.individual.githubcopilot.com/responses'],
  ['https://chatgpt.com/backend-api/codex', 'https://chatgpt.com/backend-api/codex/responses'],
  ['https://notgithubcopilot.com', 'https://notgithubcopilot.com/v1/responses'],
  // Query strings and fragments.
  ['https://gateway.test/v1?tenant=a&key=b', 'https://gateway.test/v1/responses?tenant=a&key=b'],
  ['https://gateway.test?tenant=a', 'https://gateway.test/v1/responses?tenant=a'],
  ['https://gateway.test/v1/responses?tenant=a', 'https://gateway.test/v1/responses?tenant=a'],
  ['https://gateway.test/v1#section', 'https://gateway.test/v1/responses'],
];

const AZURE = 'https://res.openai.azure.com';
const DATED = { 'api-version': '2025-04-01-preview' };

const WITH_API: readonly [baseURL: string, options: Options, endpoint: string][] = [
  [AZURE, { api: 'azure' }, `${AZURE}/openai/v1/responses`],
  [`${AZURE}/openai`, { api: 'azure' }, `${AZURE}/openai/v1/responses`],
  [`${AZURE}/openai/v1/`, { api: 'azure' }, `${AZURE}/openai/v1/responses`],
  [`${AZURE}/openai/v1/openai/v1`, { api: 'azure' }, `${AZURE}/openai/v1/responses`],
  [
    `${AZURE}/openai/v1/responses?api-version=preview`,
    { api: 'azure' },
    `${AZURE}/openai/v1/responses?api-version=preview`,
  ],
  [`${AZURE}/openai/deployments/gpt/chat/completions`, { api: 'azure' }, `${AZURE}/openai/v1/responses`],
  [AZURE, { api: 'azure', query: DATED }, `${AZURE}/openai/responses?api-version=2025-04-01-preview`],
  [
    `${AZURE}/openai?api-version=2025-04-01-preview`,
    { api: 'azure' },
    `${AZURE}/openai/responses?api-version=2025-04-01-preview`,
  ],
  ['https://gateway.test/azure/openai', { api: 'azure' }, 'https://gateway.test/azure/openai/v1/responses'],
  ['https://google.test', { api: 'google' }, 'https://google.test/v1beta/responses'],
  ['https://google.test/v1', { api: 'google' }, 'https://google.test/v1/responses'],
];

const INVALID: readonly [baseURL: string, hint: string | undefined][] = [
  ['api.openai.com/v1', 'https://api.openai.com/v1'],
  ['api.x.ai', 'https://api.x.ai'],
  ['//api.openai.com/v1', 'https://api.openai.com/v1'],
  ['localhost:8000', 'http://localhost:8000'],
  ['127.0.0.1:8000/v1', 'http://127.0.0.1:8000/v1'],
  ['', undefined],
  ['/v1', undefined],
  ['openai', undefined],
  ['http://', undefined],
  ['ws://api.openai.com/v1', undefined],
  ['file:///etc/passwd', undefined],
];

describe('toApiRoot', () => {
  it.each(OPENAI)('converts %j to the endpoint %s', (baseURL, endpoint) => {
    expect(endpointOf(baseURL)).toBe(endpoint);
  });

  it.each(WITH_API)('converts %s with %o to the endpoint %s', (baseURL, options, endpoint) => {
    expect(endpointOf(baseURL, options)).toBe(endpoint);
  });

  it.each(INVALID)('rejects %j and suggests %s', (baseURL, hint) => {
    const parse = () => toApiRoot(baseURL);
    expect(parse).toThrow(KelivoError);
    expect(parse).toThrow(
      `Expected \`baseURL\` to be an absolute http(s) URL such as "https://api.openai.com/v1", got "${baseURL}".`,
    );
    if (hint === undefined) expect(parse).not.toThrow('Did you mean');
    else expect(parse).toThrow(`Did you mean "${hint}"?`);
  });
});

describe('toEndpoint', () => {
  it('adds query parameters to those of the root and replaces those of the same name', () => {
    const root = toApiRoot('https://gateway.test/v1?a=1&b=2');
    expect(toEndpoint(root, 'responses', { b: '3', c: 'x y' })).toBe(
      'https://gateway.test/v1/responses?a=1&b=3&c=x+y',
    );
  });

  it('does not change the root', () => {
    const root = toApiRoot('https://gateway.test/v1');
    toEndpoint(root, 'responses', { a: '1' });
    expect(toEndpoint(root, 'embeddings')).toBe('https://gateway.test/v1/embeddings');
  });

  it('rejects credentials in the address and reports neither them nor the query', () => {
    expect(() => toApiRoot('https://me:sk-secret@api.test/v1')).toThrow(
      'Expected `baseURL` without a user name and password, got some before "api.test".',
    );
    expect(() => toApiRoot('https://me:sk-secret@api.test/v1')).not.toThrow('sk-secret');
    expect(() => toApiRoot('api.test/v1?key=sk-secret')).toThrow('Did you mean "https://api.test/v1"?');
    expect(() => toApiRoot('api.test/v1?key=sk-secret')).not.toThrow('sk-secret');
  });
});

import { expect, it } from 'vitest';
import { redactRequestBody } from '../../../src/core/redaction/request-body.js';
import { toHostedTool } from '../../../src/responses/hosted-tools/index.js';

const settingsOf = (id: string, args: Record<string, unknown>) => toHostedTool({ id, name: 'mine', args });

const allowlist = {
  type: 'allowlist',
  allowedDomains: ['a.org'],
  domainSecrets: [{ domain: 'a.org', name: 'KEY', value: 'topsecret' }],
};
const wireAllowlist = {
  type: 'allowlist',
  allowed_domains: ['a.org'],
  domain_secrets: [{ domain: 'a.org', name: 'KEY', value: 'topsecret' }],
};

it.each([
  [
    'openai.code_interpreter',
    { container: { fileIds: ['f'], memoryLimit: '4g', networkPolicy: allowlist } },
    { container: { type: 'auto', file_ids: ['f'], memory_limit: '4g', network_policy: wireAllowlist } },
  ],
  [
    'openai.shell',
    { environment: { type: 'containerAuto', memoryLimit: '1g', networkPolicy: { type: 'disabled' } } },
    { environment: { type: 'container_auto', memory_limit: '1g', network_policy: { type: 'disabled' } } },
  ],
  [
    'openai.image_generation',
    { action: 'edit', partialImages: 2, complexity: 'low', svg: { model: 'm' }, frameCount: 3 },
    { action: 'edit', partial_images: 2, complexity: 'low', svg: { model: 'm' }, frame_count: 3 },
  ],
  ['openai.web_search_preview', { searchContentTypes: ['image'] }, { search_content_types: ['image'] }],
  [
    'openai.mcp',
    {
      serverLabel: 'a',
      tunnelId: 't',
      deferLoading: true,
      allowedCallers: ['programmatic'],
      headers: { 'X-Tenant': 'b', camelCase: 'c' },
      requireApproval: { never: { readOnly: true, toolNames: ['d'] } },
    },
    {
      server_label: 'a',
      tunnel_id: 't',
      defer_loading: true,
      allowed_callers: ['programmatic'],
      headers: { 'X-Tenant': 'b', camelCase: 'c' },
      require_approval: { never: { read_only: true, tool_names: ['d'] } },
    },
  ],
  ['openai.apply_patch', { allowedCallers: ['direct'] }, { allowed_callers: ['direct'] }],
  [
    'openai.custom',
    { deferLoading: true, allowedCallers: ['programmatic'] },
    { name: 'mine', defer_loading: true, allowed_callers: ['programmatic'] },
  ],
  [
    'openai.tool_search',
    { execution: 'client', parameters: { type: 'object', properties: { searchText: {} } } },
    { execution: 'client', parameters: { type: 'object', properties: { searchText: {} } } },
  ],
])('sends all options of %s', (id, args, expected) => {
  expect(settingsOf(id, args)).toMatchObject(expected);
});

it.each(['open', { type: 'denylist', deniedDomains: ['a.org'] }, ['a.org'], null])(
  'sends the network policy %j, which it does not know',
  networkPolicy => {
    const { container } = settingsOf('openai.code_interpreter', {
      container: { networkPolicy },
    }) as unknown as {
      container: Record<string, unknown>;
    };
    expect(JSON.stringify(container.network_policy)).toBe(
      JSON.stringify(networkPolicy).replace('deniedDomains', 'denied_domains'),
    );
  },
);

it('sends options that it does not know in snake case', () => {
  expect(settingsOf('openai.web_search', { newOption: { innerOption: [{ deepOption: 1 }] } })).toEqual({
    type: 'web_search',
    new_option: { inner_option: [{ deep_option: 1 }] },
  });
});

it('redacts the secrets of tools in requests, also in those of the input', () => {
  const tools = [
    settingsOf('openai.mcp', {
      serverLabel: 'docs',
      serverUrl: 'https://user:passw0rd@mcp.test/?key=urlsecret',
      authorization: 'Bearer tokensecret',
      headers: { 'X-Key': 'headersecret' },
      newToken: 'newsecret',
    }),
    settingsOf('openai.code_interpreter', { container: { networkPolicy: allowlist } }),
    settingsOf('openai.shell', {
      environment: { type: 'containerAuto', networkPolicy: { domainSecrets: { 'a.org': 'mapsecret' } } },
    }),
    { type: 'namespace', name: 'crm', tools: [{ type: 'mcp', authorization: 'nestedsecret' }] },
    { type: 'function', name: 'login', parameters: { properties: { token: { default: 'notasecret' } } } },
  ];
  const input = [{ type: 'tool_search_output', tools: [{ type: 'mcp', authorization: 'foundsecret' }] }];
  const { body, secrets } = redactRequestBody({ model: 'm', input, tools });
  const text = JSON.stringify(body);
  const hidden = ['tokensecret', 'headersecret', 'newsecret', 'topsecret', 'mapsecret', 'nestedsecret'];
  for (const secret of [...hidden, 'urlsecret', 'passw0rd', 'foundsecret']) {
    expect(text).not.toContain(secret);
    expect(secrets).toContain(secret);
  }
  expect(text).toContain('notasecret');
  expect(text).toContain('"allowed_domains":["a.org"]');
});

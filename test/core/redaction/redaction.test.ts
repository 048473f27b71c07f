import { describe, expect, it } from 'vitest';
import {
  createRedactor,
  findPrivateValues,
  findSecretArguments,
  redactHeaderValues,
  redactUrl,
} from '../../../src/core/redaction/redaction.js';
import { redactErrorJson, redactJson } from '../../../src/core/redaction/redaction.js';
import { generateText } from 'ai';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { startEmulator } from '../../testing/_emulator.js';
import { toMcpError } from '../../../src/tools/mcp/session/errors.js';
import { toStreamError } from '../../../src/core/http/api-error.js';
import { ordinaryTexts, secrets } from './_secrets.js';

const { redact, redactKnown, isClean } = createRedactor(['open "sesame"/1']);

describe('redact', () => {
  it.each([
    ['in plain text', 'key open "sesame"/1.', 'key [redacted].'],
    ['JSON-escaped', String.raw`{"key":"open \"sesame\"/1"}`, '{"key":"[redacted]"}'],
    ['URL-encoded', '?key=open%20%22sesame%22%2F1&page=2', '?key=[redacted]&page=2'],
  ])('replaces a known secret %s', (_, text, expected) => {
    expect(redactKnown(text)).toBe(expected);
    expect(redact(text)).toBe(expected);
  });

  it.each([
    ['a bearer token', 'sent Bearer abc.def-123', 'sent Bearer [redacted]'],
    ['a key of a known service', 'used sk-0123456789 for it', 'used [redacted] for it'],
    ['an assigned password', 'password=hunter2;host=a', 'password=[redacted];host=a'],
    ['a field of a JSON body', '{"api_key": "0123", "code": 1}', '{"api_key": "[redacted]", "code": 1}'],
    ['the user of an address', 'at https://me:pw@host.test/a', 'at https://[redacted]@host.test/a'],
  ])('replaces %s that is not a known secret', (_, text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
    expect(redactKnown(text)).toBe(text);
    expect(isClean(new Error(text))).toBe(false);
  });

  it.each(['Expected a bearer token.', 'Basic authentication is required.', 'max_tokens: 100'])(
    'leaves prose unchanged: %s',
    text => expect(redact(text)).toBe(text),
  );
});

it.each(['xxxx', 'abab', 'aaaaaaaab'])(
  'the secret %s that overlaps itself leaves nothing of a run',
  secret => {
    const run = secret.slice(0, 2).repeat(10) + secret;
    expect(createRedactor([secret]).redactKnown(`1 ${run} 2`)).toMatch(/^1 (?:a+)?\[redacted\] 2$/);
  },
);

it('a secret with a lone surrogate is found as it is sent', () => {
  const { redactKnown } = createRedactor(['key\ud800-of-mine']);
  expect(redactKnown('a key\ufffd-of-mine b')).toBe('a [redacted] b');
});

it('an empty secret redacts nothing', () => {
  const redactor = createRedactor(['', 'the-other-secret']);
  expect(redactor.redactKnown('a the-other-secret b')).toBe('a [redacted] b');
  expect(redactor.redact('a the-other-secret b')).toBe('a [redacted] b');
});

describe('shared redaction rules', () => {
  it('redacts credentials that an API error repeats and that the request did not contain', () => {
    const error = toStreamError(
      {
        error: {
          message: 'Upstream refused Bearer abc.def-123',
          metadata: { raw: 'password=hunter2', token: 'abcd' },
        },
      },
      { url: 'http://server.test/v1/responses', requestBody: {}, redact },
    );
    expect(error.message).toBe('Upstream refused Bearer [redacted]: password=[redacted]');
    expect(error.data).toEqual({
      error: {
        message: 'Upstream refused Bearer [redacted]',
        metadata: { raw: 'password=[redacted]', token: '[redacted]' },
      },
    });
  });

  it('redacts escaped, encoded and short credentials of an MCP server', () => {
    const messageOf = (text: string) =>
      toMcpError(new Error(text), {
        serverName: 'files',
        config: {
          url: 'https://me:pa55@mcp.test/?team=a&sig=abcd',
          headers: { 'x-api-key': 'open "sesame"/1' },
        },
      }).message;
    expect(messageOf('got pa55')).not.toContain('pa55');
    expect(messageOf('got abcd')).not.toContain('abcd');
    expect(messageOf('got open%20%22sesame%22%2F1')).not.toContain('sesame');
    expect(messageOf(String.raw`got "open \"sesame\"/1"`)).not.toContain('sesame');
  });

  it('leaves data that passes through unchanged except for known secrets', () => {
    const data = { text: 'Write password=hunter2', echo: 'open "sesame"/1' };
    expect(redactJson(data, redactKnown)).toEqual({ text: 'Write password=hunter2', echo: '[redacted]' });
    expect(redactErrorJson({ token: 'abcd', code: 'x' }, redact)).toEqual({ token: '[redacted]', code: 'x' });
  });
});

describe('redactUrl', () => {
  it.each([
    ['https://me:pw12@host.test/a', 'https://me:[redacted]@host.test/a', 'pw12'],
    ['https://:pw12@host.test/a', 'https://:[redacted]@host.test/a', 'pw12'],
    ['https://tok-s3cr3t@host.test/a', 'https://[redacted]@host.test/a', 'tok-s3cr3t'],
  ])('%s hides the credentials', (address, url, secret) => {
    expect(redactUrl(address)).toEqual({ url, secrets: [secret, secret] });
  });

  it('treats a short user without a password as a name, which texts may contain', () => {
    expect(redactUrl('https://git@host.test/a').secrets).toEqual([]);
  });

  it.each(['https://host.test:8443/@scope/a', 'https://host.test/a@b?c=d@e'])(
    'leaves %s unchanged',
    address => expect(redactUrl(address)).toEqual({ url: address, secrets: [] }),
  );
});

describe('findPrivateValues', () => {
  it('finds short values under secret names only', () => {
    const values = { LEVEL: 'info', TOKEN: 'abcd', HOME_DIR: '/srv/files', AUTH: 'Bearer 12345678' };
    expect(findPrivateValues(Object.entries(values)).toSorted()).toEqual([
      '/srv/files',
      '12345678',
      'Bearer 12345678',
      'abcd',
    ]);
  });
});

describe('findSecretArguments', () => {
  it('finds the values of options with secret names', () => {
    const args = ['--root', '/srv/files', '--api-key', 'key-1', '--token=abcd', '--verbose'];
    expect(findSecretArguments(args)).toEqual(['key-1', 'abcd']);
  });
});

describe('the body of a request', () => {
  const body = {
    gateway: { api_key: 'gateway-secret', routes: [{ name: 'eu', accessToken: 'route-secret' }] },
    metadata: { note: 'sk-0123456789abcdef', session: 'a' },
    extra_headers: { via: 'Bearer header-secret' },
    max_tokens_per_minute: 9,
  };

  it.each(['settings', 'call'])(
    'hides credentials in fields of the %s, which the server receives',
    async of => {
      const emulator = await startEmulator({ rules: 'none' });
      const provider = createKelivoResponsesProvider({
        baseURL: emulator.baseURL,
        apiKey: 'sk',
        ...(of === 'settings' && { models: { '*': { body } } }),
      });
      const { request } = await generateText({
        model: provider('gpt-5'),
        prompt: 'The password is: opensesame',
        ...(of === 'call' && { providerOptions: { kelivo: { body } } }),
      });
      expect(emulator.requests[0]?.body).toMatchObject(body);
      const mark = '[redacted]';
      expect(request.body).toMatchObject({
        gateway: { api_key: mark, routes: [{ name: 'eu', accessToken: mark }] },
        metadata: { note: mark, session: 'a' },
        extra_headers: { via: mark },
        max_tokens_per_minute: 9,
      });
      // The text of the conversation is kept.
      expect(JSON.stringify(request.body)).toContain('The password is: opensesame');
    },
  );
});

describe('redactHeaderValues', () => {
  const toHeaders = (values: readonly string[]) =>
    values.map((value, index) => [`x-${index}`, value] as const);
  const redactEach = (values: readonly string[]) =>
    Object.fromEntries(toHeaders(values).map(([name, value]) => [name, redact(value)]));
  /** Beginnings and ends of values that mean something to a rule, if the next header continued them. */
  const neighbours = [
    '',
    'Basic',
    'Bearer ',
    'password=',
    'token: "',
    '//me:',
    '@host.test',
    '-----BEGIN ',
    '{',
    'true',
    '%20',
  ];

  it.each(secrets)('finds the secret of the rule $rule between any other headers', ({ text }) => {
    for (const before of neighbours)
      for (const after of neighbours) {
        const values = [before, text, after];
        expect(redactHeaderValues(toHeaders(values), redact)).toEqual(redactEach(values));
      }
  });

  it('keeps ordinary values, also those that would be a secret together', () => {
    const values = [...ordinaryTexts, ...neighbours, 'hunter2', 'sesame'];
    expect(redactHeaderValues(toHeaders(values), redact)).toEqual(redactEach(values));
  });
});

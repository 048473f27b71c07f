import { readFileSync } from 'node:fs';
import { lintSource } from '@secretlint/core';
import { rules as presetRules } from '@secretlint/secretlint-rule-preset-recommend';
import { describe, expect, it } from 'vitest';
import { toHttpError, toStreamError } from '../../../src/core/http/api-error.js';
import { createRequestLog, type RequestLogEntry } from '../../../src/core/http/request-log.js';
import { KelivoError, redactSecrets } from '../../../src/index.js';
import { toMcpError } from '../../../src/tools/mcp/session/errors.js';
import { createRedactor, redactErrorJson } from '../../../src/core/redaction/redaction.js';
import { redactRequestBody } from '../../../src/core/redaction/request-body.js';
import { listSecretRules, SECRET_NAMES } from '../../../src/core/redaction/rules.js';
import { createContentWriter } from '../../../src/telemetry/content.js';
import { ordinaryTexts, secrets } from './_secrets.js';

const { redact } = createRedactor([]);
const rules = listSecretRules();

describe('the guide', () => {
  const guide = readFileSync(new URL('../../../src/core/redaction/README.md', import.meta.url), 'utf8');
  const rowsOf = (heading: string): string[][] =>
    (guide.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
      .split('\n')
      .filter(line => line.startsWith('| '))
      .slice(2)
      .map(line =>
        line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map(cell => cell.trim()),
      );
  const toRow = ({ name, example }: { name: string; example: string }): string[] => [name, `\`${example}\``];

  it('lists the rules, with sources', () => {
    expect(rowsOf('Texts').map(([name, example]) => [name, example])).toEqual(rules.map(toRow));
    expect(rowsOf('Texts').filter(([, , source = '']) => source === '')).toEqual([]);
  });

  it('lists the places of names', () => {
    expect(rowsOf('Names')).toEqual(Object.values(SECRET_NAMES).map(toRow));
  });
});

describe('each rule', () => {
  it('has a secret in this test', () => {
    expect([...new Set(secrets.map(({ rule }) => rule))]).toEqual(rules.map(({ name }) => name));
  });

  it.each(secrets)('$rule: $text', ({ rule, text, secret }) => {
    const [only] = rules.filter(({ name }) => name === rule);
    expect(
      [...text.matchAll(new RegExp(only?.pattern ?? '', only?.pattern.flags.includes('i') ? 'gi' : 'g'))].map(
        match => match.findLast(Boolean),
      ),
    ).toEqual([secret]);
    const start = text.slice(0, text.indexOf(secret));
    expect(redact(text)).toBe(`${start}[redacted]${text.slice(start.length + secret.length)}`);
    expect(redact(redact(text))).toBe(redact(text));
  });
});

/** Puts a secret in the places where servers and applications put one. */
const contexts: Readonly<Record<string, (text: string) => string>> = {
  'at the start': text => `${text} is wrong`,
  'in a sentence': text => `Incorrect value provided: ${text}. You can find yours here.`,
  'in parentheses': text => `Incorrect value (${text})`,
  'in JSON': text => JSON.stringify({ error: { message: `got\n${text}`, list: [text] } }),
  'in JSON in JSON': text => JSON.stringify({ body: JSON.stringify({ message: `got\t${text} here` }) }),
  'in a query': text => `GET https://host.test/v1?page=2&value=${text}&sort=a`,
  'as a line': text => `first\r\n${text}\r\nlast`,
};

const expectAbsent = (shown: unknown, secret: string): void => {
  const text = JSON.stringify(shown);
  for (const spelling of [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
  ])
    expect(text).not.toContain(spelling);
  expect(text).toContain('[redacted]');
};

describe.each(Object.keys(contexts))('a secret %s', context => {
  const place = contexts[context] ?? String;

  it.each(secrets)(
    'is absent from errors, logs, telemetry and exports: $text',
    async ({ text: given, secret }) => {
      const text = place(given);
      const errorContext = { url: 'http://server.test/v1/responses', requestBody: {}, redact };
      const error = await toHttpError(
        new Response(JSON.stringify({ error: { message: text, param: [text] } }), { status: 400 }),
        {
          context: errorContext,
          hasKey: true,
        },
      );
      expectAbsent([error.message, error.responseBody, error.data], secret);
      const plain = await toHttpError(new Response(text, { status: 500 }), {
        context: errorContext,
        hasKey: true,
      });
      expectAbsent([plain.message, plain.responseBody], secret);
      const streamed = toStreamError({ error: { message: text, metadata: { raw: text } } }, errorContext);
      expectAbsent([streamed.message, streamed.data], secret);
      const mcp = toMcpError(new KelivoError({ code: 'mcp-protocol', message: text }), {
        serverName: 'files',
        config: { url: 'https://mcp.test/' },
      });
      if (mcp.message.includes('[redacted]') || mcp.message.includes(secret))
        expectAbsent(mcp.message, secret);
      expectAbsent(createContentWriter().toText(text), secret);
      expectAbsent(createContentWriter().toJson({ a: [{ b: text }] }), secret);
      expectAbsent(redactRequestBody({ metadata: { note: text } }).body, secret);
      expectAbsent(redactSecrets(text), secret);
      const entries: RequestLogEntry[] = [];
      const log = createRequestLog(entry => entries.push(entry));
      const header = text.replace(/[^\x20-\x7e]/g, ' ');
      await log(
        {
          method: 'GET',
          url: `http://server.test/?value=${given}`,
          headers: { 'x-echo': header },
          call: undefined,
        },
        () => Promise.reject(new Error(text)),
      ).catch(() => {});
      expect(entries).toHaveLength(2);
      if (!given.includes('\n')) expectAbsent(entries[0]?.headers, secret);
      if (!/[\s"]/.test(given)) expectAbsent(entries[0]?.url, secret);
      expectAbsent(entries[1]?.error, secret);
    },
  );
});

describe('names', () => {
  it.each([...ENDINGS()])('%s of JSON is a secret', name => {
    expect(redactErrorJson({ a: [{ [name]: 'short' }] }, redact)).toEqual({ a: [{ [name]: '[redacted]' }] });
    expect(redactSecrets('short', { field: name })).toBe('[redacted]');
  });

  function ENDINGS(): string[] {
    return [
      'password',
      'apiKey',
      'access_token',
      'secretAccessKey',
      'AccountKey',
      'Authorization',
      'db_pwd',
      'Set-Cookie',
    ];
  }

  it.each(['key', 'code', 'session', 'author', 'max_tokens', 'cwd'])('%s of JSON is no secret', name => {
    expect(redactErrorJson({ [name]: 'short' }, redact)).toEqual({ [name]: 'short' });
    expect(redactSecrets('short', { field: name })).toBe('short');
  });

  it.each([
    ['x-api-key', '[redacted]'],
    ['cookie', '[redacted]'],
    ['x-ratelimit-remaining-tokens', '12'],
    ['accept', '12'],
  ])('the header %s becomes %s', (header, expected) =>
    expect(redactSecrets('12', { header })).toBe(expected),
  );
});

describe('redactSecrets', () => {
  it('replaces known values in every spelling, but no short ones', () => {
    const value = 'open "sesame"/1ä';
    const spellings = [
      value,
      JSON.stringify(value).slice(1, -1),
      JSON.stringify(JSON.stringify(value)).slice(3, -3),
      encodeURIComponent(value),
      ...(['base64', 'base64url', 'hex'] as const).map(encoding => Buffer.from(value).toString(encoding)),
      Buffer.from(value).toString('hex').toUpperCase(),
    ];
    for (const spelling of spellings)
      expect(redactSecrets(`a ${spelling} b`, { secrets: [value, 'a b', ''] })).toBe('a [redacted] b');
  });

  it.each(['', 'u:', 'me:', 'user:', 'longer user:'])('replaces base64 of a key after "%s"', user => {
    const value = 'kelivo~open>>sesame??1';
    for (const encoding of ['base64', 'base64url'] as const) {
      for (const after of ['', ':', ':more']) {
        const sent = Buffer.from(user + value + after).toString(encoding);
        const shown = redactSecrets(`sent ${sent}.`, { secrets: [value] });
        // At most two digits at each end have some bits of the key.
        const rest = shown.replace(/^sent |\.$/g, '').split('[redacted]');
        expect(rest).toHaveLength(2);
        expect(rest.join('').length).toBeLessThanOrEqual(Math.ceil(((user + after).length * 8) / 6) + 5);
      }
    }
  });

  it('reports overlapping secrets as one', () => {
    const found: unknown[] = [];
    const replace = (secret: string, position: number): string => {
      found.push([secret, position]);
      return '';
    };
    const text = 'Authorization: Bearer secret-value-1 and more-2';
    expect(redactSecrets(text, { secrets: ['value-1 and', 'more-2', 'and more'], replace })).toBe(
      'Authorization: Bearer ',
    );
    expect(found).toEqual([['secret-value-1 and more-2', 22]]);
  });
});

describe('ordinary text', () => {
  it.each(ordinaryTexts)('is unchanged: %s', text => {
    expect(redact(text)).toBe(text);
    expect(redactErrorJson({ message: text, list: [text] }, redact)).toEqual({ message: text, list: [text] });
  });

  it('is unchanged in a megabyte of random base64, hexadecimal digits and ids', () => {
    let state = 7;
    const random = (): number => (state = Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const draw = (letters: string, length: number): string =>
      Array.from({ length }, () => letters[(random() >>> 16) % letters.length]).join('');
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
    const texts = [
      `data:image/png;base64,${draw(`${letters}+/`, 700_000)}`,
      ...Array.from({ length: 3000 }, () => `call_${draw(letters, 24)} ${draw('0123456789abcdef', 64)}`),
    ];
    for (const text of texts) expect(redact(text) === text).toBe(true);
  });
});

describe('the rules of secretlint', () => {
  const preset = presetRules
    .filter(({ meta }) => meta.id !== '@secretlint/secretlint-rule-filter-comments')
    .map(rule => ({ id: rule.meta.id, rule }));

  it('find nothing in redacted text', async () => {
    const content = secrets.map(({ text }) => text).join('\n\n');
    const lint = async (text: string): Promise<string[]> => {
      const { messages } = await lintSource({
        source: { filePath: '/text.txt', content: text, contentType: 'text' },
        options: { config: { rules: preset }, noPhysicFilePath: true },
      });
      return messages.map(({ range }) => text.slice(...range));
    };
    expect((await lint(content)).length).toBeGreaterThan(5);
    expect(await lint(redact(content))).toEqual([]);
  });
});

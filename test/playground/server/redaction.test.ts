import { describe, expect, it } from 'vitest';
import type { Fixture } from '../../../playground/server/bug-report.js';
import { createRedactor } from '../../../playground/server/redaction/redactor.js';
import { serveJson } from '../../_server.js';
import { startEmulator } from '../../testing/_emulator.js';
import { everythingOverStdio } from '../../tools/mcp/_everything-server.js';
import { openPlayground, type TestPlaygroundOptions } from './_playground.js';
import { secretTexts, secrets } from './_secrets.js';

const TYPED = secrets.typed.join('');

describe('the redactor', () => {
  const { text, json, headers } = createRedactor(() => [
    'secret-value',
    'secret-value-and-more',
    'abc',
    'a"b\nc d',
  ]);

  it.each([
    ['a secret-value here', 'a [redacted] here'],
    ['secret-value-and-more', '[redacted]'],
    ['abc is too short to be a secret', 'abc is too short to be a secret'],
    ['key sk-proj-0123456789abcdef', 'key [redacted]'],
    ['Authorization: Bearer abcdefgh12345678', 'Authorization: Bearer [redacted]'],
    ['{"Authorization":"abcdefgh12345678"}', '{"Authorization":"[redacted]"}'],
    ['https://user:password@host/', 'https://[redacted]@host/'],
    ['https://host/?api_key=abcdef123&x=1', 'https://host/?api_key=[redacted]&x=1'],
    ['["--token","abcdef123"]', '["--token","[redacted]"]'],
    ['"env": "{\\"DB_PASSWORD\\": \\"hunter22\\"}"', '"env": "{\\"DB_PASSWORD\\": \\"[redacted]\\"}"'],
    [JSON.stringify('x a"b\nc d'), '"x [redacted]"'],
    ['The token count is 4000 and max_tokens: 123456', 'The token count is 4000 and max_tokens: 123456'],
  ])('converts %s to %s', async (given, expected) => {
    expect(text(given)).toBe(expected);
    expect(await json([given])).toEqual([expected]);
  });

  it('redacts names and values everywhere in JSON and changes nothing else', async () => {
    const value = {
      'secret-value': [1, null, { deep: 'x secret-value', password: 'xy', usage: { total_tokens: 5 } }],
    };

    expect(await json(value)).toEqual({
      '[redacted]': [1, null, { deep: 'x [redacted]', password: '[redacted]', usage: { total_tokens: 5 } }],
    });
  });

  it('redacts a secret that is divided over strings of a group, and marks it once', async () => {
    const strings = ['a sk-pr', 'oj-01234', '56789', 'abc tail ', 'secret-', 'value'];

    expect(await json(strings, () => ['all'])).toEqual(['a [redacted]', '', '', ' tail ', '[redacted]', '']);
  });

  it('is not switched off by a comment in the text', async () => {
    const key = secrets.github.join('');

    expect((await json([`// secretlint-disable\n${key}`]))[0]).not.toContain(key);
  });

  it('redacts every header with a sensitive name', () => {
    expect(
      headers([
        ['X-Goog-Api-Key', 'k'],
        ['content-type', 'text/plain'],
        ['cookie', 'c'],
      ]),
    ).toEqual({ 'X-Goog-Api-Key': '[redacted]', 'content-type': 'text/plain', cookie: '[redacted]' });
  });
});

/** Divides every secret over deltas. */
const dividedText = Object.entries(secrets).flatMap(([name, [first, second]]) => [
  `The ${name} is `,
  first,
  second.slice(0, 9),
  second.slice(9),
  ' . ',
]);

/** Streams a text with these deltas, for which the emulator has no setting. */
const withDeltas = (deltas: readonly string[]) => ({
  output: [{ text: deltas.join('') }],
  events: (events: readonly { type: string; [name: string]: unknown }[]) => {
    const place = events.findIndex(({ type }) => type === 'response.output_text.delta');
    const others = events.filter(({ type }) => type !== 'response.output_text.delta');
    const divided = deltas.map(delta => ({ ...events[place], type: 'response.output_text.delta', delta }));
    return [...others.slice(0, place), ...divided, ...others.slice(place)];
  },
});

/** The texts that a reader of an export could join: each line, all deltas of a stream, and everything. */
function joinedTexts(fixture: Fixture): string[] {
  const bodies = fixture.turns.flatMap(({ exchanges }) => exchanges.map(({ body }) => body));
  const deltas = bodies.map(body =>
    [...body.matchAll(/"delta":("(?:[^"\\]|\\.)*")/g)]
      .map(([, json = '""']) => JSON.parse(json) as string)
      .join(''),
  );
  return [...deltas, JSON.stringify(fixture), ...bodies];
}

/** Runs a turn with every secret, divided or whole, in text, arguments, results, env and the URL of the endpoint. */
async function runTurnWithSecrets({ environment }: Pick<TestPlaygroundOptions, 'environment'> = {}) {
  const emulator = await startEmulator();
  const env = { TYPED_VALUE: TYPED };
  const everything = { ...everythingOverStdio(), trustAnnotations: true, env };
  const playground = await openPlayground({ mcpServers: { everything }, environment });
  await playground.call('/api/state', {
    method: 'PATCH',
    body: { endpoint: `${emulator.baseURL}?api_key=${secrets.google.join('')}` },
  });
  emulator.enqueue(
    [
      {
        call: 'echo',
        arguments: {
          message: secretTexts.join(' , '),
          env: Object.fromEntries(secretTexts.map((text, index) => [`KEY_${index}`, text])),
        },
      },
    ],
    withDeltas(dividedText),
  );
  const { request, ended } = await playground.begin('Which keys are there?');
  const { trace } = await ended();
  expect(trace.end).toMatchObject({ end: 'finished' });
  return { playground, emulator, responseId: request.responseId };
}

const findLeaks = (texts: readonly string[]): readonly string[] =>
  secretTexts.filter(secret => texts.some(text => text.includes(secret)));

describe('an export', () => {
  it('contains no secret of ten kinds, whole or divided, from text, arguments, results, env and URLs', async () => {
    const { playground } = await runTurnWithSecrets();
    const { call } = playground;
    const shown = await call('/api/conversations/conversation-1');
    const exported = await call('/api/conversations/conversation-1/export');
    const report = await call('/api/conversations/conversation-1/fixture');
    const servers = await call('/api/servers');

    const texts = [exported.text, shown.text, servers.text, ...joinedTexts(report.json as Fixture)];
    expect(findLeaks(texts)).toEqual([]);
    expect(exported.text.split('[redacted]').length).toBeGreaterThan(20);
  });

  it('with OpenTelemetry, downloaded or sent, contains none of these secrets, nor does the list of traces', async () => {
    const collector = await serveJson({});
    const { playground, emulator, responseId } = await runTurnWithSecrets({
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    });
    const { call, begin, close } = playground;
    emulator.enqueue({ fault: 'failed', code: 'invalid_prompt', message: secretTexts.join(' , ') });
    const failing = await begin('And now?');
    const { trace } = await failing.ended();
    const lists: string[] = [];
    for (const secret of secretTexts) {
      const body = { title: `The key ${secret}` };
      const renamed = await call('/api/conversations/conversation-1', { method: 'PATCH', body });
      expect(renamed.status).toBeLessThan(300);
      lists.push((await call('/api/traces')).text);
    }
    const downloads = await Promise.all(
      [responseId, failing.request.responseId].map(id => call(`/api/traces/${id}/otlp`)),
    );
    await close();
    const sent = collector.requests.map(({ body }) => JSON.stringify(body));

    expect(trace.end?.end).toBe('failed');
    expect(sent).toHaveLength(2);
    const texts = [...lists, ...downloads.map(({ text }) => text), ...sent];
    expect(findLeaks(texts)).toEqual([]);
    for (const text of texts) expect(text).toContain('[redacted]');
  });
});

describe('the request that the model receives', () => {
  it('is byte for byte what it would be without the playground, in history, arguments, results and text', async () => {
    const bodies = async (isTyped: boolean): Promise<string[]> => {
      const emulator = await startEmulator();
      // Without the typed value, nothing is a known secret; the texts are the same.
      const env = isTyped ? { TYPED_VALUE: TYPED, OTHER: 'The keys are' } : {};
      const everything = { ...everythingOverStdio(), trustAnnotations: true, env };
      const { call, ask } = await openPlayground({ mcpServers: { everything } });
      await call('/api/state', { method: 'PATCH', body: { endpoint: emulator.baseURL } });
      emulator.enqueue(
        [{ call: 'echo', arguments: { message: secretTexts.join(' ') } }],
        [{ text: `The keys are ${secretTexts.join(' ')}` }],
      );
      await ask(`Keep ${secretTexts.join(' ')}`);
      await ask('And again?');
      return emulator.requests.map(({ body }) =>
        JSON.stringify(body).replace(
          /"(?:id|call_id|item_id|encrypted_content|prompt_cache_key)":"[^"]*",?/g,
          '',
        ),
      );
    };
    const withSecrets = await bodies(true);

    expect(withSecrets).toHaveLength(3);
    expect(withSecrets.join('')).not.toContain('[redacted]');
    for (const text of secretTexts) expect(withSecrets.at(-1)?.split(text).length, text).toBe(5);
    expect(withSecrets).toEqual(await bodies(false));
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LanguageModelV2Prompt } from '@ai-sdk/provider';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { createTelemetry, type TelemetryOptions } from '../../src/telemetry/index.js';
import { withToolLoop } from '../../src/tool-loop/index.js';
import { startEmulator } from '../testing/_emulator.js';
import { scriptedModel, stream, textRound, user } from '../tool-loop/_scripted-model.js';
import { useRecorder } from './_recorder.js';
import { createScene } from './_scene.js';

const recorder = useRecorder();
afterEach(() => vi.unstubAllEnvs());

const CAPTURE = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';
const LATEST = { OTEL_SEMCONV_STABILITY_OPT_IN: 'http,gen_ai_latest_experimental' };

/** Runs the scene, and returns the parts of its content that were exported. */
async function exportedContent(telemetry: TelemetryOptions = {}): Promise<string[]> {
  const { model } = createScene({ telemetry });
  await stream(model, { prompt: [{ role: 'system', content: 'canary-system' }, ...user('canary-prompt')] });
  const exported = recorder.exported();
  return ['system', 'prompt', 'argument', 'result', 'failure', 'answer'].filter(name =>
    exported.includes(`canary-${name}`),
  );
}

describe('content', () => {
  it.each<[TelemetryOptions, Record<string, string>, string]>([
    [{}, {}, ''],
    [{ recordInputs: true }, {}, 'system prompt argument result failure'],
    [{ recordOutputs: true }, {}, 'argument result failure answer'],
    [{ recordInputs: false, recordOutputs: false }, { [CAPTURE]: 'true' }, ''],
    [{}, { [CAPTURE]: 'false' }, ''],
    [{}, { [CAPTURE]: 'true' }, 'system prompt argument result failure answer'],
    [{}, { [CAPTURE]: 'SPAN_ONLY' }, ''],
    [{}, { [CAPTURE]: 'NO_CONTENT', ...LATEST }, ''],
    [{}, { [CAPTURE]: 'true', ...LATEST }, ''],
    [{}, { [CAPTURE]: 'span_only', ...LATEST }, 'system prompt argument result failure answer'],
  ])('of %j with %j is recorded only where it was opted in', async (options, environment, expected) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    expect((await exportedContent(options)).join(' ')).toBe(expected);
  });

  it('is in events instead of spans with EVENT_ONLY', async () => {
    for (const [name, value] of Object.entries({ [CAPTURE]: 'EVENT_ONLY', ...LATEST }))
      vi.stubEnv(name, value);
    await exportedContent();
    const [round] = recorder.spans.filter(({ name }) => name.startsWith('chat'));
    expect(JSON.stringify(round?.attributes)).not.toContain('canary');
    expect(round?.events).toMatchObject([
      {
        name: 'gen_ai.client.inference.operation.details',
        attributes: { 'gen_ai.input.messages': expect.stringContaining('canary-prompt') },
      },
    ]);
  });

  it('is JSON text of the shapes of the conventions', async () => {
    await exportedContent({ recordInputs: true, recordOutputs: true });
    const [, second] = recorder.spans.filter(({ name }) => name.startsWith('chat'));
    const read = (name: string): unknown => JSON.parse(String(second?.attributes[name]));
    expect(read('gen_ai.system_instructions')).toEqual([{ type: 'text', content: 'canary-system' }]);
    expect(read('gen_ai.input.messages')).toMatchObject([
      { role: 'user', parts: [{ type: 'text', content: 'canary-prompt' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'tool_call', id: 'c1', name: 'search', arguments: { query: 'canary-argument' } },
          { type: 'tool_call', id: 'c2', name: 'fail', arguments: {} },
        ],
      },
      {
        role: 'tool',
        parts: [
          { type: 'tool_call_response', id: 'c1', result: 'canary-result' },
          { type: 'tool_call_response', id: 'c2' },
        ],
      },
    ]);
    expect(read('gen_ai.output.messages')).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'canary-answer' }], finish_reason: 'stop' },
    ]);
    expect(read('gen_ai.tool.definitions')).toMatchObject([
      { type: 'function', name: 'search' },
      { name: 'fail' },
    ]);
  });

  it('has media as type and size, no encrypted reasoning, no credentials, and truncated texts', async () => {
    const prompt: LanguageModelV2Prompt = [
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: new Uint8Array(77) },
          { type: 'file', mediaType: 'image/png', data: Buffer.from('canary-media').toString('base64') },
          {
            type: 'file',
            mediaType: 'image/png',
            data: new URL('https://example.com/a.png?token=canary-signature-12'),
          },
          { type: 'text', text: 'x'.repeat(10_050) },
          { type: 'text', text: 'Use sk-proj-canary0123456789canary0123456789.' },
          { type: 'text', text: `data:image/gif;base64,${'A'.repeat(400)}` },
        ],
      },
      {
        role: 'assistant',
        content: [
          {
            type: 'reasoning',
            text: 'I think.',
            providerOptions: { openai: { reasoningEncryptedContent: 'canary-encrypted' } },
          },
          { type: 'tool-call', toolCallId: 'c0', toolName: 'login', input: { password: 'canary-password' } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c0',
            toolName: 'login',
            output: { type: 'content', value: [{ type: 'media', mediaType: 'audio/wav', data: 'QUJD' }] },
          },
        ],
      },
    ];
    const telemetry = createTelemetry({ recordInputs: true });
    await stream(withToolLoop(scriptedModel(textRound('Done.')), { tools: [], telemetry }), { prompt });
    const messages = String(recorder.span('chat scripted-1').attributes['gen_ai.input.messages']);
    expect(messages).not.toContain('canary');
    expect(messages).toContain('{"type":"blob","mime_type":"image/png","size":77}');
    expect(messages).toContain('{"type":"blob","mime_type":"image/png","size":12}');
    expect(messages).toContain('{"type":"blob","mime_type":"audio/wav","size":3}');
    expect(messages).toContain('"uri":"https://example.com/a.png?token=[redacted]"');
    expect(messages).toContain(`${'x'.repeat(10_000)}… [50 more characters]`);
    expect(messages).toContain('"content":"[image/gif]"');
  });

  it('omits the first messages of a long conversation', async () => {
    const prompt = Array.from({ length: 100 }, (_, index) =>
      user(`message ${index} ${'x'.repeat(5000)}`),
    ).flat();
    const telemetry = createTelemetry({ recordInputs: true });
    await stream(withToolLoop(scriptedModel(textRound('Done.')), { tools: [], telemetry }), { prompt });
    const messages = String(recorder.span('chat scripted-1').attributes['gen_ai.input.messages']);
    expect(messages.length).toBeLessThan(101_000);
    expect(messages).toMatch(/^\[\{"role":"system".*earlier messages omitted.*message 99/);
  });
});

describe('requests of the provider', () => {
  it('that are sent again are events, and their keys are never recorded', async () => {
    const apiKey = ['canary-key-000000001', 'canary-key-000000002'];
    const emulator = await startEmulator({ apiKey: apiKey[1] });
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      apiKey,
      headers: { 'x-api-token': 'canary-header-0001' },
      toolLoop: false,
      telemetry: createTelemetry({ recordInputs: true, recordOutputs: true }),
    });
    for (const model of [provider('gpt-5'), provider.responses('gpt-5')]) {
      await model.doGenerate({ prompt: user('My key is canary-key-000000002, and canary-header-0001.') });
    }
    await provider.close();
    const [first, second] = recorder.spans;
    expect(recorder.spans.map(({ name }) => name)).toEqual(['chat gpt-5', 'chat gpt-5']);
    expect(first?.attributes).toMatchObject({
      'gen_ai.provider.name': 'kelivo-responses',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(emulator.baseURL).port),
      'kelivo.retries': 1,
    });
    expect(first?.events).toMatchObject([
      { name: 'kelivo.retry', attributes: { 'http.response.status_code': 401, 'kelivo.attempt': 2 } },
    ]);
    expect(second?.events).toEqual([]);
    for (const { attributes } of recorder.spans) {
      expect(attributes['gen_ai.input.messages']).toContain('My key is [redacted]');
      expect(attributes['gen_ai.input.messages']).not.toContain('canary');
    }
  });

  it('do not hide the secrets of earlier calls, whose number is unlimited', async () => {
    const emulator = await startEmulator();
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      telemetry: createTelemetry({ recordInputs: true }),
    });
    const keys = ['word-of-ann', 'word-of-bob'];
    for (const key of keys)
      await provider('gpt-5').doGenerate({
        prompt: user(keys.join(' and ')),
        headers: { authorization: `Bearer ${key}` },
      });
    await provider.close();
    expect(recorder.spans.map(({ attributes }) => attributes['gen_ai.input.messages'])).toEqual([
      expect.stringContaining('[redacted] and word-of-bob'),
      expect.stringContaining('word-of-ann and [redacted]'),
    ]);
  });
});

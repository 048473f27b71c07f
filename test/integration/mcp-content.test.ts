import type { ModelMessage } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newest } from '../_products.js';
import { hosts } from '../host-matrix/_host.js';
import { startEmulator } from '../testing/_emulator.js';
import { fixtureServer } from '../tools/mcp/_fixture-server.js';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pdf = 'JVBERi0xLjQK';
const wav = 'UklGRiQAAABXQVZF';

/** The result of an MCP tool with content of every kind. */
const result = {
  content: [
    { type: 'text', text: 'The report.' },
    { type: 'image', data: png, mimeType: 'image/png' },
    { type: 'audio', data: wav, mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'file:///q3/report.pdf', mimeType: 'application/pdf', blob: pdf } },
    { type: 'resource', resource: { uri: 'file:///raw', mimeType: 'application/zip', blob: 'UEsDBA==' } },
    { type: 'resource', resource: { uri: 'file:///a.csv', mimeType: 'text/csv', text: 'a,b' } },
    { type: 'resource_link', uri: 'https://example.com/b', name: 'b' },
  ],
  structuredContent: { pages: 3 },
  _meta: { 'example.com/secret-of-the-host': 'abc' },
};

/** The output that the model receives. */
const sent = [
  { type: 'input_text', text: 'The report.' },
  { type: 'input_text', text: '{"pages":3}' },
  { type: 'input_image', image_url: `data:image/png;base64,${png}` },
  { type: 'input_text', text: '[audio/wav content omitted: it cannot be shown to the model]' },
  { type: 'input_file', filename: 'report.pdf', file_data: `data:application/pdf;base64,${pdf}` },
  { type: 'input_text', text: '[application/zip content omitted: it cannot be shown to the model]' },
  { type: 'input_text', text: 'Resource file:///a.csv (text/csv):\na,b' },
  { type: 'input_text', text: 'Resource link: b <https://example.com/b>' },
];

describe.each(newest(hosts))('$name', ({ sdk, createProvider }) => {
  async function play(mcpResult: object) {
    const emulator = await startEmulator();
    const { config } = await fixtureServer();
    const provider = createProvider({ baseURL: emulator.baseURL, mcpServers: { fixture: config } });
    onTestFinished(() => provider.close());
    emulator.enqueue(
      [{ call: 'answer', arguments: { result: mcpResult }, callId: 'call_1' }],
      [{ text: 'Done.' }],
      [{ text: 'You are welcome.' }],
    );
    const model = provider('gpt-5');
    const stream = sdk.streamText({ model, messages: [{ role: 'user', content: 'Report.' }] });
    const parts: { type: string; output?: unknown; error?: unknown }[] = [];
    for await (const part of stream.fullStream) parts.push(part);
    const { messages } = await stream.response;
    const history = [
      { role: 'user', content: 'Report.' },
      ...(JSON.parse(JSON.stringify(messages)) as ModelMessage[]),
      { role: 'user', content: 'Thanks' },
    ] as ModelMessage[];
    await sdk.generateText({ model, messages: history });
    const outputs = emulator.requests.slice(1).map(({ body }) => {
      const { input } = body as { input: { type: string; output?: unknown }[] };
      return input.find(({ type }) => type === 'function_call_output')?.output;
    });
    const received = parts.find(({ type }) => type === 'tool-result' || type === 'tool-error');
    return { received, outputs, bodies: JSON.stringify(emulator.requests.slice(1).map(({ body }) => body)) };
  }

  it('passes every kind of content of an MCP result to the host and to the model', async () => {
    const { received, outputs, bodies } = await play(result);
    expect(received).toMatchObject({ type: 'tool-result', output: result });
    expect(outputs).toEqual([sent, sent]); // in the turn, and from the history of the host
    // The arguments of the call contain it as well.
    expect(JSON.stringify(outputs)).not.toContain('secret-of-the-host');
    expect(bodies).toContain('input_file');
  });

  it('passes structured content that the text repeats only once to the model', async () => {
    const text = '{"b": 1, "a": [1, 2]}';
    const repeated = { content: [{ type: 'text', text }], structuredContent: { a: [1, 2], b: 1 } };
    const { received, outputs } = await play(repeated);
    expect(received).toMatchObject({ output: repeated });
    expect(outputs).toEqual([text, text]);
  });

  it('keeps the image of a failure', async () => {
    const image = { type: 'image', data: png, mimeType: 'image/png' };
    const { received, outputs } = await play({
      content: [{ type: 'text', text: 'blurred' }, image],
      isError: true,
    });
    expect(received?.type).toBe('tool-error');
    expect(JSON.stringify(received)).toContain(png);
    const expected = [sent[0], sent[2]].map(part => (part?.text ? { ...part, text: 'blurred' } : part));
    expect(outputs).toEqual([expected, expected]);
  });
});

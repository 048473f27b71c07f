import type { LanguageModelV2CallOptions, LanguageModelV2StreamPart } from '@ai-sdk/provider';

/** A conversation with reasoning, a call and its result, whose ids all families accept. */
export const request: LanguageModelV2CallOptions = {
  prompt: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', providerOptions: { some: { signature: 's' } } },
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: 'a1B2c3D4e', toolName: 'get_weather', input: { city: 'Oslo' } },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'a1B2c3D4e',
          toolName: 'get_weather',
          output: { type: 'text', value: 'Sun' },
        },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Sun.' }] },
    { role: 'user', content: [{ type: 'text', text: 'And Rome?' }], providerOptions: { some: { a: 1 } } },
  ],
  tools: [
    {
      type: 'function',
      name: 'get_weather',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
    },
    { type: 'provider-defined', id: 'some.search', name: 'search', args: {} },
  ],
  toolChoice: { type: 'auto' },
  temperature: 0.5,
  seed: 7,
  headers: { 'X-Custom': 'kept' },
  providerOptions: { some: { option: true } },
};

/** One part of every type. The text looks like markup, but is not. */
export const everything: LanguageModelV2StreamPart[] = [
  { type: 'stream-start', warnings: [{ type: 'other', message: 'Mind.' }] },
  { type: 'response-metadata', id: 'r1', modelId: 'm', timestamp: new Date(0) },
  { type: 'reasoning-start', id: 'think', providerMetadata: { some: { a: 1 } } },
  { type: 'reasoning-delta', id: 'think', delta: 'Hm, ' },
  { type: 'reasoning-delta', id: 'think', delta: 'well.' },
  { type: 'reasoning-end', id: 'think', providerMetadata: { some: { signature: 'x' } } },
  { type: 'text-start', id: 'say', providerMetadata: { some: { itemId: 'm1' } } },
  { type: 'text-delta', id: 'say', delta: 'if (a < b && c > d) { [e] } ' },
  { type: 'text-delta', id: 'say', delta: 'ends with 🙂 <' },
  { type: 'text-end', id: 'say', providerMetadata: { some: { itemId: 'm1' } } },
  { type: 'source', sourceType: 'url', id: 's1', url: 'https://example.com', title: 'A source' },
  { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
  {
    type: 'tool-input-start',
    id: 'f5G6h7I8j',
    toolName: 'get_weather',
    providerMetadata: { some: { b: 2 } },
  },
  { type: 'tool-input-delta', id: 'f5G6h7I8j', delta: '{"city":' },
  { type: 'tool-input-delta', id: 'f5G6h7I8j', delta: '"Rome"}' },
  { type: 'tool-input-end', id: 'f5G6h7I8j' },
  {
    type: 'tool-call',
    toolCallId: 'f5G6h7I8j',
    toolName: 'get_weather',
    input: '{"city":"Rome"}',
    providerMetadata: { some: { signature: 'y' } },
  },
  { type: 'tool-call', toolCallId: 'k9L0m1N2o', toolName: 'search', input: '{}', providerExecuted: true },
  {
    type: 'tool-result',
    toolCallId: 'k9L0m1N2o',
    toolName: 'search',
    result: { found: [1] },
    providerExecuted: true,
  },
  {
    type: 'finish',
    finishReason: 'tool-calls',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 3, reasoningTokens: 2 },
    providerMetadata: { some: { total: 1 } },
  },
];

import type { ModelMessage } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newest } from '../_products.js';
import { createMcpTools, type McpPromptMessage } from '../../src/tools/mcp/index.js';
import { hosts } from '../host-matrix/_host.js';
import { startEmulator } from '../testing/_emulator.js';
import { featureServer } from '../tools/mcp/_feature-server.js';

describe.each(newest(hosts))('$name', ({ sdk, createProvider }) => {
  it('sends a prompt and a resource of a server, and the model reads a resource that a tool links', async () => {
    const emulator = await startEmulator();
    const { config } = await featureServer({ era: 'modern' });
    const mcpTools = createMcpTools({ demo: { ...config, resourceTools: true } });
    const provider = createProvider({
      baseURL: emulator.baseURL,
      mcpServers: mcpTools,
    });
    onTestFinished(() => provider.close());
    emulator.enqueue(
      [{ call: 'link', arguments: {}, callId: 'call_1' }],
      [{ call: 'read_resource', arguments: { uri: 'demo://hidden' }, callId: 'call_2' }],
      [{ text: 'Done.' }],
    );

    const { messages } = await mcpTools.getPrompt('demo', { name: 'greet', arguments: { name: 'Ada' } });
    const { parts } = await mcpTools.readResource('demo', { uri: 'demo://pixel.png' });
    const isAccepted = ({ content }: McpPromptMessage) =>
      !content.some(part => part.type === 'file' && part.mediaType === 'audio/wav');
    const prompt: ModelMessage[] = [...messages.filter(isAccepted), { role: 'user', content: parts }];
    const { text } = await sdk.generateText({ model: provider('gpt-5'), messages: prompt });

    expect(text).toBe('Done.');
    const [first, , last] = emulator.requests.map(({ body }) => JSON.stringify(body));
    for (const sent of [
      'Hello Ada, no language',
      'Hi!',
      'Resource demo://text:\\nembedded',
      'Resource link: Hidden <demo://hidden>',
    ]) {
      expect(first).toContain(sent);
    }
    expect(first?.match(/data:image\/png;base64,iVBORw0KGgo/g)).toHaveLength(2);
    expect(last).toContain('Resource demo://hidden (text/plain):\\nhidden text');
  });
});

import { generateText, type ModelMessage } from 'ai';
import { expect, it } from 'vitest';
import { createProviderRegistryFromConfig, type ProviderRegistryConfig } from '../../src/host/index.js';

globalThis.AI_SDK_LOG_WARNINGS = false;

/** What a vendor's server answers: a thought and a text. */
const chat = (thought: string) => ({
  id: 'c1',
  model: 'm',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'Hi.', reasoning_content: thought },
    },
  ],
});
const responses = (thought: string) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'completed',
  output: [
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: thought }],
      encrypted_content: `${thought}, encrypted`,
    },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi.', annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
});
const gemini = (thought: string) => ({
  candidates: [
    {
      content: {
        role: 'model',
        parts: [{ text: thought, thought: true, thoughtSignature: `${thought}, signed` }, { text: 'Hi.' }],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
});

const claude = (thought: string) => ({
  type: 'message',
  id: 'msg_2',
  role: 'assistant',
  model: 'm',
  content: [
    { type: 'thinking', thinking: thought, signature: `${thought}, signed` },
    { type: 'text', text: 'Hi.' },
  ],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
});

/** The vendors of one registry, and if a later turn of the vendor receives its own thought. */
const vendors = {
  ours: { answer: responses, keeps: true },
  official: { answer: responses, keeps: true },
  gemini: { answer: gemini, keeps: true },
  claude: { answer: claude, keeps: true },
  first: { answer: chat, keeps: true },
  second: { answer: chat, keeps: true },
} as const;
type Vendor = keyof typeof vendors;

const thoughtOf = (vendor: Vendor): string => `The thought of ${vendor === 'official' ? 'ours' : vendor}`;

function start({ sends = false } = {}) {
  const sent: string[] = [];
  const connection = (vendor: Vendor) => ({
    apiKey: 'key',
    baseURL: `http://${vendor}.test/v1`,
    fetch: async (_: unknown, init?: RequestInit) => {
      sent.push(String(init?.body));
      return Response.json(vendors[vendor].answer(thoughtOf(vendor)));
    },
  });
  const compatible = (vendor: Vendor) => ({
    import: '@ai-sdk/openai-compatible',
    creator: 'createOpenAICompatible',
    settings: { ...connection(vendor), name: vendor },
    ...(sends && { foreignReasoning: 'send' as const }),
  });
  const config: ProviderRegistryConfig = {
    providers: {
      ours: { type: 'kelivo-responses', settings: connection('ours') as never },
      official: { import: '@ai-sdk/openai', creator: 'createOpenAI', settings: connection('official') },
      gemini: {
        import: '@ai-sdk/google',
        creator: 'createGoogleGenerativeAI',
        settings: connection('gemini'),
      },
      claude: {
        import: '@ai-sdk/anthropic',
        creator: 'createAnthropic',
        settings: connection('claude'),
      },
      first: compatible('first'),
      second: compatible('second'),
    },
  };
  const registry = createProviderRegistryFromConfig(config);
  const messages: ModelMessage[] = [];
  return {
    /** Sends a message to a vendor and returns the body of the request. */
    async ask(vendor: Vendor, text: string): Promise<{ body: string; warnings: readonly unknown[] }> {
      messages.push({ role: 'user', content: text });
      // A conversation is stored between its turns.
      const stored = JSON.parse(JSON.stringify(messages)) as ModelMessage[];
      const model = registry.languageModel(
        `${vendor}:${vendor === 'ours' || vendor === 'official' ? 'gpt-5' : 'm'}`,
      );
      const { response, warnings = [] } = await generateText({ model, messages: stored, maxRetries: 0 });
      messages.push(...response.messages);
      return { body: sent.at(-1) ?? '', warnings };
    },
  };
}

it('no vendor receives the thoughts of another, and each receives its own, texts and all messages', async () => {
  const conversation = start();
  const names = Object.keys(vendors) as Vendor[];
  for (const vendor of names) await conversation.ask(vendor, `First to ${vendor}`);
  for (const vendor of names) {
    const { body, warnings } = await conversation.ask(vendor, `Again to ${vendor}`);
    const foreign = names.map(thoughtOf).filter(thought => thought !== thoughtOf(vendor));
    expect(foreign.filter(thought => body.includes(thought))).toEqual([]);
    expect(body.includes(thoughtOf(vendor))).toBe(vendors[vendor].keeps);
    for (const other of names) expect(body).toContain(`First to ${other}`);
    expect(body.match(/Hi\./g)?.length).toBeGreaterThanOrEqual(names.length);
    expect(warnings.length).toBeLessThanOrEqual(1);
  }
});

it('an entry may send the thoughts of others', async () => {
  const conversation = start({ sends: true });
  await conversation.ask('first', 'Hello');
  const { body } = await conversation.ask('second', 'Hello');
  expect(body).toContain(thoughtOf('first'));
});

import { generateText, type ModelMessage } from 'ai';
import * as z from 'zod';
import { joinSources } from '../mcp/joined-sources.js';
import type { Settings } from '../../shared/playground-state.js';
import type { SharedEmulator } from '../emulator/shared-emulator.js';
import type { KeySafe } from '../keys.js';
import { adaptersFor, openProvider } from './model.js';
import { openTarget } from './target.js';

const content = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), data: z.base64(), mimeType: z.string() }),
]);

/** The parts of a sampling request that a model is called with. Its preferences for a model are only shown. */
const samplingRequest = z.object({
  messages: z.array(
    z.object({ role: z.enum(['user', 'assistant']), content: z.union([content, z.array(content)]) }),
  ),
  systemPrompt: z.string().optional(),
  temperature: z.number().optional(),
  maxTokens: z.number().optional(),
});

/**
 * Writes a completion for a server with the model of the settings. The user reviews and sends it.
 *
 * @throws Error if the request has contents that models cannot read, and the error of the endpoint.
 */
export async function draftCompletion(
  params: unknown,
  {
    settings,
    signal,
    ...options
  }: { settings: Settings; keys: KeySafe; emulator: SharedEmulator; signal: AbortSignal },
): Promise<string> {
  const { data, error } = samplingRequest.safeParse(params);
  if (error !== undefined)
    throw new Error('Expected messages of text and images, got others. Write the completion yourself.');
  const target = await openTarget({ ...settings, fault: 'none' }, options);
  try {
    const provider = openProvider(settings.flag, {
      baseURL: target.baseURL,
      apiKey: target.apiKey,
      requestId: 'completion',
      fetch: globalThis.fetch,
      tools: {},
      mcpTools: joinSources(new Map()),
      adapters: adaptersFor(settings),
      toolLoop: { approvals: 'always', approve: () => false },
    });
    const { text } = await generateText({
      model: provider.languageModel(settings.modelId),
      messages: data.messages.map(toMessage),
      ...(data.systemPrompt !== undefined && { system: data.systemPrompt }),
      ...(data.temperature !== undefined && { temperature: data.temperature }),
      ...(data.maxTokens !== undefined && { maxOutputTokens: data.maxTokens }),
      providerOptions: { openai: { store: false } },
      maxRetries: 0,
      abortSignal: signal,
    });
    return text;
  } finally {
    await target.close();
  }
}

function toMessage({
  role,
  content: sent,
}: z.infer<typeof samplingRequest>['messages'][number]): ModelMessage {
  const parts = [sent].flat();
  if (role === 'assistant') {
    const text = parts.map(part => (part.type === 'text' ? part.text : '')).join('\n');
    return { role, content: text };
  }
  return {
    role,
    content: parts.map(part =>
      part.type === 'text'
        ? { type: 'text', text: part.text }
        : { type: 'image', image: part.data, mediaType: part.mimeType },
    ),
  };
}

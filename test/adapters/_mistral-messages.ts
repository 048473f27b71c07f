import type { LanguageModelV2Message, LanguageModelV2Prompt } from '@ai-sdk/provider';
import { mistralMiddleware, type MistralOptions } from '../../src/adapters/families/mistral.js';
import { wrapModel } from '../_core.js';
import { textRound, scriptedModel, stream } from '../tool-loop/_scripted-model.js';

type Message = LanguageModelV2Message;

export const system = (content: string): Message => ({ role: 'system', content });
export const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
export const assistant = (...parts: Extract<Message, { role: 'assistant' }>['content']): Message => ({
  role: 'assistant',
  content: parts,
});
export const text = (value: string) => ({ type: 'text', text: value }) as const;
export const called = (toolCallId: string) =>
  ({ type: 'tool-call', toolCallId, toolName: 'get_weather', input: { city: 'Oslo' } }) as const;
export const result = (toolCallId: string) =>
  ({
    type: 'tool-result',
    toolCallId,
    toolName: 'get_weather',
    output: { type: 'text', value: 'Sun' },
  }) as const;
export const tool = (...ids: string[]): Message => ({ role: 'tool', content: ids.map(result) });

export const tools = [
  {
    type: 'function' as const,
    name: 'get_weather',
    inputSchema: { type: 'object' as const, properties: { city: { type: 'string' as const } } },
  },
];

export const LONG = 'call_QIwPVX1kyWHPcYHHtvt9eHTz';
export const whole = [user('Weather?'), assistant(called(LONG)), tool(LONG)];

/** Returns the prompt that the middleware sends. */
export async function sent(prompt: LanguageModelV2Prompt, options?: MistralOptions) {
  const model = scriptedModel(textRound('Hi'));
  await stream(wrapModel(model, [mistralMiddleware(options)]), { prompt });
  return model.requests[0]?.prompt ?? [];
}

export const rolesOf = (prompt: LanguageModelV2Prompt) => prompt.map(({ role }) => role);

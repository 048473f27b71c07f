import { randomBytes } from 'node:crypto';
import type { AnswerItem } from './answers.js';
import { createId } from './create-id.js';
import type { MessageContent, OutputItem } from './wire.js';

/** Completes a short item with ids and status. `encrypt` gives a reasoning item its encrypted content. */
export function toOutputItem(
  item: AnswerItem,
  { encrypt, createCallId }: { encrypt: boolean; createCallId: () => string },
): OutputItem {
  if ('type' in item) return { type: 'raw', item };
  if ('text' in item) {
    return toMessage({ type: 'output_text', text: item.text, annotations: [], logprobs: [] });
  }
  if ('refusal' in item) return toMessage({ type: 'refusal', refusal: item.refusal });
  if ('reasoning' in item) {
    return {
      id: createId('rs'),
      type: 'reasoning',
      summary: [item.reasoning].flat().map(text => ({ type: 'summary_text', text })),
      ...(encrypt && { encrypted_content: `gAAAAA${randomBytes(96).toString('base64url')}` }),
    };
  }
  const input = item.arguments ?? {};
  return {
    id: createId('fc'),
    type: 'function_call',
    status: 'completed',
    call_id: item.callId ?? createCallId(),
    name: item.call,
    arguments: typeof input === 'string' ? input : JSON.stringify(input),
  };
}

const toMessage = (part: MessageContent): OutputItem => ({
  id: createId('msg'),
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [part],
});

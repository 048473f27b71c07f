import type { LanguageModelV2Message, LanguageModelV2Middleware } from '@ai-sdk/provider';
import { rewriteMiddleware } from '../rewrite-middleware.js';
import type { CallIdForm } from './call-id-form.js';
import { type CallIds, createCallIds } from '../call-ids.js';
import { withCallId } from './with-call-id.js';

/** Shows the model the calls of a conversation under ids it takes, and the caller under those it has given. */
export const callIdsMiddleware = (form: CallIdForm): LanguageModelV2Middleware =>
  rewriteMiddleware(params => {
    const ids = createCallIds(params.prompt, form);
    const prompt = ids.hasChanges ? params.prompt.map(message => withShownIds(message, ids)) : params.prompt;
    return {
      params: { ...params, prompt },
      rewrite: part => withCallId(part, ids.toOriginal),
    };
  });

function withShownIds(message: LanguageModelV2Message, { toShown }: CallIds): LanguageModelV2Message {
  if (message.role !== 'assistant' && message.role !== 'tool') return message;
  const content = message.content.map(part => withCallId(part, toShown));
  return { ...message, content } as LanguageModelV2Message;
}

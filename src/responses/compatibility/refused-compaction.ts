import { APICallError } from '@ai-sdk/provider';
import { type InputItem, isCompaction, replacedItems, type ResponsesRequestBody } from '../wire.js';

/*
 * A compaction is encrypted for the account that created it. After a change of the key, the API rejects it with the error
 * of reasoning content that it cannot read: Wei-Shaw/sub2api#5084
 */

/** The rejection of encrypted content. */
export const REFUSED_CONTENT: readonly RegExp[] = [
  /invalid_encrypted_content/, // openai/codex#8145
  /encrypted content .*could not be verified/i, // openai/openai-agents-python#2063
];

/**
 * Returns the input with the items that the newest compaction replaced, and without compactions. Undefined if the request
 * has no compaction, or if the history did not contain what it replaced.
 */
export function withoutRefusedCompaction(
  { input }: ResponsesRequestBody,
  message: string,
): InputItem[] | undefined {
  const newest = REFUSED_CONTENT.some(text => text.test(message)) ? input.findLastIndex(isCompaction) : -1;
  const compaction = input[newest];
  const replaced = compaction && replacedItems(compaction);
  if (replaced === undefined || !replaced.some(isContent)) return undefined;
  return [...replaced, ...input.slice(newest + 1)].filter(item => !isCompaction(item));
}

/** Returns true for an item that the conversation consists of. Hosts keep instructions when they remove old messages. */
const isContent = (item: InputItem): boolean =>
  !isCompaction(item) && !('role' in item && item.role !== 'user' && item.role !== 'assistant');

/** Names the compaction in the error of a request that cannot be sent without it. */
export function explainRefusal(error: unknown, { input }: ResponsesRequestBody): unknown {
  if (!APICallError.isInstance(error) || !input.some(isCompaction)) return error;
  const { message, responseBody = '' } = error;
  if (!REFUSED_CONTENT.some(text => text.test(`${message} ${responseBody}`))) return error;
  const { url, requestBodyValues, statusCode, responseHeaders, isRetryable, data, cause } = error;
  return new APICallError({
    ...{ url, requestBodyValues, statusCode, responseHeaders, responseBody, isRetryable, data, cause },
    message:
      `${message} The server cannot read the compaction in the history, which another key or endpoint created, and the ` +
      'history does not contain the messages that it replaced. Use that key again, or start a new conversation.',
  });
}

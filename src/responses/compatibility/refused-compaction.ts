import { APICallError } from '@ai-sdk/provider';
import { type InputItem, isCompaction, type ItemRelations, type ResponsesRequestBody } from '../wire.js';

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
  relations: ItemRelations,
): InputItem[] | undefined {
  if (!REFUSED_CONTENT.some(text => text.test(message))) return undefined;
  const isCompacted = (item: InputItem): boolean => isCompaction(item, relations);
  const newest = input.findLastIndex(isCompacted);
  const compaction = input[newest];
  const replaced = compaction && relations.replaced.get(compaction);
  if (replaced === undefined || !replaced.some(item => !isCompacted(item) && isContent(item)))
    return undefined;
  return [...replaced, ...input.slice(newest + 1)].filter(item => !isCompacted(item));
}

/** Returns true for an item that the conversation consists of. Hosts keep instructions when they remove old messages. */
const isContent = (item: InputItem): boolean =>
  !('role' in item && item.role !== 'user' && item.role !== 'assistant');

/** Names the compaction in the error of a request that cannot be sent without it. */
export function explainRefusal(
  error: unknown,
  { input }: ResponsesRequestBody,
  relations: ItemRelations,
): unknown {
  if (!APICallError.isInstance(error) || !input.some(item => isCompaction(item, relations))) return error;
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

import type { APICallError } from '@ai-sdk/provider';
import { withHint } from '../../core/http/api-error.js';
import { isContextOverflow } from '../../core/http/context-overflow.js';
import { readError } from '../../core/shared/reported-error.js';
import { isCompaction, type ItemRelations, type ResponsesRequestBody } from '../wire.js';
import { ENCRYPTED_TEXTS, REFUSED_CONTENT } from './item-repairs.js';
import type { Cause } from './model-memory.js';
import { findFallback, findKeptField } from './rejection-rules.js';
import { RejectionText } from './rejection-text.js';

/*
 * All that only a rejected request needs. It is loaded by the first one.
 */

export interface RejectedRequest {
  readonly error: APICallError;
  readonly rejection: RejectionText;
  readonly cause: Cause;
}

export const readRejection = (error: APICallError, sent: ResponsesRequestBody): RejectionText =>
  new RejectionText(error, sent);

/** Returns the request in a form that the server may accept, by the known rejections. */
export { findFallback };

/** Adds the next step to the error of a request that is not sent in another form. */
export function explainRefusal(
  { error, rejection }: RejectedRequest,
  body: ResponsesRequestBody,
  relations: ItemRelations,
): unknown {
  const hint = toHint({ error, rejection }, body, relations);
  return hint === undefined ? error : withHint(error, hint);
}

/** Returns the next step for a rejection of the conversation, or of a field that changes more than the text. */
function toHint(
  rejected: Pick<RejectedRequest, 'error' | 'rejection'>,
  body: ResponsesRequestBody,
  relations: ItemRelations,
): string | undefined {
  const isRefused = [...REFUSED_CONTENT, ...ENCRYPTED_TEXTS].some(
    text => rejected.rejection.match(text) !== undefined,
  );
  if (isRefused && body.input.some(item => isCompaction(item, relations))) return COMPACTION_HINT;
  const reported = readError(rejected.error.data);
  if (reported !== undefined && isContextOverflow(reported)) return OVERFLOW_HINT;
  if (reported?.code === 'previous_response_not_found') return PREVIOUS_HINT;
  const field = findKeptField(body, rejected.error, rejected.rejection);
  if (field === undefined) return undefined;
  const effect =
    field === 'store'
      ? 'The server then decides whether it keeps the response.'
      : 'Its restriction then does not apply.';
  return `To send no \`${field}\` to this server, set \`compatibility: { without: ['${field}'] }\`. ${effect}`;
}

const COMPACTION_HINT =
  'The server cannot read the compaction in the history, which another key or endpoint created, and the history does not ' +
  'contain the messages that it replaced. Use that key again, or start a new conversation.';

const OVERFLOW_HINT =
  'Send less of the conversation, remove old outputs of tools (`clearToolOutputs`), or compact it (`compactThreshold`).';

const PREVIOUS_HINT =
  'It was not stored (`store: false`), has expired, or belongs to another key or endpoint. Send the whole conversation ' +
  'without `previousResponseId`.';

import type { CoreCall } from '../core/call.js';
import type { Usage, Warning } from '../core/part.js';
import { createCallError } from '../http/api-error.js';
import { requestJson } from '../http/request-json.js';
import { idOf, objectOf, objectsOf, type PlainObject } from '../shared/json.js';
import { sendWithFallbacks } from './compatibility/send-with-fallbacks.js';
import type { ResponsesModelConfig } from './model.js';
import { buildRequest } from './request/build-request.js';
import { toUsage } from './stream/event-handlers.js';

export interface CompactedConversation {
  /** The output items that replace the conversation, without its system messages. */
  readonly items: readonly PlainObject[];
  readonly usage: Usage;
  readonly warnings: readonly Warning[];
  readonly response: {
    readonly id?: string;
    readonly headers: Record<string, string>;
    readonly body: unknown;
  };
}

/** Settings of the model that compacts. `url` is the address of `…/responses/compact`. */
export type CompactConfig = Omit<ResponsesModelConfig, 'generateId'>;

/** The fields of a request that `POST …/responses/compact` has. */
const FIELDS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'previous_response_id',
  'image',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
]);

/**
 * Replaces a conversation by a shorter one.
 *
 * https://platform.openai.com/docs/api-reference/responses/compact
 */
export async function compactConversation(
  modelId: string,
  call: Pick<CoreCall, 'prompt' | 'own' | 'providerOptions' | 'headers' | 'abortSignal'>,
  config: CompactConfig,
): Promise<CompactedConversation> {
  const { url, needsKey, fetchFor, timeouts, override, learnedCompatibility, credentials } = config;
  const { compatibility } = override;
  const context = { ...config, modelId, providerName: config.provider };
  const { call: prepared } = await config.extensions.prepare(call);
  const { body: built, warnings, relations } = buildRequest({ ...prepared, isStream: false }, context);
  const {
    body,
    headers: responseHeaders,
    omitted,
  } = await credentials.use(undefined, keyHeaders =>
    sendWithFallbacks(built, {
      post: async (sent, omitted) => ({
        omitted,
        ...(await requestJson({
          url,
          needsKey,
          headers: [keyHeaders, override.headers, call.headers],
          body: Object.fromEntries(Object.entries(sent).filter(([name]) => FIELDS.has(name))),
          fetch: fetchFor(call, warning => warnings.push(warning)),
          signal: call.abortSignal,
          timeouts: { total: timeouts.total },
        })),
      }),
      compatibility: () => compatibility,
      learned: learnedCompatibility,
      relations,
    }),
  );
  const { id, output, usage } = objectOf(body) ?? {};
  const items = objectsOf(output);
  if (!items.some(({ type }) => type === 'compaction')) {
    throw createCallError(
      'unexpectedResponse',
      { url, responseHeaders },
      `Expected a conversation with a compaction item from ${url}, got none. Check that the server supports \`POST …/responses/compact\`.`,
    );
  }
  const responseId = idOf(id);
  return {
    items,
    usage: toUsage(usage),
    warnings: [...warnings, ...omitted],
    response: { ...(responseId !== undefined && { id: responseId }), headers: responseHeaders, body },
  };
}

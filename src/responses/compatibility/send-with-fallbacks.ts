import type { ResponsesRequestBody } from '../wire.js';
import { applyCompatibility } from './apply-compatibility.js';
import { type Compatibility, type LearnedCompatibility, mergeCompatibility } from './compatibility.js';
import { hasField } from './fields.js';
import { findFallback } from './rejection-rules.js';

/** The maximum number of changes of one request. The next rejection is thrown. */
const MAX_FALLBACKS = 3;

export interface SendWithFallbacksOptions<Opened> {
  readonly post: (body: ResponsesRequestBody) => Promise<Opened>;
  /** The compatibility of the endpoint. */
  readonly compatibility: Compatibility;
  readonly learned: LearnedCompatibility;
}

export interface Sent<Opened> {
  readonly opened: Opened;
  /** The body that the server accepted. */
  readonly sent: ResponsesRequestBody;
  /** Fields of the request that had to be omitted. */
  readonly omitted: readonly string[];
}

/**
 * Sends a request with the compatibility of its endpoint and the one learned for its model. A request that is rejected
 * for a known reason is changed and sent again; successful changes are learned. Throws the last rejection.
 */
export async function sendWithFallbacks<Opened>(
  body: ResponsesRequestBody,
  { post, compatibility, learned }: SendWithFallbacksOptions<Opened>,
): Promise<Sent<Opened>> {
  let applied = mergeCompatibility(compatibility, learned.current);
  const lasting: Compatibility[] = [];
  let sent = applyCompatibility(body, applied);
  for (let fallbacks = 0; ; fallbacks++) {
    try {
      const opened = await post(sent);
      for (const change of lasting) learned.add(change);
      const omitted = (applied.without ?? []).filter(field => hasField(body, field));
      return { opened, sent, omitted };
    } catch (error) {
      const fallback =
        fallbacks < MAX_FALLBACKS ? findFallback(sent, error, { compatibility: applied }) : undefined;
      if (fallback === undefined) throw error;
      sent = fallback.body;
      applied = mergeCompatibility(applied, fallback.compatibility);
      if (fallback.isLasting) lasting.push(fallback.compatibility);
    }
  }
}

import type { LearnedCompatibility } from './learned.js';
import { applyCompatibility } from './apply-compatibility.js';
import { type Compatibility, mergeCompatibility } from './compatibility.js';
import { findFallback } from './rejection-rules.js';
import type { ResponsesRequestBody } from '../wire.js';
import { hasField } from './without-fields.js';

/** Changes of one request until its refusal is the answer. */
const MAX_FALLBACKS = 3;

export interface SendWithFallbacksOptions<Opened> {
  readonly post: (body: ResponsesRequestBody) => Promise<Opened>;
  /** What the body was brought into form by. */
  readonly compatibility: Compatibility;
  readonly learned: LearnedCompatibility;
}

export interface Posted<Opened> {
  readonly opened: Opened;
  /** The body as it was taken. */
  readonly sent: ResponsesRequestBody;
  /** Fields that were asked for and had to be left out. */
  readonly refused: readonly string[];
}

/**
 * Posts a request, changed in the ways that this model's endpoint is known to ask for. One that is refused for a known
 * and mendable reason is changed and posted again; what helped is learned for the next. Fails with the last refusal.
 */
export async function sendWithFallbacks<Opened>(
  body: ResponsesRequestBody,
  { post, compatibility: profile, learned }: SendWithFallbacksOptions<Opened>,
): Promise<Posted<Opened>> {
  let inForce = mergeCompatibility(profile, learned.current);
  const lessons: Compatibility[] = [];
  let sent = applyCompatibility(body, inForce);
  for (let mends = 0; ; mends++) {
    try {
      const opened = await post(sent);
      for (const lesson of lessons) learned.add(lesson);
      const refused = (inForce.without ?? []).filter(field => hasField(body, field));
      return { opened, sent, refused };
    } catch (error) {
      const mend = mends < MAX_FALLBACKS ? findFallback(sent, error, { compatibility: inForce }) : undefined;
      if (mend === undefined) throw error;
      sent = mend.body;
      inForce = mergeCompatibility(inForce, mend.compatibility);
      if (mend.isLasting) lessons.push(mend.compatibility);
    }
  }
}

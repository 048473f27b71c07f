import type { LanguageModelV2CallWarning } from '@ai-sdk/provider';
import { toCamelCase } from '../../shared/field-names.js';
import { isCompaction, isReasoning, type ResponsesRequestBody } from '../wire.js';
import { applyCompatibility } from './apply-compatibility.js';
import { type Compatibility, type LearnedCompatibility, mergeCompatibility } from './compatibility.js';
import { hasField } from './fields.js';
import { explainRefusal } from './refused-compaction.js';
import { findFallback } from './rejection-rules.js';
import { countImages } from './tool-outputs.js';

/** The maximum number of changes of one request. The next rejection is thrown. */
const MAX_FALLBACKS = 3;

/** The maximum number of references that are removed from one request. Each rejection names one of them. */
const MAX_REMOVALS = 10;

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
  /** Contents of the request that were omitted or changed. */
  readonly warnings: readonly LanguageModelV2CallWarning[];
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
  let [fallbacks, removals] = [0, 0];
  for (;;) {
    try {
      const opened = await post(sent);
      for (const change of lasting) learned.add(change);
      return { opened, sent, warnings: toWarnings(body, { sent, applied }) };
    } catch (error) {
      const fallback = findFallback(sent, error, { compatibility: applied });
      if (fallback === undefined) throw explainRefusal(error, sent);
      const { compatibility: change, isLasting } = fallback;
      if (change === undefined ? ++removals > MAX_REMOVALS : ++fallbacks > MAX_FALLBACKS) throw error;
      sent = fallback.body;
      if (change !== undefined) applied = mergeCompatibility(applied, change);
      if (change !== undefined && isLasting) lasting.push(change);
    }
  }
}

/** Returns a warning for everything in a request that the sent one lacks. */
function toWarnings(
  body: ResponsesRequestBody,
  { sent, applied }: { sent: ResponsesRequestBody; applied: Compatibility },
): LanguageModelV2CallWarning[] {
  if (sent === body) return [];
  const notes: string[] = [];
  const reasoning = countReasoning(body) - countReasoning(sent);
  if (reasoning > 0) {
    notes.push(
      `The server does not accept ${reasoning} of the reasoning items of the history: they are not sent.`,
    );
  }
  if (body.input.some(isCompaction) && !sent.input.some(isCompaction)) {
    notes.push(
      'The server cannot read the compaction in the history, which another key or endpoint created: the messages that it ' +
        'replaced are sent again.',
    );
  }
  const images = countImages(body.input) - countImages(sent.input);
  if (images > 0)
    notes.push(`The server does not accept images for this model: ${images} are replaced by a text.`);
  const references = countReferences(body) - countReferences(sent);
  if (references > 0) {
    notes.push(
      `The server has not stored ${references} of the items of the history that the request refers to.`,
    );
  }
  const [effort, sentEffort] = [body.reasoning?.effort, sent.reasoning?.effort];
  if (effort !== undefined && sentEffort !== undefined && effort !== sentEffort) {
    notes.push(
      `reasoning "${effort}" is not directly supported by this model. mapped to effort "${sentEffort}".`,
    );
  }
  return [
    ...(applied.without ?? []).filter(field => hasField(body, field)).map(toOmittedWarning),
    ...notes.map(message => ({ type: 'other' as const, message })),
  ];
}

const countReasoning = ({ input }: ResponsesRequestBody): number => input.filter(isReasoning).length;

const countReferences = ({ input }: ResponsesRequestBody): number =>
  input.filter(({ type }) => type === 'item_reference').length;

/** Returns a warning for a setting that the server does not accept, under the host's name for it. */
function toOmittedWarning(field: string): LanguageModelV2CallWarning {
  const setting = toCamelCase(field);
  return {
    type: 'unsupported-setting',
    setting,
    details: `${setting} is not accepted by the server for this model`,
  };
}

import { APICallError } from '@ai-sdk/provider';
import type { Warning } from '../../core/part.js';
import { toCamelCase } from '../../core/shared/names.js';
import { repeat } from '../../core/shared/repeat.js';
import {
  createItemRelations,
  isCompaction,
  isReasoning,
  type ItemRelations,
  type ResponsesRequestBody,
} from '../wire.js';
import { applyCompatibility, countImages, hasField } from './apply-compatibility.js';
import { type Compatibility, ENCRYPTED_REASONING, mergeCompatibility } from './compatibility.js';
import { TOOL_FIELD } from './item-repairs.js';
import { type Cause, type ModelMemory, toConversation } from './model-memory.js';
import type { RejectedRequest } from './rejected-request.js';
import type { Fallback } from './rejection-rules.js';

/** The maximum number of changes of one request. The next rejection is thrown. */
const MAX_FALLBACKS = 3;

/** The maximum number of references that are removed from one request. Each rejection names one of them. */
const MAX_REMOVALS = 10;

/** The changes that a server has required in a turn, so that each of its requests is not rejected again. */
export interface TurnRepairs {
  compatibility?: Compatibility;
}

/** Sends requests to a server, and tells what the server accepts. */
export interface Endpoint<Opened> {
  /** Sends a request. `omitted` are warnings about the contents that were omitted or changed. */
  readonly post: (body: ResponsesRequestBody, omitted: readonly Warning[]) => Promise<Opened>;
  /** Returns the compatibility of the endpoint, as far as it is known. */
  readonly compatibility: () => Compatibility;
  /** Recognizes the server by an error. @default the error shows nothing */
  readonly recognize?: Recognize | undefined;
}

/**
 * Returns the compatibility of the server that an error shows. If it shows none, and the compatibility of a candidate would
 * change the request, the server may be asked what it is.
 */
export type Recognize = (
  rejected: RejectedRequest,
  changes: (candidate: Compatibility) => boolean,
) => Promise<Compatibility | undefined>;

/**
 * Sends a request with the compatibility of its endpoint and the one learned for its model. A request that is rejected
 * for a known reason is changed and sent again; a successful change is learned when another conversation needs it as well.
 * Throws the last rejection.
 *
 * @param relations Relations between the items of the request.
 * @param repairs The changes that the server has required in the turn of the request.
 */
export async function sendWithFallbacks<Opened>(
  body: ResponsesRequestBody,
  { post, compatibility, recognize }: Endpoint<Opened>,
  memory: ModelMemory,
  relations: ItemRelations = createItemRelations(),
  repairs: TurnRepairs = {},
): Promise<Opened> {
  const known = mergeCompatibility(memory.learned ?? {}, repairs.compatibility ?? {});
  let endpoint = compatibility();
  let applied = mergeCompatibility(endpoint, known);
  const required: { readonly change: Compatibility; readonly cause: Cause; readonly isLasting: boolean }[] =
    [];
  // Some reasoning cannot be sent to any endpoint.
  const isAccepted = Object.keys(applied).length === 0 && !body.input.some(isReasoning);
  let sent = isAccepted ? body : applyCompatibility(body, applied);
  let [fallbacks, removals] = [0, 0];
  const send = async (): Promise<Opened> => {
    const opened = await post(sent, sent === body ? [] : toWarnings(body, { sent, applied, relations }));
    for (const { change, cause, isLasting } of required) {
      repairs.compatibility = mergeCompatibility(repairs.compatibility ?? {}, change);
      if (isLasting) memory.learn(change, cause);
    }
    return opened;
  };

  /** Changes the request as a rejection requires, to be sent again at once. */
  const adapt = async (error: unknown): Promise<0 | undefined> => {
    if (!APICallError.isInstance(error)) return undefined;
    // Most processes never need it.
    const { explainRefusal, findFallback, readRejection } = await import('./rejected-request.js');
    const rejection = readRejection(error, sent);
    const cause = { conversation: toConversation(body), quotes: rejection.quotes() };
    const fallback =
      findFallback(sent, error, { compatibility: applied, relations, rejection }) ??
      (await toRecognized({ error, rejection, cause }));
    if (fallback === undefined) throw explainRefusal({ error, rejection, cause }, sent, relations);
    const { compatibility: change, isLasting, isForThisRequestOnly } = fallback;
    if (change === undefined ? ++removals > MAX_REMOVALS : ++fallbacks > MAX_FALLBACKS) return undefined;
    sent = fallback.body;
    if (change !== undefined) applied = mergeCompatibility(applied, change);
    if (change !== undefined && !isForThisRequestOnly) required.push({ change, cause, isLasting });
    return 0;
  };

  return repeat(send, adapt);

  /** Returns the request in the form that the server accepts, if an error shows for the first time which server it is. */
  async function toRecognized(rejected: RejectedRequest): Promise<Fallback | undefined> {
    const shown = await recognize?.(
      rejected,
      candidate => applyCompatibility(sent, mergeCompatibility(candidate, applied)) !== sent,
    );
    const now = compatibility();
    if (now === endpoint && shown === undefined) return undefined;
    endpoint = now;
    const change = mergeCompatibility(mergeCompatibility(shown ?? {}, now), applied);
    // Repairs of single items would be lost.
    const changed = applyCompatibility(fallbacks + removals === 0 ? body : sent, change);
    return changed === sent
      ? undefined
      : { body: changed, compatibility: change, isLasting: false, isForThisRequestOnly: true };
  }
}

/** Returns a warning for everything in a request that the sent one lacks. */
function toWarnings(
  body: ResponsesRequestBody,
  {
    sent,
    applied,
    relations,
  }: { sent: ResponsesRequestBody; applied: Compatibility; relations: ItemRelations },
): Warning[] {
  const notes: string[] = [];
  const reasoning = countReasoning(body) - countReasoning(sent);
  if (reasoning > 0) {
    notes.push(
      `The server does not accept ${reasoning} of the reasoning items of the history: they are not sent.`,
    );
  }
  const hasCompaction = ({ input }: ResponsesRequestBody) =>
    input.some(item => isCompaction(item, relations));
  if (hasCompaction(body) && !hasCompaction(sent)) {
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
    ...(applied.without ?? [])
      .filter(field => field !== ENCRYPTED_REASONING && hasField(body, field))
      .map(toOmittedWarning),
    ...notes.map(message => ({ type: 'other' as const, message })),
  ];
}

const countReasoning = (body: ResponsesRequestBody): number => body.input.filter(isReasoning).length;

const countReferences = (body: ResponsesRequestBody): number =>
  body.input.filter(item => item.type === 'item_reference').length;

/** Returns a warning for a setting that the server does not accept, under the host's name for it. */
function toOmittedWarning(field: string): Warning {
  if (field.startsWith(TOOL_FIELD)) {
    const name = field.slice(TOOL_FIELD.length);
    return {
      type: 'other',
      message: `The server rejects the schema of the tool "${name}" for this model: the tool is not sent.`,
    };
  }
  const setting = toCamelCase(field);
  return {
    type: 'unsupported',
    feature: setting,
    details: `${setting} is not accepted by the server for this model`,
  };
}

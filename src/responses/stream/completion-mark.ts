import type { Part, PartOf } from '../../core/part.js';

/** The last part of a response that hosts keep with its facts. */
type KeptPart = PartOf<'text-end' | 'reasoning-end' | 'tool-call' | 'custom'>;

/**
 * Marks in the history whether a response was completed: the server adds the messages of a request to a conversation only with
 * its complete response. All parts are marked as not completed, except for the last one that hosts keep, which therefore waits
 * for the next part or the end of the response.
 */
export function createCompletionMark(write: (part: Part) => void) {
  /** The kept part, with those of its result that follow it. */
  let held: [KeptPart, ...Part[]] | undefined;
  let isComplete = false;
  const release = (): void => {
    const parts = held ?? [];
    held = undefined;
    for (const part of parts) write(part);
  };

  return {
    write(part: Part): void {
      if (held !== undefined && isFollower(part)) {
        held.push(part);
        return;
      }
      release();
      if (isKept(part)) {
        held = [withMark(part, isComplete)];
        if (isComplete) release();
      } else write(hasFacts(part) ? withMark(part, false) : part);
    },

    /** The response is complete. */
    complete(): void {
      isComplete = true;
      if (held !== undefined) held[0] = withMark(held[0], true);
      release();
    },
  };
}

const withMark = <Marked extends Part>(part: Marked, completed: boolean): Marked => ({
  ...part,
  own: { ...('own' in part ? part.own : undefined), completed },
});

const isKept = (part: Part): part is KeptPart =>
  part.type === 'text-end' ||
  part.type === 'reasoning-end' ||
  part.type === 'tool-call' ||
  part.type === 'custom';

/** Hosts take the facts of a block from its start if its end does not arrive. */
const hasFacts = (part: Part): boolean => part.type === 'text-start' || part.type === 'reasoning-start';

const isFollower = (part: Part): boolean =>
  part.type === 'tool-result'
    ? part.preliminary !== true
    : ['file', 'source', 'tool-approval-request', 'response-metadata'].includes(part.type);

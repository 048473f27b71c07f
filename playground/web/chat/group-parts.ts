import type { ToolUIPart } from 'ai';
import type { PlaygroundMessage } from '../../shared/playground-state.js';
import { isToolUIPart } from './tool-parts.js';

/** Number of consecutive calls of one tool from which they are shown as a group. */
const MIN_GROUP = 3;

export type Part = PlaygroundMessage['parts'][number];

export type PartGroup = { readonly calls: readonly ToolUIPart[] } | { readonly thoughts: string[] };

/**
 * Joins consecutive calls of the same tool, if there are many, and the reasoning of all rounds up to the next text, which is
 * one line instead of one for each round. Reasoning that is still written stays where it is.
 */
export function groupParts(
  parts: readonly Part[],
  { isRunning }: { isRunning: boolean },
): readonly (Part | PartGroup)[] {
  const shown: (Part | PartGroup)[] = [];
  let run: ToolUIPart[] = [];
  let thoughts: string[] | undefined;
  const endRun = (): void => {
    shown.push(...(run.length < MIN_GROUP ? run : [{ calls: run }]));
    run = [];
  };
  for (const part of parts) {
    if (part.type === 'reasoning' && part.text === '') continue;
    if (part.type === 'reasoning' && !(isRunning && part.state === 'streaming')) {
      if (thoughts === undefined) {
        endRun();
        shown.push({ thoughts: (thoughts = []) });
      }
      thoughts.push(part.text);
    } else if (isToolUIPart(part)) {
      if (run[0]?.type !== part.type) endRun();
      run.push(part);
    } else {
      endRun();
      shown.push(part);
      if (part.type === 'text' && part.text.trim() !== '') thoughts = undefined;
    }
  }
  endRun();
  return shown;
}

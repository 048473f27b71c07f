import { useEffect, useState } from 'react';

/** Characters that all texts of the page reveal in one frame, so that rendering them does not delay input. */
const PER_FRAME = 1500;

/** Texts that are not completely visible, the newest last. */
const growing: ((budget: number) => number)[] = [];
let frame: number | undefined;

/** Reveals the newest texts first: they are at the end of the conversation, which is visible. */
function grow(): void {
  frame = undefined;
  let budget = PER_FRAME;
  for (const reveal of growing.toReversed()) {
    if (budget > 0) budget -= reveal(budget);
  }
  if (growing.length > 0) frame = requestAnimationFrame(grow);
}

/**
 * Returns the beginning of a text. It follows the text by a limited number of characters per frame, which bounds the work of
 * a frame: a response that arrives at once is as long as one that streams for minutes.
 */
export function useGradualText(text: string): string {
  const [length, setLength] = useState(0);
  const missing = text.length - length;
  useEffect(() => {
    if (missing <= 0) return;
    const reveal = (budget: number): number => {
      const added = Math.min(budget, missing);
      setLength(text.length - missing + added);
      return added;
    };
    growing.push(reveal);
    frame ??= requestAnimationFrame(grow);
    return () => void growing.splice(growing.indexOf(reveal), 1);
  }, [missing, text]);
  return missing <= 0 ? text : text.slice(0, length);
}

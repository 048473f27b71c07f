import { type RefObject, type UIEvent, useEffect, useRef } from 'react';

export interface StickToEndHook {
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly onScroll: (event: UIEvent<HTMLElement>) => void;
}

/** How far from the end, in pixels, somebody counts as reading along. */
const NEAR_END = 120;

/** Keeps a list that grows at its end in sight of those who read there, and leaves those who scrolled up. */
export function useStickToEnd({ isActive }: { isActive: boolean }): StickToEndHook {
  const ref = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = ref.current;
    if (element !== null && isActive && isAtEnd.current) element.scrollTop = element.scrollHeight;
  });
  return {
    ref,
    onScroll({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) {
      isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
    },
  };
}

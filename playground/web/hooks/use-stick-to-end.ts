import { type RefObject, type UIEvent, useEffect, useRef } from 'react';

export interface StickToEndHook {
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly onScroll: (event: UIEvent<HTMLElement>) => void;
}

/** Distance from the end, in pixels, within which the list keeps scrolling. */
const NEAR_END = 120;

/** Scrolls a growing list to its end, unless the user has scrolled up. */
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

import { useEffect } from 'react';

/** Focuses the message field on `/` and stops on Escape, unless an input or a dialog uses the key. */
export function useShortcuts({ onFocus, onStop }: { onFocus: () => void; onStop: () => void }): void {
  useEffect(() => {
    const follow = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      const isTyping =
        event.target instanceof HTMLElement && event.target.closest('input, textarea, select') !== null;
      if (event.key === 'Escape') onStop();
      if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        onFocus();
      }
    };
    addEventListener('keydown', follow);
    return () => removeEventListener('keydown', follow);
  }, [onFocus, onStop]);
}

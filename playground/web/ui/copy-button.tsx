import { useEffect, useState } from 'react';
import { Icon } from './icon.js';

/** Milliseconds to display the confirmation. */
const CONFIRMATION = 1500;

export function CopyButton({ label, text }: { label: string; text: () => string | Promise<string> }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), CONFIRMATION);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <button
      type="button"
      className="copy-button"
      aria-label={label}
      onClick={() =>
        void Promise.resolve(text())
          .then(copied => navigator.clipboard.writeText(copied))
          .then(
            () => setCopied(true),
            () => {},
          )
      }
    >
      <Icon name="copy" />{' '}
      <span className="copy-text" data-copied={isCopied} aria-live="polite">
        {isCopied ? 'Copied' : 'Copy'}
      </span>
    </button>
  );
}

import { type ReactNode, useRef } from 'react';
import { CopyButton } from './copy-button.js';

/** Code in an answer, with a way to take it along. */
export function CodeBlock({ children }: { children: ReactNode }) {
  const pre = useRef<HTMLPreElement>(null);
  return (
    <div className="code-block">
      <CopyButton label="Copy the code" text={() => pre.current?.textContent ?? ''} />
      <pre ref={pre} tabIndex={0}>
        {children}
      </pre>
    </div>
  );
}

import { memo, type ReactNode, useRef } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CopyButton } from './copy-button.js';

const components: Components = {
  // Links in a response are untrusted.
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  // Images become links, because loading one could send data from the response to another server.
  img: ({ src, alt }) => (
    <a href={src} target="_blank" rel="noreferrer noopener">
      {alt || 'an image'}
    </a>
  ),
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  table: ({ children }) => (
    <div className="table-frame" tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
};

/** Markdown of a model. HTML stays text, and nothing is loaded from it. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
});

/** A code block with a copy button. */
function CodeBlock({ children }: { children: ReactNode }) {
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

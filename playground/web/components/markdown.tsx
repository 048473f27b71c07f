import { type ComponentProps, memo, type ReactNode, useRef } from 'react';
import { Streamdown } from 'streamdown';
import { CopyButton } from './copy-button.js';

type Components = NonNullable<ComponentProps<typeof Streamdown>['components']>;

const components: Components = {
  // Links in a response are untrusted.
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  // Images become links, because loading one could send data from the response to another server.
  img: ({ src, alt }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noreferrer noopener">
      {alt || 'an image'}
    </a>
  ),
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  code: ({ className, children }) => <code className={className}>{children}</code>,
  table: ({ children }) => (
    <div className="table-frame" tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  // The components of streamdown are styled with Tailwind, which is not used here.
  ...Object.fromEntries(
    [
      ...['blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'ol', 'p', 'section', 'strong'],
      ...['sub', 'sup', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
    ].map(tag => [tag, tag]),
  ),
};

/** Without `rehype-raw`, HTML in the text is shown as text. */
const rehypePlugins: [] = [];

export interface MarkdownProps {
  readonly text: string;
  /** True while the text grows. Syntax without an end is then completed. */
  readonly isGrowing?: boolean;
}

/** Markdown of a model. HTML stays text, and nothing is loaded from it. Only changed blocks are rendered again. */
export const Markdown = memo(function Markdown({ text, isGrowing = false }: MarkdownProps) {
  return (
    <Streamdown
      className="markdown"
      parseIncompleteMarkdown={isGrowing}
      controls={false}
      components={components}
      rehypePlugins={rehypePlugins}
      urlTransform={toSafeUrl}
    >
      {text}
    </Streamdown>
  );
});

/** Removes URLs that run scripts or contain data. */
const toSafeUrl = (url: string): string | undefined =>
  /^(https?:|mailto:|#)/i.test(url.trim()) ? url : undefined;

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

import { type ComponentProps, memo, useEffect, useRef, useState } from 'react';
import { Streamdown } from 'streamdown';
import { CodeBlock, CodeFrame } from './code-block.js';
import { createBlockSplitter, type MarkdownBlock, readCode } from './markdown-split.js';
import type { MarkdownPlugins } from './markdown-math.js';
import { mayHaveMath, toDollarMath } from './math-text.js';

export interface MarkdownBlocksProps {
  readonly text: string;
  /** True if more text follows. Syntax without an end is then completed. */
  readonly isOpen: boolean;
}

type Components = NonNullable<ComponentProps<typeof Streamdown>['components']>;

const components: Components = {
  // Links in a response are untrusted, so each shows its address. They give nothing of this page to the other one.
  a: ({ href, children }) => (
    <a href={href} title={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  // Images become links, because loading one could send data from the response to another server.
  img: ({ src, alt }) => (
    <a {...(typeof src === 'string' && { href: src, title: src })} target="_blank" rel="noreferrer noopener">
      {alt || 'an image'}
    </a>
  ),
  // The box of a task is not part of a label.
  input: ({ type, checked }) =>
    type === 'checkbox' ? (
      <input type="checkbox" checked={checked === true} disabled aria-label={checked ? 'Done' : 'To do'} />
    ) : null,
  pre: ({ children }) => <CodeFrame>{children}</CodeFrame>,
  code: ({ className, children }) => <code className={className}>{children}</code>,
  table: ({ children }) => (
    <div className="table-frame" tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  // The components of streamdown are styled with Tailwind, which is not used here.
  ...Object.fromEntries(
    'blockquote hr li ol p section strong sub sup tbody td th thead tr ul'.split(' ').map(tag => [tag, tag]),
  ),
  // The headings of the page are of the levels 1 and 2.
  h1: 'h3',
  h2: 'h4',
  h3: 'h5',
  h4: 'h6',
  h5: 'h6',
  h6: 'h6',
};

/** Without `rehype-raw`, HTML in the text is shown as text. */
const rehypePlugins: [] = [];

/** The blocks of a text. It is the default export because it is loaded on demand. */
export default function MarkdownBlocks({ text, isOpen }: MarkdownBlocksProps) {
  const split = useRef<ReturnType<typeof createBlockSplitter>>(undefined);
  split.current ??= createBlockSplitter();
  const blocks = split.current(text);
  return blocks.map((block, index) => (
    <BlockView key={index} block={block} isOpen={isOpen && index === blocks.length - 1} />
  ));
}

const toOneBlock = (text: string): string[] => [text];

/** A block, which is rendered again only if it has changed. */
const BlockView = memo(function BlockView({ block, isOpen }: { block: MarkdownBlock; isOpen: boolean }) {
  const code = readCode(block.text);
  const hasMath = code === undefined && mayHaveMath(block.text);
  const math = useMath(hasMath);
  if (code !== undefined) return <CodeBlock {...code} isOpen={isOpen} />;
  return (
    <Streamdown
      className={block.isContinued ? 'markdown-block continued' : 'markdown-block'}
      parseMarkdownIntoBlocksFn={toOneBlock}
      parseIncompleteMarkdown={isOpen}
      controls={false}
      components={components}
      rehypePlugins={rehypePlugins}
      urlTransform={toSafeUrl}
      {...(math !== undefined && { plugins: math })}
    >
      {hasMath ? toDollarMath(block.text) : block.text}
    </Streamdown>
  );
});

/** The parser of formulas, which is loaded with the first of them. */
function useMath(isNeeded: boolean) {
  const [plugins, setPlugins] = useState<MarkdownPlugins>();
  useEffect(() => {
    if (!isNeeded) return;
    import('./markdown-math.js').then(
      ({ mathPlugins }) => setPlugins(mathPlugins),
      () => {},
    );
  }, [isNeeded]);
  return isNeeded ? plugins : undefined;
}

/** Removes URLs that run scripts or contain data. */
const toSafeUrl = (url: string): string | undefined =>
  /^(https?:|mailto:|#)/i.test(url.trim()) ? url : undefined;

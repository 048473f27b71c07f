import { lazy, memo, Suspense } from 'react';
import type { MarkdownProps } from './markdown-blocks.js';

const load = () => import('./markdown-blocks.js');

/** The parser is nearly half of the code of the page, and is not needed to start it. */
const MarkdownBlocks = lazy(load);

// Loaded before the first response, which it would delay. A failure is reported when a response needs it.
setTimeout(() => void load().catch(() => {}), 500);

/** Markdown of a model. HTML stays text, and nothing is loaded from it. Only changed blocks are rendered again. */
export const Markdown = memo(function Markdown({ text, isGrowing = false }: MarkdownProps) {
  return (
    <div className="markdown">
      <Suspense fallback={<p>{text.slice(0, 1000)}</p>}>
        <MarkdownBlocks text={text} isGrowing={isGrowing} />
      </Suspense>
    </div>
  );
});

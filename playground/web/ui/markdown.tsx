import { lazy, memo, Suspense } from 'react';
import { useGradualText } from './use-gradual-text.js';

interface MarkdownProps {
  readonly text: string;
  /** True while the text grows. */
  readonly isGrowing?: boolean;
}

const load = () => import('./markdown-blocks.js');

/** The parser is nearly half of the code of the page, and is not needed to start it. */
const MarkdownBlocks = lazy(load);

// Loaded before the first response, which it would delay. A failure is reported when a response needs it.
setTimeout(() => void load().catch(() => {}), 500);

/** Markdown of a model. HTML stays text, and nothing is loaded from it. Only changed blocks are rendered again. */
export const Markdown = memo(function Markdown({ text, isGrowing = false }: MarkdownProps) {
  const shown = useGradualText(text);
  const isRevealing = shown.length < text.length;
  return (
    <div className="markdown" aria-busy={isRevealing}>
      <Suspense fallback={<p aria-busy>{shown.slice(0, 1000)}</p>}>
        <MarkdownBlocks text={shown} isOpen={isGrowing || isRevealing} />
      </Suspense>
    </div>
  );
});

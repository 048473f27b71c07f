import { Icon } from '../ui/icon.js';
import { Markdown } from '../ui/markdown.js';

/** Reasoning of the model, expanded while it is streamed. */
export function Reasoning({ texts, isRunning }: { texts: readonly string[]; isRunning: boolean }) {
  const titles = [...new Set(texts.map(toTitle))];
  return (
    <details className="reasoning" open={isRunning || undefined}>
      <summary>
        <Icon name="brain" /> {isRunning ? 'Reasoning …' : titles.join(' · ')}
      </summary>
      {texts.map((text, index) => (
        <Markdown key={index} text={text} isGrowing={isRunning} />
      ))}
    </details>
  );
}

/** Returns the first line without Markdown: `**Choosing tools**` becomes `Choosing tools`. */
const toTitle = (text: string): string => text.split('\n')[0]?.replace(/[*#]/g, '').trim() || 'Reasoning';

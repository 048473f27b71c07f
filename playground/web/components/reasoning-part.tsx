import { Icon } from './icon.js';
import { Markdown } from './markdown.js';

/** What the model thought: open while it thinks, folded afterwards. */
export function ReasoningPart({ text, isRunning }: { text: string; isRunning: boolean }) {
  if (text === '') return null;
  return (
    <details className="reasoning" open={isRunning || undefined}>
      <summary>
        <Icon name="brain" /> {isRunning ? 'Thinking …' : toTitle(text)}
      </summary>
      <Markdown text={text} />
    </details>
  );
}

/** The first line, as models write it: `**Choosing tools**`. */
const toTitle = (text: string): string => text.split('\n')[0]?.replace(/[*#]/g, '').trim() || 'Reasoning';

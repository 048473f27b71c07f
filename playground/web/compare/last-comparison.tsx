import type { ConversationProps } from '../chat/conversation-props.js';
import type { ThreadHook } from '../chat/use-thread.js';
import { useFullTrace } from '../traces/use-full-trace.js';
import { ComparisonTable } from './comparison-table.js';

export interface LastComparisonProps extends Pick<ConversationProps, 'conversationId' | 'page'> {
  readonly left: ThreadHook;
  readonly right: ThreadHook;
  readonly titles: Readonly<Record<'left' | 'right', string>>;
}

const lastResponse = ({ messages }: ThreadHook) =>
  messages.findLast(({ message }) => message.role === 'assistant');

/** Compares the last responses of both sides. */
export function LastComparison({ left, right, titles, conversationId, page }: LastComparisonProps) {
  const first = useFullTrace(conversationId, lastResponse(left), page.turns)?.trace;
  const second = useFullTrace(conversationId, lastResponse(right), page.turns)?.trace;
  if (first === undefined || second === undefined) return null;
  return (
    <ComparisonTable
      label="Comparison of the last responses"
      heading="Last response"
      traces={[first, second]}
      titles={[titles.left, titles.right]}
      prices={page.state?.prices ?? {}}
    />
  );
}

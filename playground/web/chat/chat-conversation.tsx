import { useRef } from 'react';
import type { Flag } from '../../shared/trace-event.js';
import { useShortcuts } from './use-shortcuts.js';
import { type MessageContent, useThread } from './use-thread.js';
import { Composer } from './composer.js';
import type { ConversationProps } from './conversation-props.js';
import { ConnectionNote } from '../page/connection-note.js';
import { EmptyState } from './empty-state.js';
import { Segmented } from '../ui/segmented.js';
import { ThreadView } from './thread-view.js';
import { Toolbar } from './toolbar.js';

/** One thread that uses the selected provider. */
export function ChatConversation(props: ConversationProps) {
  const { conversationId, page, onNew, onDeselect, draftText } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const thread = useThread(page, { conversationId, thread: 'main' });
  useShortcuts({
    onFocus: () => field.current?.focus(),
    onStop: () => thread.isRunning && thread.stop(),
  });
  const flag = page.state?.settings.flag ?? 'kelivo';
  const lastQuestion = thread.messages.findLast(({ message }) => message.role === 'user')?.message;

  const chooseProvider = (choice: Flag | 'both'): void => {
    if (choice !== 'both') return void page.change({ flag: choice });
    const text = lastQuestion?.parts.map(part => (part.type === 'text' ? part.text : '')).join('');
    onNew('compare', text);
  };
  const ask = (content: MessageContent): void => {
    onDeselect();
    thread.ask(content);
    // A suggestion disappears when it is selected, and with it the focus.
    field.current?.focus();
  };
  return (
    <section className="conversation" aria-label="Conversation">
      <Toolbar conversationId={conversationId} page={page}>
        <Segmented
          label="Provider"
          value={flag as Flag | 'both'}
          options={[
            { value: 'kelivo', title: 'Kelivo', hint: 'kelivo-responses, this package' },
            { value: 'official', title: 'Official', hint: '@ai-sdk/openai in the same tool loop' },
            {
              value: 'both',
              title: 'Compare',
              hint: 'The same question to both, in a new conversation',
            },
          ]}
          isDisabled={page.state === undefined}
          onChange={chooseProvider}
        />
      </Toolbar>
      <ConnectionNote connection={page.connection} />
      {thread.messages.length === 0 ? (
        <EmptyState onAsk={text => ask({ text, files: [] })} filesFolder={page.state?.filesFolder} />
      ) : (
        <ThreadView thread={thread} label="Conversation" {...props} />
      )}
      <Composer
        ref={field}
        conversationId={conversationId}
        initialText={draftText}
        isRunning={thread.isRunning}
        onSend={ask}
        onStop={thread.stop}
        modelId={page.state?.settings.modelId}
      />
    </section>
  );
}

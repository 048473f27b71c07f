import { type Ref, useRef } from 'react';
import { MAX_MESSAGE_CHARACTERS } from '../../shared/playground-state.js';
import { AppTexts, useAppTexts } from './app-texts.js';
import { useAttachments } from './use-attachments.js';
import type { MessageContent } from './use-thread.js';
import { formatCount } from '../ui/format.js';
import { useKept } from '../page/kept-input.js';
import { AttachButton, AttachmentDraft, useDroppedFiles } from './attachments.js';
import { MessageText } from './message-text.js';
import { Icon } from '../ui/icon.js';
import { Problem } from '../ui/problem.js';

export interface ComposerProps {
  readonly ref: Ref<HTMLTextAreaElement>;
  /** Text that was not sent is kept for this chat. */
  readonly conversationId: string;
  readonly initialText: string;
  readonly isRunning: boolean;
  readonly modelId: string | undefined;
  readonly onSend: (content: MessageContent) => void;
  readonly onStop: () => void;
}

/** The message field. Enter sends, Shift+Enter inserts a line break, Escape stops. */
export function Composer(props: ComposerProps) {
  const { ref, conversationId, initialText, isRunning, modelId, onSend, onStop } = props;
  const [text, setText] = useKept(`message ${conversationId}`, () => initialText);
  const attachments = useAttachments();
  const form = useRef<HTMLFormElement>(null);
  useDroppedFiles(form, attachments.add);
  const isFree = text === '' && attachments.files.length === 0;
  const apps = useAppTexts({ conversationId, isFree, onDraft: setText });
  const message = apps.addTo(text.trim());
  const isTooLong = message.length > MAX_MESSAGE_CHARACTERS;
  const isEmpty = text.trim() === '' && attachments.files.length === 0;
  const isSendable = !isTooLong && !isEmpty && !attachments.isReading;
  const send = (): void => {
    if (isRunning || !isSendable) return;
    onSend({ text: message, files: attachments.files });
    setText('');
    attachments.clear();
    apps.clear();
  };
  return (
    <form
      ref={form}
      className="composer"
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
    >
      <AppTexts {...apps} />
      <AttachmentDraft attachments={attachments} />
      <AttachButton attachments={attachments} />
      <MessageText
        attachments={attachments}
        onSend={() => (apps.isUnread ? apps.markRead() : send())}
        ref={ref}
        aria-label="Message"
        aria-keyshortcuts="/"
        placeholder={modelId === undefined ? 'Message' : `Message ${modelId}`}
        rows={1}
        value={text}
        onChange={({ target: { value } }) => {
          setText(value);
          apps.markRead({ isEmpty: value === '' });
        }}
      />
      {isRunning ? (
        <button type="button" className="button danger" aria-keyshortcuts="Escape" onClick={onStop}>
          <Icon name="stop" /> Stop
        </button>
      ) : (
        <button type="submit" className="button primary" disabled={!isSendable}>
          <Icon name="send" /> Send
        </button>
      )}
      {isTooLong && (
        <Problem>
          The message has {formatCount(message.length)} characters. The playground accepts{' '}
          {formatCount(MAX_MESSAGE_CHARACTERS)}.
        </Problem>
      )}
      <p className="keys" aria-hidden="true">
        <kbd>Enter</kbd> sends · <kbd>Shift</kbd> <kbd>Enter</kbd> new line · <kbd>Esc</kbd> stops ·{' '}
        <kbd>/</kbd> focuses this field
      </p>
    </form>
  );
}

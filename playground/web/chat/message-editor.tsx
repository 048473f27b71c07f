import type { FileUIPart } from 'ai';
import { useState } from 'react';
import { MAX_MESSAGE_CHARACTERS } from '../../shared/playground-state.js';
import { useAttachments } from './use-attachments.js';
import type { MessageContent } from './use-thread.js';
import { AttachButton, AttachmentDraft } from './attachments.js';
import { MessageText } from './message-text.js';

export interface MessageEditorProps {
  readonly text: string;
  readonly files: readonly FileUIPart[];
  readonly onSend: (content: MessageContent) => void;
  readonly onCancel: () => void;
}

/** Edits a message of the user. The edited message becomes another version; the previous one stays. */
export function MessageEditor({ text: initialText, files, onSend, onCancel }: MessageEditorProps) {
  const [text, setText] = useState(initialText);
  const attachments = useAttachments(files);
  const isEmpty = text.trim() === '' && attachments.files.length === 0;
  const isSendable = !isEmpty && !attachments.isReading && text.trim().length <= MAX_MESSAGE_CHARACTERS;
  const send = (): void => {
    if (isSendable) onSend({ text: text.trim(), files: attachments.files });
  };
  return (
    <form
      className="message-editor"
      aria-label="Edit the message"
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
    >
      <AttachmentDraft attachments={attachments} />
      <MessageText
        attachments={attachments}
        onSend={send}
        className="input"
        aria-label="Text of the message"
        autoFocus
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'Escape') return;
          // The shortcut of the page would stop a turn.
          event.stopPropagation();
          onCancel();
        }}
      />
      <div className="button-row">
        <button type="submit" className="button primary" disabled={!isSendable}>
          Send the edited message
        </button>
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
        <AttachButton attachments={attachments} />
      </div>
    </form>
  );
}

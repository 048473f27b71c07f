import { useState } from 'react';
import type { MessageContent, ShownMessage } from './use-thread.js';
import { toMarkdown } from './conversation-markdown.js';
import { AttachmentList } from './attachments.js';
import { CopyButton } from '../ui/copy-button.js';
import { Icon } from '../ui/icon.js';
import { MessageEditor } from './message-editor.js';
import { MessageVersions } from './message-versions.js';

/** Changes of a thread that start at a message. */
export interface MessageActions {
  /** Shows another version of the message. */
  show(messageId: string): void;
  edit(messageId: string, content: MessageContent): void;
  askAgain(messageId: string): void;
}

export interface UserMessageProps {
  readonly shown: ShownMessage;
  /** False while a turn of the thread runs. */
  readonly canChange: boolean;
  readonly actions: MessageActions;
}

/** A message of the user, which can be edited and sent as another version. */
export function UserMessage({ shown, canChange, actions }: UserMessageProps) {
  const [isEdited, setEdited] = useState(false);
  const { message } = shown;
  const text = message.parts.map(part => (part.type === 'text' ? part.text : '')).join('');
  const files = message.parts.filter(part => part.type === 'file');
  if (isEdited && canChange) {
    return (
      <MessageEditor
        text={text}
        files={files}
        onCancel={() => setEdited(false)}
        onSend={content => {
          setEdited(false);
          actions.edit(message.id, content);
        }}
      />
    );
  }
  return (
    <div className="user-turn">
      <article className="message user" aria-label="You">
        <AttachmentList files={files} />
        {text !== '' && <p>{text}</p>}
      </article>
      <div className="message-actions">
        <MessageVersions shown={shown} onShow={actions.show} />
        <button
          type="button"
          className="icon-button"
          aria-label="Edit this message"
          title="Edit and send as another version"
          disabled={!canChange}
          onClick={() => setEdited(true)}
        >
          <Icon name="edit" />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="Answer this message again"
          title="Answer this message again"
          disabled={!canChange}
          onClick={() => actions.askAgain(message.id)}
        >
          <Icon name="again" />
        </button>
        <CopyButton label="Copy the message" text={() => toMarkdown(message)} />
      </div>
    </div>
  );
}

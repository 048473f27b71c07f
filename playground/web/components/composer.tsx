import { type Ref, useState } from 'react';
import { MAX_MESSAGE_CHARACTERS } from '../../shared/playground-state.js';
import { formatCount } from '../lib/format.js';
import { Icon } from './icon.js';

export interface ComposerProps {
  readonly ref: Ref<HTMLTextAreaElement>;
  readonly initialText: string;
  readonly isRunning: boolean;
  readonly modelId: string | undefined;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

/** The message field. Enter sends, Shift+Enter inserts a line break, Escape stops. */
export function Composer({ ref, initialText, isRunning, modelId, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState(initialText);
  const isTooLong = text.trim().length > MAX_MESSAGE_CHARACTERS;
  const send = (): void => {
    if (isRunning || isTooLong || text.trim() === '') return;
    onSend(text.trim());
    setText('');
  };
  return (
    <form
      className="composer"
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={ref}
        aria-label="Message"
        aria-keyshortcuts="/"
        placeholder={modelId === undefined ? 'Message' : `Message ${modelId}`}
        rows={1}
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      {isRunning ? (
        <button type="button" className="button danger" aria-keyshortcuts="Escape" onClick={onStop}>
          <Icon name="stop" /> Stop
        </button>
      ) : (
        <button type="submit" className="button primary" disabled={isTooLong || text.trim() === ''}>
          <Icon name="send" /> Send
        </button>
      )}
      {isTooLong && (
        <p className="note problem" role="alert">
          The message has {formatCount(text.trim().length)} characters. The playground accepts{' '}
          {formatCount(MAX_MESSAGE_CHARACTERS)}.
        </p>
      )}
      <p className="keys" aria-hidden="true">
        <kbd>Enter</kbd> sends · <kbd>Shift</kbd> <kbd>Enter</kbd> new line · <kbd>Esc</kbd> stops ·{' '}
        <kbd>/</kbd> focuses this field
      </p>
    </form>
  );
}

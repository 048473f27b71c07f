import type { ComponentProps } from 'react';
import type { AttachmentsHook } from './use-attachments.js';

export interface MessageTextProps extends ComponentProps<'textarea'> {
  readonly attachments: AttachmentsHook;
  readonly onSend: () => void;
}

/** The text of a message. Enter sends, Shift+Enter inserts a line break, and pasted files are attached. */
export function MessageText({ attachments, onSend, onKeyDown, ...props }: MessageTextProps) {
  return (
    <textarea
      {...props}
      onPaste={event => {
        if (event.clipboardData.files.length === 0) return;
        event.preventDefault();
        void attachments.add(event.clipboardData.files);
      }}
      onKeyDown={event => {
        onKeyDown?.(event);
        if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
        event.preventDefault();
        if (!event.repeat) onSend();
      }}
    />
  );
}

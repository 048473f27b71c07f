import type { ReactNode } from 'react';
import { Icon } from './icon.js';

export interface ToolbarProps {
  readonly conversationId: string;
  readonly isEmpty: boolean;
  readonly children: ReactNode;
}

/** Provider selection and downloads of a conversation. */
export function Toolbar({ conversationId, isEmpty, children }: ToolbarProps) {
  return (
    <header className="toolbar">
      {children}
      <span className="spacer" />
      {!isEmpty && (
        <>
          <a
            className="button"
            href={`/api/conversations/${conversationId}/export`}
            download
            title="The conversation with its traces, as JSON"
          >
            <Icon name="download" /> <span className="button-text">Export</span>
          </a>
          <a
            className="button"
            href={`/api/conversations/${conversationId}/fixture`}
            download
            title="Requests and streams for a bug report, without secrets or names of this computer"
          >
            <Icon name="bug" /> <span className="button-text">Bug report</span>
          </a>
        </>
      )}
    </header>
  );
}

import { useState } from 'react';
import type { InspectedMessage } from '../../shared/mcp-inspection.js';
import { CopyButton } from '../ui/copy-button.js';
import { toClock } from '../ui/format.js';
import { JsonTree } from '../ui/json-tree.js';
import { saveFile } from '../ui/save-file.js';
import { summarize } from './mcp-traffic.js';

/** The messages of both directions, the newest first. */
export function MessageList({ messages }: { messages: readonly InspectedMessage[] }) {
  const [open, setOpen] = useState<number>();
  if (messages.length === 0) return <p className="quiet">No message has been sent yet.</p>;
  return (
    <>
      <div className="button-row">
        <CopyButton label="Copy all messages" text={() => JSON.stringify(messages, null, 2)} />
        <button
          type="button"
          className="copy-button"
          onClick={() =>
            saveFile(
              'json-rpc.json',
              new Blob([JSON.stringify(messages, null, 2)], { type: 'application/json' }),
            )
          }
        >
          Download
        </button>
      </div>
      <ol className="mcp-messages">
        {messages.toReversed().map(({ number, direction, time, message }) => (
          <li key={number}>
            <button
              type="button"
              className="mcp-message"
              aria-expanded={open === number}
              onClick={() => setOpen(open === number ? undefined : number)}
            >
              <time>{toClock(time)}</time>
              <span className="tag">{direction}</span>
              <code>{summarize(message)}</code>
            </button>
            {open === number && <JsonTree value={message} label={`Message ${number}`} />}
          </li>
        ))}
      </ol>
    </>
  );
}

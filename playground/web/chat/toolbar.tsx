import { type ReactNode, useEffect, useState } from 'react';
import { formatCost } from '../../shared/cost.js';
import type { Conversation, PlaygroundMessage } from '../../shared/playground-state.js';
import type { PageHook } from '../page/use-page.js';
import { callApi } from '../page/api.js';
import { saveFile } from '../ui/save-file.js';
import { toConversationMarkdown } from './conversation-markdown.js';
import { formatNumberOf } from '../ui/format.js';
import { CodeDialog } from './code-dialog.js';
import { CopyButton } from '../ui/copy-button.js';
import { Dialog } from '../ui/dialog.js';
import { Icon } from '../ui/icon.js';
import { paths, toLink } from '../page/routes.js';
import { describeFailure } from '../../shared/failure.js';

export interface ToolbarProps {
  readonly conversationId: string;
  readonly page: PageHook;
  readonly children: ReactNode;
}

const reports = {
  export: {
    title: 'Export',
    icon: 'download',
    file: 'conversation',
    hint: 'The conversation with its traces, as JSON',
  },
  fixture: {
    title: 'Bug report',
    icon: 'bug',
    file: 'bug-report',
    hint: 'Requests and streams for a bug report, without names of this computer',
  },
} as const;

type ReportKind = keyof typeof reports;

/** Provider selection, cost, code and downloads of a conversation. */
export function Toolbar({ conversationId, page, children }: ToolbarProps) {
  const [open, setOpen] = useState<ReportKind | 'code'>();
  const close = (): void => setOpen(undefined);
  const { state, conversation } = page;
  const usages = conversation?.usages ?? [];
  return (
    <>
      <header className="toolbar">
        <h2 className="hidden">Conversation</h2>
        {children}
        <span className="spacer" />
        {state !== undefined && usages.length > 0 && (
          <a
            className="button"
            title="Cost of all responses of this conversation, with their other versions. Opens the prices."
            {...toLink(paths.settings)}
          >
            <Icon name="coins" /> <span>{formatCost(usages, state.prices)}</span>
          </a>
        )}
        <button
          type="button"
          className="button"
          title="The next request as TypeScript and as curl"
          onClick={() => setOpen('code')}
        >
          <Icon name="code" /> <span className="button-text">Code</span>
        </button>
        {conversation && (
          <CopyButton label="Copy the conversation as Markdown" text={() => toMarkdownOf(conversation)} />
        )}
        {conversation &&
          (['export', 'fixture'] as const).map(kind => (
            <button
              key={kind}
              type="button"
              className="button"
              title={reports[kind].hint}
              onClick={() => setOpen(kind)}
            >
              <Icon name={reports[kind].icon} /> <span className="button-text">{reports[kind].title}</span>
            </button>
          ))}
      </header>
      {(open === 'export' || open === 'fixture') && (
        <ReportDialog kind={open} conversationId={conversationId} onClose={close} />
      )}
      {open === 'code' && <CodeDialog conversationId={conversationId} onClose={close} />}
    </>
  );
}

/** The export has no secrets, unlike the messages of the user on the page, which can be sent again. */
async function toMarkdownOf({ id, threads }: Conversation): Promise<string> {
  const { title, messages: exported } = await callApi<{
    title: string;
    messages: readonly { thread: string; message: PlaygroundMessage }[];
  }>(`/conversations/${id}/export`);
  const sides = Object.entries(threads).map(([thread, messages]) => {
    const start = messages.flatMap(({ outline }) => outline).findLast(event => event.type === 'turn-start');
    return {
      ...(thread !== 'main' && { title: start === undefined ? thread : `${start.flag} · ${start.modelId}` }),
      messages: exported.filter(one => one.thread === thread).map(({ message }) => message),
    };
  });
  return toConversationMarkdown(title, sides);
}

/** Shows a report before it is downloaded. The downloaded file is the text that was reviewed. */
function ReportDialog({
  kind,
  conversationId,
  onClose,
}: {
  kind: ReportKind;
  conversationId: string;
  onClose: () => void;
}) {
  const { title, file, hint } = reports[kind];
  const [text, setText] = useState<string>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const controller = new AbortController();
    callApi(`/conversations/${conversationId}/${kind}`, { signal: controller.signal })
      .then(report => setText(JSON.stringify(report, null, 2)))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setProblem(describeFailure(error));
      });
    return () => controller.abort();
  }, [conversationId, kind]);

  const download = (): void => {
    saveFile(`${file}-${conversationId}.json`, new Blob([text ?? ''], { type: 'application/json' }));
    onClose();
  };
  const marks = text?.split('[redacted]').length ?? 1;
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        {hint}. {formatNumberOf(marks - 1, 'secret')} found and redacted. No search finds every secret, so
        read the text before you share it.
      </p>
      {problem !== undefined && <p className="note problem">{problem}</p>}
      <textarea
        className="input code-input"
        aria-label={`Text of the report: ${title}`}
        rows={20}
        readOnly
        spellCheck={false}
        value={text ?? 'Loading …'}
      />
      <footer className="button-row">
        <button type="button" className="button primary" disabled={text === undefined} onClick={download}>
          <Icon name="download" /> Download
        </button>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
      </footer>
    </Dialog>
  );
}

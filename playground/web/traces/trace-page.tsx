import { useState } from 'react';
import type { Trace } from '../../shared/trace.js';
import { callApi, fetchApi } from '../page/api.js';
import { Missing } from '../page/missing.js';
import { navigate, paths, toLink } from '../page/routes.js';
import type { PageHook } from '../page/use-page.js';
import { Icon } from '../ui/icon.js';
import { Loading, LoadingFailed } from '../ui/list-state.js';
import { saveFile } from '../ui/save-file.js';
import { Select } from '../ui/select.js';
import { revealCall } from '../chat/reveal-call.js';
import { TraceView, TurnTitle } from './inspector.js';
import { TurnDialogue } from './turn-dialogue.js';
import { type StoredTrace, useStoredTrace } from './use-stored-trace.js';
import { Problem } from '../ui/problem.js';
import { describeFailure } from '../../shared/failure.js';

export interface TracePageProps {
  readonly messageId: string;
  readonly page: Pick<PageHook, 'state' | 'conversations'>;
}

/** One stored turn: what was asked and answered, timeline, tokens and wire, with its downloads and its replay. */
export function TracePage({ messageId, page }: TracePageProps) {
  const { stored, isMissing, problem, retry } = useStoredTrace(messageId, page.conversations);
  if (isMissing) {
    return (
      <main className="content">
        <Missing title="There is no such trace" path={paths.traces} link="All traces">
          No turn has the id {messageId}. Its chat may have been deleted, or the turn is still running.
        </Missing>
      </main>
    );
  }
  if (stored === undefined) {
    return (
      <main className="content">
        {problem === undefined ? (
          <Loading what="the trace" />
        ) : (
          <LoadingFailed onRetry={retry}>The trace was not loaded: {problem}</LoadingFailed>
        )}
      </main>
    );
  }
  const { trace, conversationId, question, message } = stored;
  return (
    <main className="content trace-page inspector">
      <nav aria-label="Place">
        <a {...toLink(paths.traces)}>All traces</a> ›{' '}
        <a {...toLink(paths.chat(conversationId, messageId))}>{stored.title}</a>
      </nav>
      <header className="inspector-head">
        <TurnTitle trace={trace} />
        <TraceActions messageId={messageId} stored={stored} page={page} />
      </header>
      <TurnDialogue question={question} message={message} trace={trace} />
      <TraceView live={{ trace, beganAt: toBeganAt(trace) }} onShowCall={revealCall} />
    </main>
  );
}

/** The time of this page at which a turn began that still runs in an application. */
const toBeganAt = ({ startedAt = '', end }: Trace): number =>
  end === undefined ? performance.now() - (Date.now() - Date.parse(startedAt)) : 0;

interface TraceActionsProps extends TracePageProps {
  readonly stored: StoredTrace;
}

function TraceActions({ messageId, stored: { trace }, page: { state } }: TraceActionsProps) {
  const [fault, setFault] = useState('none');
  const [problem, setProblem] = useState<string>();
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
      setProblem(undefined);
    } catch (error) {
      setProblem(describeFailure(error));
    }
  };
  const download = (path: string, name: string): Promise<void> =>
    attempt(async () => {
      const response = await fetchApi(path);
      if (!response.ok)
        throw new Error(
          ((await response.json().catch(() => ({}))) as { error?: string }).error ??
            `The playground answered ${response.status}.`,
        );
      saveFile(name, await response.blob());
    });
  const replay = (): Promise<void> =>
    attempt(async () => {
      const { conversationId } = await callApi<{ conversationId: string }>(`/traces/${messageId}/replay`, {
        method: 'POST',
        body: { fault },
      });
      navigate(paths.chat(conversationId));
    });
  const isReplayable = trace.exchanges.length > 0 && !trace.isRecordingDeleted;
  const faults = (state?.faults ?? []).filter(({ isReplayable }) => isReplayable);
  return (
    <div className="button-row">
      <label className="inline-field">
        <span>Fault</span>
        <Select
          aria-label="Fault"
          value={fault}
          choices={[
            { value: 'none', title: 'None' },
            ...faults.map(({ name, title }) => ({ value: name, title })),
          ]}
          onChange={setFault}
        />
      </label>
      <button
        type="button"
        className="button primary"
        disabled={!isReplayable}
        title="Runs the turn again in the emulator with its recorded responses. Each tool call waits for your approval."
        onClick={() => void replay()}
      >
        <Icon name="again" /> Replay
      </button>
      <button
        type="button"
        className="button"
        disabled={!isReplayable}
        title="A file for vitest that replays the recording"
        onClick={() => void download(`/traces/${messageId}/test`, `trace-${messageId.slice(0, 8)}.test.ts`)}
      >
        <Icon name="download" /> Save as test
      </button>
      <button
        type="button"
        className="button"
        onClick={() => void download(`/traces/${messageId}/otlp`, `trace-${messageId}.otlp.json`)}
      >
        <Icon name="download" /> OpenTelemetry
      </button>
      <Problem>{problem}</Problem>
    </div>
  );
}

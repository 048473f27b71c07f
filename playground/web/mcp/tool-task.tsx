import { useState } from 'react';
import { describeFailure } from '../../shared/failure.js';
import type { InspectedMessage, PastCall, TaskState, TaskView } from '../../shared/mcp-inspection.js';
import { callApi } from '../page/api.js';
import { CallResult, CallStatus } from './call-outcome.js';
import { findOpenTool } from './mcp-traffic.js';
import { Problem } from '../ui/problem.js';

const stateNames: Readonly<Record<TaskState, string>> = {
  working: 'Working',
  input_required: 'Input required',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export const isEnded = ({ state }: TaskView): boolean =>
  state === 'completed' || state === 'failed' || state === 'cancelled';

export interface ToolTasksProps {
  readonly path: string;
  /** The tasks of one tool, the newest first. */
  readonly tasks: readonly TaskView[];
  readonly messages: readonly InspectedMessage[];
  readonly history: readonly PastCall[];
}

/** The running tasks of a tool, and the newest task if it has ended. */
export const ToolTasks = ({ path, tasks, messages, history }: ToolTasksProps) =>
  tasks
    .filter((task, index) => index === 0 || !isEnded(task))
    .map(task => (
      <ToolTask
        key={task.number}
        path={path}
        task={task}
        blocker={task.isSent ? undefined : findOpenTool(messages)}
        call={history.find(({ number }) => number === task.number)}
      />
    ));

interface ToolTaskProps {
  readonly path: string;
  readonly task: TaskView;
  readonly blocker: string | undefined;
  readonly call: PastCall | undefined;
}

function ToolTask({ path, task, blocker, call }: ToolTaskProps) {
  const { number, state, message, progress, problem } = task;
  const [failure, setFailure] = useState<string>();
  const cancel = (): void => {
    callApi(`${path}/tasks/${number}/cancel`, { method: 'POST' }).then(
      () => setFailure(undefined),
      (error: unknown) => setFailure(describeFailure(error)),
    );
  };
  const shownProblem = problem ?? failure;
  return (
    <section aria-label={`Task ${number}`}>
      <h3>
        Task {number}{' '}
        <span className="tag" data-state={state}>
          {stateNames[state]}
        </span>
      </h3>
      {message !== undefined && <p className="server-message">{message}</p>}
      {!isEnded(task) && (
        <>
          {state === 'working' && <CallStatus progress={progress} blocker={blocker} />}
          {shownProblem !== undefined && <Problem>The task was not cancelled: {shownProblem}</Problem>}
          <div className="button-row">
            <button type="button" className="button" onClick={cancel}>
              Cancel the task
            </button>
          </div>
        </>
      )}
      {isEnded(task) && call !== undefined && <CallResult {...call} path={path} state={stateNames[state]} />}
    </section>
  );
}

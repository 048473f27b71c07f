import type { McpTools } from 'kelivo-responses/mcp';
import { randomUUID } from 'node:crypto';
import { describeFailure } from '../../shared/failure.js';
import type { Handshake, InspectedMessage, TaskState, TaskView } from '../../shared/mcp-inspection.js';
import { toPageWords } from '../page-words.js';
import type { HostRequests } from './host-requests.js';

/** The calls of tools that one server runs as tasks. They go on while no page shows them. */
export interface Tasks {
  /** Sends the call, and follows the task to its end. */
  start(toolName: string, input: Record<string, unknown>, options: { number: number }): void;
  /** Asks the server to end a task. Returns false if no such task is running. */
  cancel(number: number): boolean;
  /** Ends all tasks, because their connection has ended. */
  fail(): void;
  /** Reads what the client declares, and the progress of tasks. */
  read(message: Pick<InspectedMessage, 'direction' | 'message'>): void;
  /** The newest first. */
  list(): readonly TaskView[];
}

export interface TasksOptions {
  /** Sends a request to the server. */
  readonly send: (request: TaskRequest) => ReturnType<McpTools['sendRequest']>;
  /** The first exchange of the connection, which has the capabilities of the server. */
  readonly handshake: () => Handshake | undefined;
  readonly requests: HostRequests;
  /** Called when the call begins, with the id that the requests of the server name. */
  readonly onStart: (toolCallId: string, toolName: string) => void;
  readonly onEnd: (task: EndedTask) => void;
}

type TaskRequest = Parameters<McpTools['sendRequest']>[1];

export interface EndedTask {
  readonly number: number;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Record<string, unknown>;
  readonly duration: number;
  readonly isError: boolean;
  /** The result of the server, or the text of an error. */
  readonly result: unknown;
}

interface Task {
  view: TaskView;
  readonly toolCallId: string;
  readonly input: Record<string, unknown>;
  readonly ending: AbortController;
  /** The id of the server. Undefined until it has accepted the call. */
  id?: string;
  /** The name of the call in the notifications of its progress. Undefined until it is sent. */
  token?: unknown;
  /** The names of requests of the task that the user has responded to. */
  readonly responded: Set<string>;
  /** Ends the wait for the user, or for the next look at the state. */
  wake: () => void;
}

interface Capabilities {
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** The fields of a JSON-RPC message that matter here. */
interface Body {
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>> & {
    readonly _meta?: { readonly [CAPABILITIES]?: Capabilities; readonly progressToken?: unknown };
  };
}

/** A task in the form of either revision. */
interface Snapshot {
  readonly taskId: string;
  readonly status: TaskState;
  readonly statusMessage?: string;
  /** Revision 2025-11-25. */
  readonly pollInterval?: number;
  /** The extension of revision 2026-07-28, which has the outcome in the task. */
  readonly pollIntervalMs?: number;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params: never }>>;
}

const EXTENSION = 'io.modelcontextprotocol/tasks';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** Ended tasks that are kept. Their results are in the history of their tools. */
const MAX_ENDED = 20;

/** Milliseconds between two looks at the state of a task, unless the server suggests others. */
const POLL_INTERVAL = { default: 1000, minimum: 100, maximum: 30_000 };

/** The form of tasks that a server has: that of revision 2025-11-25, or the extension of revision 2026-07-28. */
export function toTaskForm(handshake: Handshake | undefined): 'core' | 'extension' | undefined {
  const { capabilities = {} } = (handshake?.result ?? {}) as { capabilities?: TaskCapabilities };
  if (handshake?.method === 'server/discover')
    return capabilities.extensions?.[EXTENSION] === undefined ? undefined : 'extension';
  return capabilities.tasks?.requests?.tools?.call === undefined ? undefined : 'core';
}

interface TaskCapabilities extends Capabilities {
  readonly tasks?: { readonly requests?: { readonly tools?: { readonly call?: unknown } } };
}

const isEnded = (state: TaskState): boolean => ['completed', 'failed', 'cancelled'].includes(state);

export function createTasks({ send, handshake, requests, onStart, onEnd }: TasksOptions): Tasks {
  const tasks: Task[] = [];
  let declared: Capabilities = {};
  const show = (task: Task, change: Partial<TaskView>): void => {
    task.view = { ...task.view, ...change };
  };

  async function request(task: Task, method: string, params: object, isCall = false) {
    const isExtension = toTaskForm(handshake()) === 'extension';
    const extensions = { ...declared.extensions, [EXTENSION]: {} };
    const _meta = { [CAPABILITIES]: { ...declared, extensions } };
    return send({
      method,
      params: { ...params, ...(isExtension && { _meta }) },
      signal: task.ending.signal,
      ...(isCall && { toolCallId: task.toolCallId }),
    });
  }

  /** Returns the result of the server. */
  async function follow(task: Task): Promise<unknown> {
    const { toolName } = task.view;
    const isExtension = toTaskForm(handshake()) === 'extension';
    const call = { name: toolName, arguments: task.input, ...(!isExtension && { task: {} }) };
    const created = await request(task, 'tools/call', call, true);
    let current = (isExtension ? created : created.task) as Snapshot | undefined;
    // The server decides whether a call is a task.
    if (typeof current?.taskId !== 'string') return created;
    const { taskId } = current;
    task.id = taskId;
    /** Requests of a server of revision 2025-11-25 arrive while the result is requested. */
    let early: Promise<unknown> | undefined;
    for (;;) {
      const { status, statusMessage } = current;
      if (isEnded(status)) break;
      show(task, { state: status, message: statusMessage });
      if (status === 'input_required') {
        if (isExtension) await respond(task, current);
        else early ??= request(task, 'tasks/result', { taskId }, true).catch(() => (early = undefined));
      }
      await waitForPoll(task, current);
      current = (await request(task, 'tasks/get', { taskId })) as unknown as Snapshot;
    }
    const { status, statusMessage, result, error } = current;
    show(task, { message: statusMessage });
    if (status === 'cancelled') throw new CancelledTask();
    if (!isExtension) return (await early) ?? (await request(task, 'tasks/result', { taskId }));
    if (status === 'failed') throw new Error(error?.message ?? 'The server reported no reason.');
    return result;
  }

  /** Asks the user for what a task of the extension requires. */
  async function respond(task: Task, { taskId, inputRequests = {} }: Snapshot): Promise<void> {
    const { responded, toolCallId } = task;
    const withdrawal = new AbortController();
    task.wake = () => withdrawal.abort();
    const context = { toolCallId, signal: AbortSignal.any([task.ending.signal, withdrawal.signal]) };
    const open = Object.entries(inputRequests).filter(([key]) => !responded.has(key));
    const responses = open.map(async ([key, { method, params }]) => {
      if (method === 'elicitation/create')
        return [key, await requests.onElicitation(params, context)] as const;
      if (method === 'sampling/createMessage')
        return [key, await requests.onSampling(params, context)] as const;
      throw new Error(
        `The task requires a response to ${JSON.stringify(method)}, which the playground does not give.`,
      );
    });
    try {
      const inputResponses = Object.fromEntries(await Promise.all(responses));
      if (open.length > 0) await request(task, 'tasks/update', { taskId, inputResponses });
      for (const [key] of open) responded.add(key);
    } catch (error) {
      if (!withdrawal.signal.aborted) throw error;
    }
  }

  async function run(task: Task): Promise<void> {
    const startedAt = performance.now();
    const { number, toolName } = task.view;
    const { toolCallId, input } = task;
    onStart(toolCallId, toolName);
    let state: TaskState = 'completed';
    let result: unknown;
    try {
      result = await follow(task);
      if ((result as { isError?: unknown } | undefined)?.isError === true) state = 'failed';
    } catch (error) {
      state = error instanceof CancelledTask ? 'cancelled' : 'failed';
      result = toPageWords(describeFailure(error));
    }
    // A request that still waits ends with the task.
    task.ending.abort();
    const duration = Math.round(performance.now() - startedAt);
    onEnd({ number, toolCallId, toolName, input, duration, isError: state !== 'completed', result });
    show(task, { state, duration });
    for (const ended of tasks.filter(({ view }) => isEnded(view.state)).slice(MAX_ENDED))
      tasks.splice(tasks.indexOf(ended), 1);
  }

  const isRunning = ({ view }: Task): boolean => !isEnded(view.state);

  return {
    start(toolName, input, { number }) {
      const view: TaskView = { number, toolName, time: Date.now(), state: 'working' };
      const task: Task = {
        view,
        input,
        toolCallId: randomUUID(),
        ending: new AbortController(),
        responded: new Set(),
        wake: () => {},
      };
      task.ending.signal.addEventListener('abort', () => task.wake());
      tasks.unshift(task);
      void run(task);
    },
    cancel(number) {
      const task = tasks.find(one => one.view.number === number && isRunning(one));
      if (task === undefined) return false;
      if (task.id === undefined) task.ending.abort(new CancelledTask());
      else
        request(task, 'tasks/cancel', { taskId: task.id })
          .then(
            () => show(task, { problem: undefined }),
            error => show(task, { problem: toPageWords(describeFailure(error)) }),
          )
          .finally(() => task.wake());
      return true;
    },
    fail() {
      for (const task of tasks.filter(isRunning))
        task.ending.abort(
          new Error('The connection to the server has ended, so the result of the task is unknown.'),
        );
    },
    read({ direction, message }) {
      const { method, params = {} } = message as Body;
      const { _meta = {}, progressToken: token, progress, total, message: text } = params;
      const { [CAPABILITIES]: capabilities, progressToken } = _meta;
      if (direction === 'sent') {
        declared = capabilities ?? declared;
        if (method !== 'tools/call' || (params.task ?? capabilities?.extensions?.[EXTENSION]) === undefined)
          return;
        const task = tasks.findLast(one => one.token === undefined && one.view.toolName === params.name);
        if (task === undefined) return;
        task.token = progressToken;
        show(task, { isSent: true });
      } else if (method === 'notifications/progress' && typeof progress === 'number') {
        const task = tasks.find(one => one.token !== undefined && one.token === token && isRunning(one));
        if (task === undefined) return;
        show(task, {
          progress: {
            progress,
            ...(typeof total === 'number' && { total }),
            ...(typeof text === 'string' && { message: text }),
          },
        });
      }
    },
    list: () => tasks.map(({ view }) => view),
  };
}

class CancelledTask extends Error {
  override readonly message = 'The task was cancelled.';
}

/** Waits until the state of a task is looked at again. */
function waitForPoll(task: Task, { pollInterval, pollIntervalMs = pollInterval }: Snapshot): Promise<void> {
  const { default: usual, minimum, maximum } = POLL_INTERVAL;
  const delay = Math.min(Math.max(pollIntervalMs ?? usual, minimum), maximum);
  return new Promise(resolve => {
    const timer = setTimeout(resolve, delay);
    task.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

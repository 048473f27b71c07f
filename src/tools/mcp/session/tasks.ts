import type { Client } from '@modelcontextprotocol/client';
import { toDigest } from '../../../core/shared/hash.js';
import { objectOf, type PlainObject, stringOf } from '../../../core/shared/json.js';
import type { McpServerConfig } from '../config/config.js';
import { readStoredSession, type McpStoredSession } from '../transport/stored-session.js';

/** A task at a server: of revision 2025-11-25 (`v1`), or of the extension of revision 2026-07-28 (`v2`). */
export interface TaskHandle {
  readonly taskId: string;
  readonly generation: 'v1' | 'v2';
}

/** A task, where it is known, and the session in which it was created: servers may bind one to the other. */
export interface TaskReference extends TaskHandle {
  readonly endpoint: string;
  readonly session?: McpStoredSession | undefined;
}

interface TaskServer {
  readonly serverName: string;
  readonly config: McpServerConfig;
}

const TASKS = 'io.modelcontextprotocol/tasks';

/** The capability of a client that follows tasks. */
export const tasksCapability = { [TASKS]: {} };

/** Returns the task that a server created instead of a result. */
export function toTaskHandle(result: PlainObject): TaskHandle | undefined {
  const generation = result.resultType === 'task' ? 'v2' : 'v1';
  const task = generation === 'v2' ? result : objectOf(result.task);
  const taskId = stringOf(task?.taskId);
  return taskId === '' ? undefined : { taskId, generation };
}

/** Returns true if the server declares that it can run calls as tasks. */
export function declaresTasks(session: { client: Client }): boolean {
  const { tasks, extensions } = session.client.getServerCapabilities() ?? {};
  return takesTasks({ client: session.client })
    ? tasks?.requests?.tools?.call !== undefined
    : hasKey(extensions, TASKS);
}

/** Returns true if the client decides which calls are tasks. Since revision 2026-07-28, the server does. */
export const takesTasks = (session: { client: Client }): boolean =>
  session.client.getProtocolEra() === 'legacy';

const hasKey = (object: object | undefined, key: string): boolean =>
  object !== undefined && Object.hasOwn(object, key);

/** Returns where a task was created, without secrets except the session id. */
export const toTaskOrigin = async (
  server: TaskServer,
  session: { stored: McpStoredSession | undefined },
): Promise<Omit<TaskReference, keyof TaskHandle>> => ({
  endpoint: await toEndpoint(server),
  session: session.stored,
});

/** Identifies a server. An id must not be sent to another one, which could have a task with the same id. */
const toEndpoint = ({ serverName, config }: TaskServer): Promise<string> =>
  toDigest([
    serverName,
    'url' in config ? config.url : [config.command, config.args ?? [], config.cwd ?? null],
  ]);

/** Reads the record of a task. Returns undefined if it was created by another server. */
export async function readTaskReference(
  record: unknown,
  server: TaskServer,
): Promise<TaskReference | undefined> {
  const { taskId, generation, endpoint, session } = objectOf(record) ?? {};
  if ((generation !== 'v1' && generation !== 'v2') || endpoint !== (await toEndpoint(server)))
    return undefined;
  return { taskId: stringOf(taskId), generation, endpoint, session: readStoredSession(session) };
}

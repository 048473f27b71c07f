import type { InspectedMessage } from '../../shared/mcp-inspection.js';

/** The fields of a JSON-RPC message that the page reads. */
interface Body {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

/** Progress of a call, as its server has reported it. */
export interface CallProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Returns the method and the id of a message in one line. */
export function summarize(message: unknown): string {
  const { method, id, error } = message as Body;
  const kind = method ?? (error === undefined ? 'result' : 'error');
  return id === undefined ? kind : `${kind} #${id}`;
}

/** Returns the last progress of the last call of a tool after a message. */
export function findProgress(
  messages: readonly InspectedMessage[],
  { toolName, after }: { toolName: string; after: number },
): CallProgress | undefined {
  const bodies = messages.filter(({ number }) => number > after).map(({ message }) => message as Body);
  const call = bodies.findLast(({ method, params }) => method === 'tools/call' && params?.name === toolName);
  const { progressToken: token } = (call?.params?._meta ?? {}) as { progressToken?: unknown };
  if (token === undefined) return undefined;
  const params = bodies.findLast(
    ({ method, params: sent }) => method === 'notifications/progress' && sent?.progressToken === token,
  )?.params;
  if (typeof params?.progress !== 'number') return undefined;
  const { progress, total, message } = params;
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
}

/** Returns the number of the last announcement of a changed list, or 0. */
export const findLastChange = (
  messages: readonly InspectedMessage[],
  list: 'resources' | 'prompts',
): number =>
  messages.findLast(({ message }) => (message as Body).method === `notifications/${list}/list_changed`)
    ?.number ?? 0;

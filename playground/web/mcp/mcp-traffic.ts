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

/** Returns the calls of a tool with their responses and their progress. */
export function messagesOfTool(
  messages: readonly InspectedMessage[],
  toolName: string,
): readonly InspectedMessage[] {
  const ids = new Set<unknown>();
  const tokens = new Set<unknown>();
  return messages.filter(({ direction, message }) => {
    const { id, method, params } = message as Body;
    if (direction === 'sent' && method === 'tools/call' && params?.name === toolName) {
      ids.add(id);
      const { progressToken } = (params._meta ?? {}) as { progressToken?: unknown };
      if (progressToken !== undefined) tokens.add(progressToken);
      return true;
    }
    if (method === 'notifications/progress') return tokens.has(params?.progressToken);
    if (method === 'notifications/cancelled') return ids.has(params?.requestId);
    // Both sides count their requests, so a response to the server can have the same id.
    return direction === 'received' && method === undefined && ids.has(id);
  });
}

/** Returns the number of the last announcement of a changed resource, or 0. */
export const findLastUpdate = (messages: readonly InspectedMessage[], uri: string | undefined): number =>
  messages.findLast(({ message }) => {
    const { method, params } = message as Body;
    return method === 'notifications/resources/updated' && params?.uri === uri;
  })?.number ?? 0;

/** Returns the number of the last announcement of a changed list, or 0. */
export const findLastChange = (
  messages: readonly InspectedMessage[],
  list: 'resources' | 'prompts',
): number =>
  messages.findLast(({ message }) => (message as Body).method === `notifications/${list}/list_changed`)
    ?.number ?? 0;

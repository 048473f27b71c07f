import type { CallProgress, InspectedMessage } from '../../shared/mcp-inspection.js';

/** The fields of a JSON-RPC message that the page reads. */
interface Body {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
  readonly result?: { readonly taskId?: unknown; readonly task?: { readonly taskId?: unknown } };
}

/** Returns the method and the id of a message in one line. */
export function summarize(message: unknown): string {
  const { method, id, error } = message as Body;
  const kind = method ?? (error === undefined ? 'result' : 'error');
  return id === undefined ? kind : `${kind} #${id}`;
}

/** A call of a tool after a message. */
export interface CallPlace {
  readonly toolName: string;
  readonly after: number;
}

/** Returns the request of the last call of a tool, if it has been sent. */
const findCall = (messages: readonly InspectedMessage[], { toolName, after }: CallPlace): Body | undefined =>
  messages
    .filter(({ number, direction }) => number > after && direction === 'sent')
    .map(({ message }) => message as Body)
    .findLast(({ method, params }) => method === 'tools/call' && params?.name === toolName);

/** Returns the tool of a call that the server has not responded to. */
export function findOpenTool(messages: readonly InspectedMessage[]): string | undefined {
  const open = new Map<unknown, string>();
  for (const { direction, message } of messages) {
    const { id, method, params } = message as Body;
    // A new connection has none of the earlier calls.
    if (method === 'initialize' || method === 'server/discover') open.clear();
    if (method === 'notifications/cancelled') open.delete(params?.requestId);
    if (direction === 'sent' && method === 'tools/call') open.set(id, String(params?.name));
    if (direction === 'received' && method === undefined) open.delete(id);
  }
  return [...open.values()][0];
}

/** Returns the tool whose call has to end before a call is sent, if it has not been sent. */
export const findBlocker = (messages: readonly InspectedMessage[], call: CallPlace): string | undefined =>
  findCall(messages, call) === undefined ? findOpenTool(messages) : undefined;

/** Returns the last progress of the last call of a tool. */
export function findProgress(
  messages: readonly InspectedMessage[],
  place: CallPlace,
): CallProgress | undefined {
  const { _meta } = findCall(messages, place)?.params ?? {};
  const { progressToken: token } = (_meta ?? {}) as { progressToken?: unknown };
  if (token === undefined) return undefined;
  const { params } =
    messages
      .filter(({ number }) => number > place.after)
      .map(({ message }) => message as Body)
      .findLast(
        ({ method, params: sent }) => method === 'notifications/progress' && sent?.progressToken === token,
      ) ?? {};
  if (typeof params?.progress !== 'number') return undefined;
  const { progress, total, message } = params;
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
}

/** Returns the calls of a tool with their responses, their progress and their tasks. */
export function messagesOfTool(
  messages: readonly InspectedMessage[],
  toolName: string,
): readonly InspectedMessage[] {
  const ids = new Set<unknown>();
  const tokens = new Set<unknown>();
  const tasks = new Set<unknown>();
  return messages.filter(({ direction, message }) => {
    const { id, method, params, result } = message as Body;
    if (direction === 'sent' && params?.taskId !== undefined && tasks.has(params.taskId)) {
      ids.add(id);
      return true;
    }
    if (direction === 'sent' && method === 'tools/call' && params?.name === toolName) {
      ids.add(id);
      const { progressToken } = (params._meta ?? {}) as { progressToken?: unknown };
      if (progressToken !== undefined) tokens.add(progressToken);
      return true;
    }
    if (method === 'notifications/progress') return tokens.has(params?.progressToken);
    if (method === 'notifications/cancelled') return ids.has(params?.requestId);
    // Both sides count their requests, so a response to the server can have the same id.
    const isResponse = direction === 'received' && method === undefined && ids.has(id);
    if (isResponse) tasks.add(result?.taskId ?? result?.task?.taskId);
    return isResponse;
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

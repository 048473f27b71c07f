import { type MouseEvent, useCallback } from 'react';
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location';

/** A page and its parameters, read from the address. Names are decoded. */
export type Route =
  | { readonly page: 'start' }
  | { readonly page: 'chat'; readonly conversationId: string; readonly messageId?: string }
  | {
      readonly page: 'servers';
      readonly server?: string;
      /** @default the tools */
      readonly part?: ServerPart;
      /** The tool or the resource. */
      readonly item?: string;
    }
  | { readonly page: 'traces' }
  | { readonly page: 'trace'; readonly messageId: string }
  | { readonly page: 'trace-comparison' }
  | { readonly page: 'settings' }
  | { readonly page: 'unknown' };

export const SERVER_PARTS = [
  'tools',
  'resources',
  'prompts',
  'messages',
  'stderr',
  'sign-in',
  'connection',
] as const;
export type ServerPart = (typeof SERVER_PARTS)[number];

/**
 * Reads a path. Names of servers and tools may contain `/` and `%`, so each part is decoded alone.
 *
 * @internal
 */
export function toRoute(path: string): Route {
  const parts = path.split('/').slice(1).map(decode);
  if (parts.includes(undefined)) return { page: 'unknown' };
  const [page = '', first = '', second = '', third = '', ...rest] = parts as string[];
  if (rest.length > 0) return { page: 'unknown' };
  switch (page) {
    case '':
      return { page: 'start' };
    case 'chats':
      if (first === '') return { page: 'start' };
      if (second === '') return { page: 'chat', conversationId: first };
      return second === 'turns' && third !== ''
        ? { page: 'chat', conversationId: first, messageId: third }
        : { page: 'unknown' };
    case 'servers': {
      if (first === '') return { page: 'servers' };
      const part = second === '' ? 'tools' : SERVER_PARTS.find(name => name === second);
      if (part === undefined) return { page: 'unknown' };
      return { page: 'servers', server: first, part, ...(third !== '' && { item: third }) };
    }
    case 'traces':
      if (second !== '') return { page: 'unknown' };
      if (first === 'compare') return { page: 'trace-comparison' };
      return first === '' ? { page: 'traces' } : { page: 'trace', messageId: first };
    case 'settings':
      return first === '' ? { page: 'settings' } : { page: 'unknown' };
    default:
      return { page: 'unknown' };
  }
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

const toPath = (...parts: readonly string[]): string => `/${parts.map(encodeURIComponent).join('/')}`;

export const paths = {
  chat: (conversationId: string, messageId?: string): string =>
    messageId === undefined
      ? toPath('chats', conversationId)
      : toPath('chats', conversationId, 'turns', messageId),
  servers: '/servers',
  server: (server: string, part: ServerPart = 'tools', item?: string): string =>
    toPath('servers', server, part, ...(item === undefined ? [] : [item])),
  traces: '/traces',
  trace: (messageId: string, exchange?: number): string =>
    toPath('traces', messageId) + (exchange === undefined ? '' : `?request=${exchange}`),
  comparison: (first: string, second: string): string =>
    `/traces/compare?${new URLSearchParams({ a: first, b: second }).toString()}`,
  settings: '/settings',
};

export const useRoute = (): Route => toRoute(usePathname());

export { navigate };

/** The properties of a link inside the page. Other buttons and keys open it in another tab, as in any link. */
export const toLink = (path: string, onFollow?: () => void) => ({
  href: path,
  onClick(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onFollow?.();
    navigate(path);
  },
});

/** A value in the query of the address, which a reload and a copied address keep. */
export function useQueryValue(name: string): readonly [string, (value: string) => void] {
  const value = new URLSearchParams(useSearch()).get(name) ?? '';
  const change = useCallback(
    (next: string): void => {
      const query = new URLSearchParams(location.search);
      if (next === '') query.delete(name);
      else query.set(name, next);
      const text = query.toString();
      navigate(location.pathname + (text === '' ? '' : `?${text}`), { replace: true });
    },
    [name],
  );
  return [value, change];
}

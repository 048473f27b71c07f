/** Suggests the name of a server that was added without one. */
export const toServerName = (
  server: { readonly url: string } | { readonly command: string; readonly args: readonly string[] },
): string =>
  'url' in server ? nameOfUrl(new URL(server.url)) : nameOfCommand([server.command, ...server.args]);

/** Adds a number to a name that is in use. */
export function toFreeName(name: string, used: { has(name: string): boolean }): string {
  let free = name;
  for (let number = 2; used.has(free); number++) free = `${name}-${number}`;
  return free;
}

/** `https://mcp.example.com/sse` suggests `example`. */
function nameOfUrl({ hostname }: URL): string {
  const parts = hostname.split('.').filter(part => !/^(www|mcp|api)$/.test(part));
  return /^[\d.]+$|:/.test(hostname) ? 'server' : (parts.at(-2) ?? parts[0] ?? 'server');
}

const RUNNER = /^(npx|bunx|uvx|node|bun|deno|python3?|docker|run|dlx|pnpm|yarn|uv|exec)(\.exe)?$/;

/** Parts of a path that say nothing about a program. */
const GENERIC = /^(index|main|cli|start|dist|build|src|lib|bin|server)(\.\w+)?$/;

/** `npx -y @scope/server-files@1.0` suggests `files`, and `node server-files/dist/index.js` the same. */
function nameOfCommand(words: readonly string[]): string {
  const split = (word: string): string[] => word.split(/[/\\]/).filter(part => part !== '');
  const word =
    words.find(each => !each.startsWith('-') && !RUNNER.test(split(each).at(-1) ?? '')) ??
    words[0] ??
    'server';
  const parts = split(word.replace(/(?<=.)@[^/]*$/, ''));
  const base = parts.findLast(part => !GENERIC.test(part)) ?? parts.at(-1) ?? word;
  return base.replace(/\.\w+$/, '').replace(/^(mcp-)?server-|^mcp-|-mcp(-server)?$/g, '') || 'server';
}

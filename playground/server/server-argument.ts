import type { NewServer } from './mcp/servers.js';

/** Options of the playground that have a value. */
const VALUED: ReadonlySet<string> = new Set(['--port', '--data']);

/**
 * Divides the arguments into those of the playground, and the command or the URL of an MCP server behind them, whose options
 * are its own.
 *
 * @throws Error for a URL with arguments or of another protocol.
 */
export function splitArguments(args: readonly string[]): {
  readonly own: string[];
  readonly server?: NewServer;
} {
  let start = 0;
  while (start < args.length && args[start]?.startsWith('-') && args[start] !== '--')
    start += VALUED.has(args[start] ?? '') ? 2 : 1;
  const own = args.slice(0, start);
  const [first, ...others] = args.slice(args[start] === '--' ? start + 1 : start);
  if (first === undefined) return { own };
  if (!/^[a-z][\w+.-]*:\/\//i.test(first)) return { own, server: { command: first, args: others } };
  if (!/^https?:/i.test(first) || !URL.canParse(first))
    throw new Error(`Expected the URL of an MCP server to begin with http:// or https://, got ${first}.`);
  if (others.length > 0)
    throw new Error(`Expected nothing after the URL of an MCP server, got ${others.join(' ')}.`);
  return { own, server: { url: first } };
}

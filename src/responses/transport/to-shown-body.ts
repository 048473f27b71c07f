import { isFilled, isRecord } from '../stream/wire-values.js';

/** Fields of hosted tools that hold secrets: how the server signs in to an MCP server. */
const SECRET_FIELDS = ['authorization', 'headers'];

/**
 * A request body as errors and the host's metadata may show it: hosted MCP tools bring the credentials of their
 * servers along.
 */
export function toShownBody(body: unknown): { body: unknown; secrets: string[] } {
  if (!isRecord(body) || !isFilled(body.tools)) return { body, secrets: [] };
  const secrets: string[] = [];
  const tools = body.tools.map(tool => {
    if (!isRecord(tool) || !SECRET_FIELDS.some(name => tool[name] !== undefined)) return tool;
    return Object.fromEntries(
      Object.entries(tool).map(([name, value]) => [name, SECRET_FIELDS.includes(name) ? hide(value) : value]),
    );
  });
  return secrets.length === 0 ? { body, secrets } : { body: { ...body, tools }, secrets };

  function hide(value: unknown): unknown {
    if (isRecord(value))
      return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, hide(field)]));
    if (typeof value !== 'string') return value;
    secrets.push(...[value, value.replace(/^\w+ +/, '')].filter(secret => secret.length >= 4));
    return '[redacted]';
  }
}

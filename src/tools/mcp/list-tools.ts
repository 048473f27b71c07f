import * as z from 'zod/v4';
import type { ToolDefinition } from '../tool-source.js';
import type { McpSession } from './session.js';
import { quoteName } from './quote-name.js';
import { readTool, type ToolProblem } from './read-tool.js';
import { type RequestLimits, sendRequest } from './request.js';

/** What a server offers, under its own names. */
export interface ServerTools {
  readonly tools: readonly ToolDefinition[];
  /** What is wrong with the rest. */
  readonly problems: readonly ToolProblem[];
}

/** No honest server has as many pages. */
const maxPages = 100;

/** No honest server has as many tools, and no model could choose among them. */
const maxTools = 1000;

// Loose on purpose: the SDK's schema loses all tools of a server for one malformed one.
const pageSchema = z.looseObject({
  tools: z.array(z.unknown()).optional(),
  nextCursor: z.string().nullish(),
});

/** Reads all pages of a server's tool list. */
export async function listTools(session: McpSession, limits: RequestLimits): Promise<ServerTools> {
  if (!session.client.getServerCapabilities()?.tools) return { tools: [], problems: [] };

  const entries: unknown[] = [];
  const problems: ToolProblem[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const request = { method: 'tools/list' as const, params: cursor === undefined ? {} : { cursor } };
    const page = await sendRequest(session, { request, schema: pageSchema }, limits);
    for (const entry of page.tools ?? []) if (entries.length <= maxTools) entries.push(entry);
    if (entries.length > maxTools) {
      problems.push({ text: `lists more than ${maxTools} tools; the first ${maxTools} are used` });
      break;
    }
    cursor = page.nextCursor ?? undefined;
    if (cursor === undefined) break;
    if (cursors.has(cursor) || cursors.size >= maxPages) {
      problems.push({ text: 'lists its tools without end; what came so far is used' });
      break;
    }
    cursors.add(cursor);
  }
  return withoutFaulty(entries.slice(0, maxTools), { problems });
}

function withoutFaulty(entries: readonly unknown[], { problems }: { problems: ToolProblem[] }): ServerTools {
  const tools = new Map<string, ToolDefinition>();
  for (const entry of entries) {
    const read = readTool(entry);
    if ('text' in read) problems.push(read);
    else if (tools.has(read.name)) problems.push(toDoubleProblem(read));
    else tools.set(read.name, read);
  }
  return { tools: [...tools.values()], problems };
}

function toDoubleProblem({ name }: ToolDefinition): ToolProblem {
  return { toolName: name, text: `offers two tools named ${quoteName(name)}; the first is used` };
}

import type { JSONSchema7 } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import type { ToolDefinition } from '../tool-source.js';
import type { McpSession } from './create-session.js';
import { type RequestLimits, sendRequest } from './send-request.js';

/** What a server offers, under its own names. */
export interface ServerTools {
  readonly tools: readonly ToolDefinition[];
  /** What is wrong with the rest, each as a clause that follows the server's name. */
  readonly problems: readonly string[];
}

/** No honest server has as many pages. */
const maxPages = 100;

// Loose on purpose: the SDK's schema loses all tools of a server for one malformed one.
const pageSchema = z.looseObject({
  tools: z.array(z.unknown()).optional(),
  nextCursor: z.string().nullish(),
});

const toolSchema = z.object({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()).nullish(),
  annotations: z.record(z.string(), z.unknown()).optional().catch(undefined),
  execution: z.object({ taskSupport: z.string().optional() }).optional().catch(undefined),
});

/** Reads all pages of a server's tool list. */
export async function listTools(session: McpSession, limits: RequestLimits): Promise<ServerTools> {
  if (!session.client.getServerCapabilities()?.tools) return { tools: [], problems: [] };

  const entries: unknown[] = [];
  const problems: string[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const request = { method: 'tools/list' as const, params: cursor === undefined ? {} : { cursor } };
    const page = await sendRequest(session, { request, schema: pageSchema }, limits);
    entries.push(...(page.tools ?? []));

    cursor = page.nextCursor ?? undefined;
    if (cursor === undefined) break;
    if (cursors.has(cursor) || cursors.size >= maxPages) {
      problems.push('lists its tools without end; what came so far is used');
      break;
    }
    cursors.add(cursor);
  }
  return withoutMalformed(entries, { problems });
}

function withoutMalformed(entries: readonly unknown[], { problems }: { problems: string[] }): ServerTools {
  const tools = new Map<string, ToolDefinition>();
  for (const entry of entries) {
    const { data, error } = toolSchema.safeParse(entry);
    const problem = data
      ? findProblem(data, tools)
      : `offers a malformed tool${toLabel(entry)} (${toReason(error)})`;
    if (problem !== undefined) problems.push(problem);
    else if (data) tools.set(data.name, toDefinition(data));
  }
  return { tools: [...tools.values()], problems };
}

type ListedTool = z.output<typeof toolSchema>;

function findProblem(tool: ListedTool, known: ReadonlyMap<string, unknown>): string | undefined {
  const name = JSON.stringify(tool.name);
  if (known.has(tool.name)) return `offers two tools named ${name}; the first is used`;
  if (tool.execution?.taskSupport === 'required')
    return `offers the tool ${name} only as an MCP task, which is not supported`;
  const type = tool.inputSchema?.type;
  if (type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object')))
    return undefined;
  return `offers the tool ${name} with an input schema of type ${JSON.stringify(type)} in place of "object"`;
}

function toDefinition({
  name,
  title,
  description,
  inputSchema,
  annotations = {},
}: ListedTool): ToolDefinition {
  const readOnly = annotations.readOnlyHint === true;
  return {
    name,
    description: description ?? title,
    // The wire carries JSON, and the model's side checks what it needs of a schema.
    inputSchema: { properties: {}, ...inputSchema, type: 'object' } as JSONSchema7,
    readOnly,
    destructive: !readOnly && annotations.destructiveHint === true, // means nothing for a read-only tool
    idempotent: annotations.idempotentHint === true,
  };
}

function toLabel(entry: unknown): string {
  const { name }: { name?: unknown } = Object(entry);
  return typeof name === 'string' && name !== '' ? ` ${JSON.stringify(name)}` : '';
}

function toReason(error: z.ZodError | undefined): string {
  const issue = error?.issues[0];
  return issue ? `${issue.path.join('.') || 'entry'}: ${issue.message}` : 'unknown';
}

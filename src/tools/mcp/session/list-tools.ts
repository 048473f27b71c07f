import type { JSONSchema7 } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import { type JSONObject, objectOf, stringOf } from '../../../core/shared/json.js';
import { toStandardSchema } from '../../../core/tool-calls/standard-schema.js';
import type { ToolDefinition } from '../../tool-source.js';
import { isFor, toApp } from './apps.js';
import { declaresTasks } from './tasks.js';
import { requestOriginal } from '../transport/messages.js';
import { findParamHeaderIssue } from '../transport/param-headers.js';
import { type RequestLimits, sendRequest, toMetaField } from './request.js';
import type { McpSession } from './session.js';
import { isWithinBounds, quoteName, toPlainText } from '../transport/untrusted-input.js';

/** The tools that a server offers, under its own names. */
export interface ServerTools {
  readonly tools: readonly ToolDefinition[];
  /** Reasons why other tools are missing. */
  readonly problems: readonly ToolProblem[];
  /** True if the server has resources. */
  readonly hasResources: boolean;
  /** The tools that MCP Apps of the server may call. Those for apps alone are not among `tools`. */
  readonly appTools: readonly ToolDefinition[];
  /** Time for which the list is valid unless the server announces a change, in milliseconds. */
  readonly freshFor: number;
}

/** A problem in a server's tool list. */
export interface ToolProblem {
  /** The tool that is missing because of it, if it has a name. */
  readonly toolName?: string;
  /** A clause that follows the server's name. */
  readonly text: string;
}

/** Far more pages than real servers have. */
const maxPages = 100;

/** Far more tools than real servers have, and more than a model can choose from. */
const maxTools = 1000;

/** The MCP specification recommends at most 128 characters. */
const maxNameLength = 256;

/** Several times the longest known description. Every request to the model contains all descriptions. */
const maxDescriptionLength = 10_000;

/** The largest known schemas have some tens of thousands of characters and a dozen levels. */
const schemaBounds = { maxDepth: 100, maxSize: 256 * 1024 };

/** Larger metadata is omitted. Hosts write the metadata of tools into messages. */
const metaBounds = { maxDepth: 50, maxSize: 64 * 1024 };

/** Maximum time for which a list is considered fresh, in milliseconds: one day, as in the SDK. */
const maxFreshness = 24 * 60 * 60 * 1000;

/**
 * Time after which a list of a server of the previous revisions is read again if no stream for announcements is open,
 * in milliseconds.
 */
const unannouncedFreshness = 30_000;

// Intentionally loose: the SDK's schema rejects all tools of a server because of one malformed tool.
const pageSchema = z.looseObject({
  tools: z.array(z.unknown()).optional(),
  nextCursor: z.string().nullish(),
  ttlMs: z.number().catch(0).default(0),
});

/**
 * Reads all pages of a server's tool list. From revision 2026-07-28 on, the list is fresh as long as all of its pages
 * (https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching). Before, it is valid until the
 * server announces a change, or for a limited time if nothing would announce it.
 */
export async function listTools(session: McpSession, limits: RequestLimits): Promise<ServerTools> {
  const { tools, resources } = session.client.getServerCapabilities() ?? {};
  const hasResources = resources !== undefined;
  if (tools === undefined)
    return { tools: [], problems: [], appTools: [], hasResources, freshFor: Number.POSITIVE_INFINITY };

  let freshUntil = Number.POSITIVE_INFINITY;
  const entries: unknown[] = [];
  const problems: ToolProblem[] = [];
  const cursors = new Set<string>();
  let previousNames: string | undefined;
  for (let cursor: string | undefined; ;) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await sendRequest(
      session,
      {
        facts: { method: 'tools/list' },
        send: (client, options, _retry, meta) =>
          requestOriginal(
            client,
            { method: 'tools/list', params: { ...params, ...toMetaField(meta) } },
            { schema: pageSchema, options },
          ),
      },
      limits,
    );
    // An empty cursor is one, but some servers mean the end by it, and send the same page again.
    const names = page.tools?.map(tool => stringOf(objectOf(tool)?.name)).join('\n');
    if (cursor === '' && page.nextCursor === '' && names === previousNames) break;
    previousNames = names;
    const freshness = Math.min(Math.max(page.ttlMs, 0), maxFreshness);
    freshUntil = Math.min(freshUntil, Date.now() + freshness);
    for (const entry of page.tools ?? []) if (entries.length <= maxTools) entries.push(entry);
    if (entries.length > maxTools) {
      problems.push({ text: `lists more than ${maxTools} tools; only the first ${maxTools} are used` });
      break;
    }
    cursor = page.nextCursor ?? undefined;
    if (cursor === undefined) break;
    if (cursors.has(cursor) || cursors.size >= maxPages) {
      problems.push({
        text: 'lists its tools on an endless number of pages; the tools read so far are used',
      });
      break;
    }
    cursors.add(cursor);
  }
  const legacyFreshness = session.changesUnannounced ? unannouncedFreshness : Number.POSITIVE_INFINITY;
  return {
    ...readTools(entries.slice(0, maxTools), {
      problems,
      usesHeaders: session.sendsParamHeaders,
      runsTasks: declaresTasks(session),
    }),
    hasResources,
    freshFor: session.client.getProtocolEra() === 'modern' ? freshUntil - Date.now() : legacyFreshness,
  };
}

interface ReadOptions {
  /** Arguments are repeated as headers, so a tool that requests invalid ones cannot be called. */
  usesHeaders: boolean;
  /** The server can run calls as tasks. */
  runsTasks: boolean;
}

function readTools(
  entries: readonly unknown[],
  { problems, ...options }: ReadOptions & { problems: ToolProblem[] },
): Pick<ServerTools, 'tools' | 'problems' | 'appTools'> {
  const tools = new Map<string, { tool: ToolDefinition; meta: unknown }>();
  for (const entry of entries) {
    const read = readTool(entry, options);
    if ('text' in read) problems.push(read);
    else if (tools.has(read.name)) {
      const text = `offers two tools named ${quoteName(read.name)}; only the first is used`;
      problems.push({ toolName: read.name, text });
    } else tools.set(read.name, { tool: read, meta: objectOf(entry)?._meta });
  }
  const toolsFor = (caller: 'model' | 'app') =>
    [...tools.values()].flatMap(entry => (isFor(caller, entry.meta) ? [entry.tool] : []));
  return { tools: toolsFor('model'), problems, appTools: toolsFor('app') };
}

const toolSchema = z.object({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()).nullish(),
  outputSchema: z.record(z.string(), z.unknown()).optional().catch(undefined),
  annotations: z.record(z.string(), z.unknown()).optional().catch(undefined),
  execution: z.object({ taskSupport: z.string().optional() }).optional().catch(undefined),
  _meta: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

type ListedTool = z.output<typeof toolSchema>;

/** Reads one entry of a tool list. Fields that are not needed may be malformed. */
function readTool(entry: unknown, options: ReadOptions): ToolDefinition | ToolProblem {
  const { data, error } = toolSchema.safeParse(entry);
  if (data) {
    // If the API rejected one schema, the request would fail, including the tools of all other servers.
    const tool = { ...data, inputSchema: data.inputSchema && toStandardSchema(data.inputSchema) };
    return findProblem(tool, options) ?? toDefinition(tool, options);
  }
  const name = objectOf(entry)?.name;
  const reason = toReason(error);
  return typeof name === 'string' && name !== ''
    ? { toolName: name, text: `offers a malformed tool ${quoteName(name)} (${reason})` }
    : { text: `offers a malformed tool (${reason})` };
}

function findProblem(
  { name, inputSchema, execution }: ListedTool,
  options: ReadOptions,
): ToolProblem | undefined {
  const toProblem = (text: string): ToolProblem => ({ toolName: name, text });
  const tool = `the tool ${quoteName(name)}`;

  if (name.length > maxNameLength)
    return toProblem(`offers ${tool} with a name of ${name.length} characters`);
  if (/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name))
    return toProblem(`offers ${tool} with invisible characters in its name`);
  if (execution?.taskSupport === 'required' && !options.runsTasks)
    return toProblem(`offers ${tool} only as a task, but does not declare that it runs tasks`);
  if (!isWithinBounds(inputSchema, schemaBounds)) {
    return toProblem(
      `offers ${tool} with an input schema of more than ${schemaBounds.maxDepth} levels or ${schemaBounds.maxSize} characters`,
    );
  }
  const type = inputSchema?.type;
  const isObject =
    type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isObject) {
    const kind = Array.isArray(type) ? 'array' : typeof type;
    const shown = typeof type === 'string' ? quoteName(type) : `${kind} value`;
    return toProblem(`offers ${tool} with an input schema of type ${shown} instead of "object"`);
  }
  const headerIssue = options.usesHeaders ? findParamHeaderIssue(inputSchema) : undefined;
  return headerIssue === undefined ? undefined : toProblem(`offers ${tool} with ${headerIssue}`);
}

function toDefinition(
  { name, title, description, inputSchema, outputSchema, annotations = {}, execution, _meta }: ListedTool,
  options: ReadOptions,
): ToolDefinition {
  const taskSupport = options.runsTasks ? execution?.taskSupport : undefined;
  const meta = isWithinBounds(_meta, metaBounds) ? _meta : undefined;
  const app = toApp(meta);
  const shownTitle = title ?? annotations.title;
  const { properties, required, ...rest } = inputSchema ?? {};
  const schema = { ...rest, type: 'object', properties: properties ?? {}, ...(required ? { required } : {}) };
  return {
    name,
    description: toDescription(description ?? title),
    // The value comes from JSON, and its consumers check the keywords that they use.
    inputSchema: schema as JSONSchema7,
    ...(outputSchema &&
      isWithinBounds(outputSchema, schemaBounds) && { outputSchema: outputSchema as JSONSchema7 }),
    readOnly: toHint(annotations.readOnlyHint),
    destructive: toHint(annotations.destructiveHint),
    idempotent: toHint(annotations.idempotentHint),
    openWorld: toHint(annotations.openWorldHint),
    ...((taskSupport === 'optional' || taskSupport === 'required') && { taskSupport }),
    // Only hosts use the rest, which has the shape of `@ai-sdk/mcp`.
    metadata: {
      toolName: name,
      ...(typeof shownTitle === 'string' && { title: toPlainText(shownTitle.slice(0, maxNameLength)) }),
      ...(app && { app }),
    },
    ...(meta && { _meta: meta as JSONObject }),
  };
}

const toHint = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

function toDescription(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= maxDescriptionLength) return text && toPlainText(text);
  const kept = toPlainText(text.slice(0, maxDescriptionLength));
  return `${kept} … (${text.length - maxDescriptionLength} more characters omitted)`;
}

function toReason(error: z.ZodError | undefined): string {
  const issue = error?.issues[0];
  if (!issue) return 'unknown';
  const [key = 'entry'] = issue.path; // the server chose all further keys
  return `${String(key)}: ${issue.message}`;
}

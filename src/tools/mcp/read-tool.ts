import type { JSONSchema7 } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import type { ToolDefinition } from '../tool-source.js';
import { isWithinBounds } from './is-within.js';
import { quoteName } from './quote-name.js';
import { toPlainText } from './untrusted-input.js';

/** What is wrong with a server's list. */
export interface ToolProblem {
  /** The tool that is missing for it, when it has a name. */
  readonly toolName?: string;
  /** A clause that follows the server's name. */
  readonly text: string;
}

/** The MCP specification recommends at most 128 characters. */
const maxNameLength = 256;

/** Several times the longest description seen in use; the model pays for every word of it in every request. */
const maxDescriptionLength = 10_000;

/** The largest schemas in use have some tens of thousands of characters and a dozen levels. */
const schemaBounds = { maxDepth: 100, maxSize: 256 * 1024 };

const toolSchema = z.object({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()).nullish(),
  annotations: z.record(z.string(), z.unknown()).optional().catch(undefined),
  execution: z.object({ taskSupport: z.string().optional() }).optional().catch(undefined),
});

// One schema that the API does not take would cost the whole request, and with it the tools of all servers.
const inputSchemaSchema = z.looseObject({
  properties: z.record(z.string(), z.union([z.record(z.string(), z.unknown()), z.boolean()])).nullish(),
  required: z.array(z.string()).nullish(), // Go writes its empty list as null
});

type ListedTool = z.output<typeof toolSchema>;

/** Reads one entry of a tool list, which is as loose as servers are. */
export function readTool(entry: unknown): ToolDefinition | ToolProblem {
  const { data, error } = toolSchema.safeParse(entry);
  if (data) return findProblem(data) ?? toDefinition(data);

  const { name }: { name?: unknown } = Object(entry);
  const reason = toReason(error);
  return typeof name === 'string' && name !== ''
    ? { toolName: name, text: `offers a malformed tool ${quoteName(name)} (${reason})` }
    : { text: `offers a malformed tool (${reason})` };
}

function findProblem({ name, inputSchema, execution }: ListedTool): ToolProblem | undefined {
  const toProblem = (text: string): ToolProblem => ({ toolName: name, text });
  const tool = `the tool ${quoteName(name)}`;

  if (name.length > maxNameLength)
    return toProblem(`offers ${tool} with a name of ${name.length} characters`);
  if (/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name))
    return toProblem(`offers ${tool} with invisible characters in its name`);
  if (execution?.taskSupport === 'required')
    return toProblem(`offers ${tool} only as an MCP task, which is not supported`);
  if (!isWithinBounds(inputSchema, schemaBounds)) {
    return toProblem(
      `offers ${tool} with an input schema of more than ${schemaBounds.maxDepth} levels or ${schemaBounds.maxSize} characters`,
    );
  }
  const type = inputSchema?.type;
  const isObject =
    type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isObject)
    return toProblem(`offers ${tool} with an input schema of type ${quoteType(type)} in place of "object"`);
  const { error } = inputSchemaSchema.safeParse(inputSchema ?? {});
  return error && toProblem(`offers ${tool} with a faulty input schema (${toReason(error)})`);
}

function toDefinition({
  name,
  title,
  description,
  inputSchema,
  annotations = {},
}: ListedTool): ToolDefinition {
  const readOnly = annotations.readOnlyHint === true;
  const { properties, required, ...rest } = inputSchema ?? {};
  const schema = { ...rest, type: 'object', properties: properties ?? {}, ...(required ? { required } : {}) };
  return {
    name,
    description: toDescription(description ?? title),
    // The wire carries JSON, and the model's side checks what it needs of a schema.
    inputSchema: schema as JSONSchema7,
    readOnly,
    destructive: !readOnly && annotations.destructiveHint === true, // means nothing for a read-only tool
    idempotent: annotations.idempotentHint === true,
  };
}

function toDescription(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= maxDescriptionLength) return text && toPlainText(text);
  const kept = toPlainText(text.slice(0, maxDescriptionLength));
  return `${kept} … (${text.length - maxDescriptionLength} more characters left out)`;
}

function quoteType(type: unknown): string {
  return typeof type === 'string' ? quoteName(type) : `${Array.isArray(type) ? 'array' : typeof type} kind`;
}

function toReason(error: z.ZodError | undefined): string {
  const issue = error?.issues[0];
  if (!issue) return 'unknown';
  const [key = 'entry'] = issue.path; // further keys are the server's own words
  return `${String(key)}: ${issue.message}`;
}

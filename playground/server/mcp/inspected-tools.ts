import type { ToolDefinition } from 'kelivo-responses/tool-loop';
import type { InspectedMessage, InspectedTool, ToolCallResult } from '../../shared/mcp-inspection.js';
import { findSchemaProblems } from './schema-check.js';

/** A tool as its server sent it. The definitions of the package lack what a model does not need. */
interface SentTool {
  readonly name?: string;
  readonly title?: string;
  readonly outputSchema?: object;
  readonly execution?: { readonly taskSupport?: unknown };
  readonly _meta?: { readonly ui?: { readonly visibility?: unknown } };
}

/** The tools of one server, with the properties that only their messages contain. */
export interface InspectedTools {
  /** Remembers the tools of a received list. */
  read(message: Pick<InspectedMessage, 'direction' | 'message'>): void;
  list(tools: readonly ToolDefinition[]): InspectedTool[];
  /** The names of the tools that apps may call, also of those that the package hides from the model. */
  forApps(): string[];
  /** Compares a result with the output schema of its tool. Undefined if the tool has none. */
  check(tool: ToolDefinition | undefined, result: unknown): ToolCallResult['structured'];
}

export function createInspectedTools(): InspectedTools {
  const sent = new Map<string, SentTool>();
  const sentOf = ({ name, originalName = name }: ToolDefinition): SentTool | undefined =>
    sent.get(originalName);
  return {
    read({ direction, message }) {
      const { result } = message as { result?: { tools?: unknown } };
      if (direction !== 'received' || !Array.isArray(result?.tools)) return;
      for (const tool of result.tools as SentTool[]) {
        if (typeof tool?.name === 'string') sent.set(tool.name, tool);
      }
    },
    list: tools => tools.map(tool => toInspectedTool(tool, sentOf(tool))),
    forApps: () =>
      [...sent].flatMap(([name, { _meta }]) => {
        const visibility = _meta?.ui?.visibility;
        return visibility === undefined || [visibility].flat().includes('app') ? [name] : [];
      }),
    check(tool, result) {
      const schema = tool && sentOf(tool)?.outputSchema;
      if (schema === undefined || typeof result !== 'object' || result === null) return undefined;
      const { structuredContent } = result as { structuredContent?: unknown };
      if (structuredContent === undefined)
        return { problem: 'The tool has an output schema, but its result has no structured content.' };
      const [first] = findSchemaProblems(schema, structuredContent);
      return first === undefined ? {} : { problem: [first.message, ...first.path].join(' – ') };
    },
  };
}

function toInspectedTool(definition: ToolDefinition, sent: SentTool | undefined): InspectedTool {
  const { name, description, inputSchema, metadata, _meta, readOnly, destructive, idempotent, openWorld } =
    definition;
  const hints = Object.entries({ readOnly, destructive, idempotent, openWorld });
  return {
    name,
    ...(typeof sent?.title === 'string' && { title: sent.title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(sent?.outputSchema !== undefined && { outputSchema: sent.outputSchema }),
    annotations: Object.fromEntries(
      hints.flatMap(([hint, value]) => (value === undefined ? [] : [[hint, value]])),
    ),
    ...(metadata?.app !== undefined && { app: metadata.app }),
    ...(sent?.execution?.taskSupport === 'optional' && { isTask: true }),
    ...(_meta !== undefined && { meta: _meta }),
  };
}

import type { ToolDefinition } from 'kelivo-responses/tool-loop';
import type { InspectedMessage, InspectedTool, ToolCallResult } from '../../shared/mcp-inspection.js';
import { findSchemaProblems } from './schema-check.js';
import type { toTaskForm } from './tasks.js';

/** A tool as its server sent it. The definitions of the package lack what a model does not need. */
interface SentTool {
  readonly name?: string;
  readonly title?: string;
  readonly outputSchema?: object;
  readonly execution?: { readonly taskSupport?: unknown };
  readonly _meta?: { readonly ui?: { readonly visibility?: unknown } };
  readonly description?: string;
  readonly inputSchema?: object;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

const HINTS = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const;

/** The tools of one server, with the properties that only their messages contain. */
export interface InspectedTools {
  /** Remembers the tools of a received list. */
  read(message: Pick<InspectedMessage, 'direction' | 'message'>): void;
  /** The names of the tools that apps may call, also of those that the package hides from the model. */
  forApps(): string[];
  /** @param taskForm The form of tasks that the server has. */
  list(
    tools: readonly ToolDefinition[],
    options: { taskForm: ReturnType<typeof toTaskForm> },
  ): InspectedTool[];
  /** Compares a result with the output schema of its tool. Undefined if the tool has none. */
  check(tool: ToolDefinition | undefined, result: unknown): ToolCallResult['structured'];
}

export function createInspectedTools(): InspectedTools {
  const sent = new Map<string, SentTool>();
  /** True while the next list is the first page of the tools. */
  let isFirst = false;
  const sentOf = ({ name, originalName = name }: ToolDefinition): SentTool | undefined =>
    sent.get(originalName);
  return {
    read({ direction, message }) {
      const { method, params, result } = message as {
        method?: string;
        params?: { cursor?: string };
        result?: { tools?: unknown };
      };
      if (direction === 'sent' && method === 'tools/list') isFirst = params?.cursor === undefined;
      if (direction !== 'received' || !Array.isArray(result?.tools)) return;
      if (isFirst) sent.clear();
      isFirst = false;
      for (const tool of result.tools as SentTool[]) {
        if (typeof tool?.name === 'string') sent.set(tool.name, tool);
      }
    },
    forApps: () =>
      [...sent].flatMap(([name, { _meta }]) => {
        const visibility = _meta?.ui?.visibility;
        return visibility === undefined || [visibility].flat().includes('app') ? [name] : [];
      }),
    list: (tools, { taskForm }) =>
      tools.map(tool => {
        const known = sentOf(tool);
        const support = known?.execution?.taskSupport;
        // The servers of the extension decide it for each call.
        const isOptional = taskForm === 'extension' || (taskForm === 'core' && support === 'optional');
        const task = support === 'required' ? support : isOptional ? 'optional' : undefined;
        return { ...toInspectedTool(tool, known), ...(task && { task }) };
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
  const { name, description, inputSchema, metadata, _meta } = definition;
  return {
    name,
    ...(typeof sent?.title === 'string' && { title: sent.title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(sent?.outputSchema !== undefined && { outputSchema: sent.outputSchema }),
    annotations: Object.fromEntries(
      HINTS.flatMap(hint => (definition[hint] === undefined ? [] : [[hint, definition[hint]]])),
    ),
    ...(metadata?.app !== undefined && { app: metadata.app }),
    ...(_meta !== undefined && { meta: _meta }),
  };
}

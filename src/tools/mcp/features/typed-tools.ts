import type * as z from 'zod/v4';
import { isPlainObject, type JSONValue, tryParseJson } from '../../../core/shared/json.js';
import {
  type HostCallOptions,
  type HostTool,
  type HostTools,
  type HostToolsOptions,
  readResult,
  toDefaultOutput,
} from '../../host-tools.js';

/** Schemas of tools by their names: Zod schemas of the application for the arguments and the results. */
export type McpToolSchemas = Readonly<
  Record<string, { readonly inputSchema: z.ZodType; readonly outputSchema?: z.ZodType }>
>;

/** Options of typed tools. */
export interface McpTypedToolsOptions<Schemas extends McpToolSchemas> extends HostToolsOptions {
  /**
   * Returns only these tools, with these schemas in place of those of the servers, so that arguments and results have their
   * types. With an `outputSchema`, the result of a tool is its structured content, or else the JSON of its text. A result that
   * does not match the schema is an error of the tool.
   */
  schemas: Schemas;
}

/** An executable tool whose arguments and results have the types of the application's schemas. */
export interface McpTypedTool<Input, Output> extends Omit<
  HostTool,
  'type' | 'inputSchema' | 'outputSchema' | 'execute' | 'toModelOutput'
> {
  /** The schema of the application. */
  readonly inputSchema: z.ZodType<Input>;
  readonly outputSchema?: z.ZodType<Output>;
  /** Runs the tool. Throws the text of an error. */
  execute(input: Input, options: HostCallOptions): Promise<Output>;
  /** Writes a result for the model. */
  toModelOutput(result: unknown): { type: 'text'; value: string };
}

/** Typed tools by name. A tool is missing if its server is not available, or does not offer it. */
export type McpTypedTools<Schemas extends McpToolSchemas> = {
  [Name in keyof Schemas]: McpTypedTool<
    z.output<Schemas[Name]['inputSchema']>,
    Schemas[Name]['outputSchema'] extends z.ZodType<infer Output> ? Output : JSONValue
  >;
};

/** Returns the tools with the schemas of the application, and the names of those that are missing. */
export function toTypedTools<Schemas extends McpToolSchemas>(
  tools: HostTools,
  schemas: Schemas,
): { tools: McpTypedTools<Schemas>; missing: string[] } {
  const names = Object.keys(schemas);
  const typed = names.flatMap(name => {
    const { [name]: tool } = tools;
    const { [name]: own } = schemas;
    return tool === undefined || own === undefined ? [] : [[name, toTypedTool(name, tool, own)] as const];
  });
  return {
    tools: Object.fromEntries(typed) as unknown as McpTypedTools<Schemas>,
    missing: names.filter(name => tools[name] === undefined),
  };
}

function toTypedTool(
  name: string,
  { type: _type, outputSchema: _schema, ...tool }: HostTool,
  { inputSchema, outputSchema }: McpToolSchemas[string],
): McpTypedTool<unknown, unknown> {
  if (outputSchema === undefined) return { ...tool, inputSchema };
  return {
    ...tool,
    inputSchema,
    outputSchema,
    async execute(input, options) {
      const value = toContent(await tool.execute(input, options));
      const result = await outputSchema['~standard'].validate(value);
      if (result.issues === undefined) return result.value;
      const [{ path = [], message } = { message: 'Invalid result' }] = result.issues;
      const place = path.map(step => String(typeof step === 'object' ? step.key : step)).join('.');
      throw new Error(
        `The result of the tool ${JSON.stringify(name)} does not match its \`outputSchema\`` +
          `${place === '' ? '' : ` at ${place}`}: ${message}. The tool has run.`,
      );
    },
    toModelOutput: result => toDefaultOutput(readResult(result).output),
  };
}

/** Returns the structured content of a result, or the JSON of its text. */
function toContent(result: JSONValue): unknown {
  if (typeof result === 'string') return tryParseJson(result) ?? result;
  if (!isPlainObject(result) || !Array.isArray(result.content)) return result;
  if (result.structuredContent !== undefined) return result.structuredContent;
  const texts = result.content.flatMap(block =>
    isPlainObject(block) && typeof block.text === 'string' ? [block.text] : [],
  );
  return texts.length === 1 ? (tryParseJson(texts.join('')) ?? result) : result;
}

import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';

/** A function tool of the request. */
export interface DeclaredTool {
  readonly name: string;
  /** The JSON Schema of its arguments. */
  readonly schema: unknown;
}

export type DeclaredTools = ReadonlyMap<string, DeclaredTool>;

/** The tools that a text may call: the functions of the request, unless it forbids calls. */
export function toDeclaredTools({
  tools = [],
  toolChoice,
}: Pick<LanguageModelV2CallOptions, 'tools' | 'toolChoice'>): DeclaredTools {
  if (toolChoice?.type === 'none') return new Map();
  return new Map(
    tools.flatMap(tool =>
      tool.type === 'function' ? [[tool.name, { name: tool.name, schema: tool.inputSchema }]] : [],
    ),
  );
}

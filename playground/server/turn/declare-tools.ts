import { jsonSchema, type ToolSet } from 'ai';
import { createLocalTools, createToolbox, type ToolSource } from 'kelivo-responses/tool-loop';
import { localTools } from '../../shared/local-tools.js';

/** A host that knows a tool shows its calls. The schema is open: the provider's own check is the one that counts. */
export async function declareTools(
  mcpTools: ToolSource,
  { signal }: { signal: AbortSignal },
): Promise<ToolSet> {
  const { tools } = await createToolbox([mcpTools, createLocalTools(localTools)]).listTools({ signal });
  return Object.fromEntries(
    tools.map(({ name, description }) => [
      name,
      { description, inputSchema: jsonSchema({ type: 'object' }) },
    ]),
  );
}

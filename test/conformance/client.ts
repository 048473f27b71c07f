// The client that the conformance suite starts, with the address of its server as the last argument: it lists the tools
// through `createMcpTools`, calls each of them and ends with 0 if every call succeeded.
import { createMcpTools } from '../../src/tools/mcp/index.js';
import type { ToolDefinition } from '../../src/tools/tool-source.js';

/** The suite's own time limit ends the shell alone, in milliseconds. */
const patience = 15_000;

setTimeout(() => process.exit(2), patience).unref();

const url = process.argv.at(-1) ?? '';
const tools = createMcpTools({ suite: { url } });
const { tools: offered, warnings } = await tools.listTools();
const failures = [...warnings];

for (const { name, inputSchema } of offered) {
  const output = await tools.callTool(
    { toolCallId: 'call_1', toolName: name, input: toArguments(inputSchema) },
    { signal: AbortSignal.timeout(patience) },
  );
  console.log(name, JSON.stringify(output));
  if (output.type === 'error-text') failures.push(output.value);
}
await tools.close();

for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

/** One argument for each property: a number for numbers, a text for all else. */
function toArguments({ properties = {} }: ToolDefinition['inputSchema']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const type = typeof schema === 'object' ? schema.type : undefined;
      return [name, type === 'number' || type === 'integer' ? 5 : 'x'];
    }),
  );
}

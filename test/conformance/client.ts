// The client that the conformance suite starts, with the address of its server as the last argument: it lists the tools
// through `createMcpTools`, calls each of them and ends with 0 if every call succeeded.
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { createMcpTools, type McpTools } from '../../src/tools/mcp/index.js';
import type { ToolDefinition, ToolListing } from '../../src/tools/tool-source.js';
import { createSignIn } from './sign-in.js';

/** The suite's own time limit ends the shell alone, in milliseconds. */
const patience = 15_000;

setTimeout(() => process.exit(2), patience).unref();

const url = process.argv.at(-1) ?? '';
const signIn = createSignIn(process.env.MCP_CONFORMANCE_CONTEXT);
// Only there: the other scenarios see the client as it is without callbacks.
const isAsked = process.env.MCP_CONFORMANCE_SCENARIO?.startsWith('elicitation');
const tools = createMcpTools(
  { suite: { url, authProvider: signIn.provider } },
  isAsked ? { onElicitation: () => ({ action: 'accept', content: {} }) } : {},
);
const { tools: offered, warnings } = await listSignedIn(tools);
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

/** A host does the same when the user comes back from the browser. */
async function listSignedIn(source: McpTools): Promise<ToolListing> {
  const listing = await source.listTools();
  const authorizationCode = signIn.takeCode();
  if (authorizationCode === undefined) return listing;
  await auth(signIn.provider, { serverUrl: url, authorizationCode });
  await source.close(); // forgets that the server has refused us
  return source.listTools();
}

/** One argument for each property: a number for numbers, a text for all else. */
function toArguments({ properties = {} }: ToolDefinition['inputSchema']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const { type }: { type?: unknown } = Object(schema);
      return [name, type === 'number' || type === 'integer' ? 5 : 'x'];
    }),
  );
}

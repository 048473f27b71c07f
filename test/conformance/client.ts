// The client that the conformance suite starts, with the URL of its server as the last argument. It lists the tools
// with `createMcpTools`, calls each tool and exits with 0 if all calls succeed.
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { createMcpTools, type McpTools } from '../../src/tools/mcp/index.js';
import type { ToolDefinition, ToolListing } from '../../src/tools/tool-source.js';
import { createSignIn } from './sign-in.js';

/** Time limit of the client, in milliseconds. The suite's own limit only ends the shell. */
const timeLimit = 15_000;

setTimeout(() => process.exit(2), timeLimit).unref();

const url = process.argv.at(-1) ?? '';
const signIn = createSignIn(process.env.MCP_CONFORMANCE_CONTEXT);
// Other scenarios test the client without callbacks.
const needsElicitation = process.env.MCP_CONFORMANCE_SCENARIO?.startsWith('elicitation');
const tools = createMcpTools(
  { suite: { url, authProvider: signIn.provider } },
  needsElicitation ? { onElicitation: () => ({ action: 'accept', content: {} }) } : {},
);
const { tools: offered, warnings } = await listSignedIn(tools);
const failures = [...warnings];

for (const { name, inputSchema } of offered) {
  const output = await tools.callTool(
    { toolCallId: 'call_1', toolName: name, input: toArguments(inputSchema) },
    { signal: AbortSignal.timeout(timeLimit) },
  );
  console.log(name, JSON.stringify(output));
  if (output.type === 'error-text') failures.push(output.value);
}
await tools.close();

for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Completes the sign-in as a host does when the user returns from the browser. */
async function listSignedIn(source: McpTools): Promise<ToolListing> {
  const listing = await source.listTools();
  const authorizationCode = signIn.takeCode();
  if (authorizationCode === undefined) return listing;
  await auth(signIn.provider, { serverUrl: url, authorizationCode });
  await source.close(); // resets the failed connection
  return source.listTools();
}

/** Returns one argument for each property: a number for numbers, and a string for other types. */
function toArguments({ properties = {} }: ToolDefinition['inputSchema']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const type = typeof schema === 'object' ? schema.type : undefined;
      return [name, type === 'number' || type === 'integer' ? 5 : 'x'];
    }),
  );
}

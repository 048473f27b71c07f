import { readFileSync } from 'node:fs';
import { createMcpTools } from 'kelivo-responses/mcp';

/** The dialogs and the reports of progress. */
export const observed = { dialogs: [], progress: 0 };

/** Each process has servers of its own, which start with the first use. */
const mcpTools = createMcpTools(JSON.parse(process.env.MCP_SERVERS), {
  onElicitation(request, { toolCallId }) {
    observed.dialogs.push(toolCallId);
    return { action: 'accept', content: { name: 'Ada', check: true, integer: 42 } };
  },
});

/** Kills the first process of the server during its first call. */
function onProgress() {
  observed.progress += 1;
  if (observed.progress === 1) process.kill(Number(readPids()[0]), 'SIGKILL');
}

export const readPids = () => readFileSync(process.env.MCP_PIDS, 'utf8').trim().split('\n');

const openTools = () => mcpTools.tools({ approvals: 'unless-read-only', onProgress, forWorkflowAgent: true });

/** Lists the tools as data, which is what steps return. */
export async function listTools() {
  'use step';
  return Object.entries(await openTools()).map(([name, { description, inputSchema }]) => ({
    name,
    description,
    schema: inputSchema.jsonSchema,
  }));
}

export async function needsApproval(name, input, toolCallId) {
  'use step';
  const { [name]: tool } = await openTools();
  return (await tool.needsApproval?.(input, { toolCallId })) === true;
}

/** Runs after the workflow has asked for the approval. */
export async function callTool(name, input, toolCallId) {
  'use step';
  const { [name]: tool } = await openTools();
  const output = await tool.execute(input, { toolCallId, context: undefined });
  return tool.toModelOutput({ toolCallId, input, output });
}
// A call that failed may have taken effect.
callTool.maxRetries = 0;

export async function observe() {
  'use step';
  return { ...observed, starts: readPids().length };
}

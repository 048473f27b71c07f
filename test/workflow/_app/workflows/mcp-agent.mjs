import { WorkflowAgent } from '@ai-sdk/workflow';
import { jsonSchema } from 'ai';
import { callTool, listTools, needsApproval, observe } from '../mcp-tools.mjs';
import { providers } from '../providers.mjs';

export async function useServers(messages) {
  'use workflow';
  const tools = (await listTools()).map(({ name, description, schema }) => [
    name,
    {
      description,
      inputSchema: jsonSchema(schema),
      needsApproval: (input, { toolCallId }) => needsApproval(name, input, toolCallId),
      execute: (input, { toolCallId }) => callTool(name, input, toolCallId),
      toModelOutput: ({ output }) => output,
    },
  ]);
  const agent = new WorkflowAgent({ model: providers.v4('gpt-5'), tools: Object.fromEntries(tools) });
  const result = await agent.stream({ messages });
  return { messages: result.messages, observed: await observe() };
}

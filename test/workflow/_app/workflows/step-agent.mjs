import { WorkflowAgent } from '@ai-sdk/workflow';
import { jsonSchema } from 'ai';
import { listStepTools, providers } from '../providers.mjs';

/** An agent whose tools the provider runs, in the steps that call the model. Only data crosses the boundary of the workflow. */
export async function bookSeats(turnId, content) {
  'use workflow';
  const tools = (await listStepTools()).map(({ name, ...tool }) => [
    name,
    { ...tool, inputSchema: jsonSchema({ type: 'object' }) },
  ]);
  const agent = new WorkflowAgent({
    model: providers.steps('gpt-5'),
    tools: Object.fromEntries(tools),
    providerOptions: { kelivo: { runBy: 'provider', turnId } },
  });
  const { messages, steps } = await agent.stream({ messages: [{ role: 'user', content }] });
  return { messages, steps: steps.length };
}

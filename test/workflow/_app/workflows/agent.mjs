import { WorkflowAgent } from '@ai-sdk/workflow';
import { z } from 'zod';
import { providers } from '../providers.mjs';

async function add({ a, b }) {
  'use step';
  return a + b;
}

export async function ask(provider, content) {
  'use workflow';
  const agent = new WorkflowAgent({
    model: providers[provider]('gpt-5'),
    tools: {
      add: {
        description: 'Adds two numbers',
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        execute: add,
      },
    },
  });
  const { messages } = await agent.stream({ messages: [{ role: 'user', content }] });
  return messages;
}

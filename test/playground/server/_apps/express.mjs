// An Express application with the official provider and `streamText` of `ai` 5.
import { createOpenAI } from '@ai-sdk/openai';
import { stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import express from 'express';
import { devTools } from 'kelivo-responses/devtools';
import * as z from 'zod';

const openai = createOpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'sk-of-the-application' });
const model = wrapLanguageModel({ model: openai('gpt-5'), middleware: devTools() });
const add = tool({
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => {
    if (process.env.TOOL_URL !== undefined) await fetch(process.env.TOOL_URL);
    return a + b;
  },
});

const app = express().use(express.text());
app.post('/', (request, response) => {
  const result = streamText({
    model,
    prompt: request.body,
    tools: { add },
    stopWhen: stepCountIs(5),
    maxRetries: 0,
    onError: () => {},
  });
  result.pipeTextStreamToResponse(response);
});
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));

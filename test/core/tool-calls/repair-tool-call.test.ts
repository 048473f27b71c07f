import type { JSONSchema7 } from '@ai-sdk/provider';
import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { repairToolCall } from '../../../src/core/tool-calls/index.js';
import { createKelivoResponsesProvider as createV3Provider } from '../../../src/v3.js';
import { serve, type TestServer } from '../../_server.js';
import { toSse } from '../../_sse.js';
import { functionCall, message, toStream } from '../../responses/stream/_fixtures/wire-events.js';

const schema: JSONSchema7 = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
};

/** Starts a server whose model calls a tool first and then answers. */
const serveCall = (name: string, input: string): Promise<TestServer> =>
  serve((response, { body }) => {
    const isFirst = !JSON.stringify(body.input).includes('function_call_output');
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(toSse(toStream([isFirst ? functionCall(name, input) : message(['Sunny.'])])));
  });

type Input = { city: string; days: number };

const hosts = {
  'ai@5': async (baseURL: string, execute: (input: Input) => string) => {
    const { responses } = createKelivoResponsesProvider({ baseURL, apiKey: 'key' });
    const tool = ai5.tool({ inputSchema: ai5.jsonSchema<Input>(schema), execute });
    await ai5.generateText({
      model: responses('some-model'),
      prompt: 'Weather?',
      tools: { get_weather: tool },
      stopWhen: ai5.stepCountIs(2),
      experimental_repairToolCall: repairToolCall,
    });
  },
  'ai@6': async (baseURL: string, execute: (input: Input) => string) => {
    const { responses } = createV3Provider({ baseURL, apiKey: 'key' });
    const tool = ai6.tool({ inputSchema: ai6.jsonSchema<Input>(schema), execute });
    await ai6.generateText({
      model: responses('some-model'),
      prompt: 'Weather?',
      tools: { get_weather: tool },
      stopWhen: ai6.stepCountIs(2),
      experimental_repairToolCall: repairToolCall,
    });
  },
  'ai@7': async (baseURL: string, execute: (input: Input) => string) => {
    const { responses } = createV3Provider({ baseURL, apiKey: 'key' });
    const tool = ai7.tool({ inputSchema: ai7.jsonSchema<Input>(schema), execute });
    await ai7.generateText({
      model: responses('some-model'),
      prompt: 'Weather?',
      tools: { get_weather: tool },
      stopWhen: ai7.isStepCount(2),
      repairToolCall,
    });
  },
};

describe.each(Object.entries(hosts))('repairToolCall in %s', (_, run) => {
  it.each([
    ['a decorated name', 'functions.get_weather', '{"city": "Oslo", "days": 3}'],
    ['a name in another case', 'Get_Weather', '{"city": "Oslo", "days": 3}'],
    ['malformed arguments', 'get_weather', "{'city': 'Oslo', 'days': 3,}"],
    ['both', 'get_weather<|channel|>commentary', "{'city': 'Oslo', 'days': '3'}"],
  ])('repairs %s', async (_, name, input) => {
    const { url } = await serveCall(name, input);
    const inputs: Input[] = [];
    await run(url, given => {
      inputs.push(given);
      return 'sunny';
    });
    expect(inputs).toEqual([{ city: 'Oslo', days: 3 }]);
  });

  it.each([
    ['another tool', 'get_time', '{"city": "Oslo", "days": 3}'],
    ['truncated arguments', 'get_weather', '{"city": "Oslo", "days": 3'],
  ])('does not run a call with %s', async (_, name, input) => {
    const { url, requests } = await serveCall(name, input);
    const inputs: Input[] = [];
    await run(url, given => {
      inputs.push(given);
      return 'sunny';
    });
    expect(inputs).toEqual([]);
    expect(requests).not.toHaveLength(0);
  });
});

it('repairToolCall returns null for a call that its rules do not change', async () => {
  const toolCall = { toolCallId: 'call_1', toolName: 'get_weather', input: '{"city": true}' };
  expect(
    await repairToolCall({ toolCall, tools: { get_weather: {} }, inputSchema: () => schema }),
  ).toBeNull();
});

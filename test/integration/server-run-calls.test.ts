import { type ModelMessage, tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { everyValue } from '../_products.js';
import { z } from 'zod';
import { hosts, modes } from '../host-matrix/_host.js';
import { serve } from '../_server.js';
import { toSse } from '../_sse.js';
import {
  functionCall,
  type ItemScript,
  message,
  toResponse,
  toStream,
} from '../responses/stream/_fixtures/wire-events.js';
import { type InputItem, useProviderWithMcp } from './_provider.js';

const call = (callId: string, name = 'lookup') =>
  functionCall(name, '{"city":"Rome"}', { callId, id: `fc_${callId}` });

function answer(callId: string, output: unknown = 'sunny'): ItemScript {
  const item = { type: 'function_call_output', id: `fco_${callId}`, call_id: callId, output };
  return { begun: item, item, deltas: [] };
}

const said = (text: string) => message([text], { id: `msg_${text}` });

const ANSWERED = [call('c1'), answer('c1'), said('Sunny.')];

/** Starts a server with a response for each request; the last one repeats. */
const startServer = (responses: readonly (readonly ItemScript[])[]) =>
  serve((response, { body }) => {
    const scripts = responses[Math.min(server.count++, responses.length - 1)] ?? [];
    const isStream = body.stream === true;
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? toSse(toStream(scripts)) : JSON.stringify(toResponse(scripts)));
  });
const server = { count: 0 };

const rows = hosts.flatMap(host =>
  modes.flatMap(mode => (['loop', 'host'] as const).map(owner => ({ name: host.name, host, mode, owner }))),
);

describe.each(everyValue(rows))('a call that the server ran: $name, $mode, tool of the $owner', row => {
  const { host, mode, owner } = row;

  async function start(responses: readonly (readonly ItemScript[])[]) {
    server.count = 0;
    const { url, requests } = await startServer(responses);
    const runs: string[] = [];
    const lookup = tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async (_input, { toolCallId }) => {
        runs.push(toolCallId);
        return `ran ${toolCallId}`;
      },
    });
    const isLoop = owner === 'loop';
    const provider = host.createProvider({
      baseURL: url,
      apiKey: 'sk-test',
      ...(isLoop && { tools: { lookup } }),
    });
    onTestFinished(() => provider.close());
    const history: ModelMessage[] = [];
    const turn = async (content: string) => {
      history.push({ role: 'user', content });
      const options = {
        model: provider('qwen3'),
        messages: history,
        ...(!isLoop && { tools: { lookup }, stopWhen: host.sdk.stepCountIs(3) }),
      };
      const { generateText, streamText } = host.sdk;
      const result = mode === 'generate' ? await generateText(options) : streamText(options);
      const text = await result.text;
      const finishReason = await result.finishReason;
      const stored: unknown = JSON.parse(JSON.stringify((await result.response).messages));
      history.push(...(stored as ModelMessage[]));
      return { text, finishReason };
    };
    const inputs = () =>
      requests.map(({ body }) =>
        (body.input as InputItem[]).map(({ type, role, call_id: id, output }) =>
          id === undefined
            ? (role ?? type)
            : output === undefined
              ? `call ${id}`
              : `${id}: ${JSON.stringify(output)}`,
        ),
      );
    return { turn, runs, inputs };
  }

  it('does not run again, and its call and output are sent once', async () => {
    const { turn, runs, inputs } = await start([ANSWERED, [said('Bye.')]]);
    expect(await turn('Weather?')).toEqual({ text: 'Sunny.', finishReason: 'stop' });
    expect(await turn('Thanks')).toEqual({ text: 'Bye.', finishReason: 'stop' });
    expect(runs).toEqual([]);
    expect(inputs()).toEqual([['user'], ['user', 'call c1', 'c1: "sunny"', 'assistant', 'user']]);
  });

  it('leaves the other call of the response to the client', async () => {
    const { turn, runs, inputs } = await start([[call('c1'), call('c2'), answer('c1')], [said('Done.')]]);
    expect(await turn('Weather?')).toEqual({ text: 'Done.', finishReason: 'stop' });
    expect(runs).toEqual(['c2']);
    expect(inputs()[1]?.slice().sort()).toEqual([
      'c1: "sunny"',
      'c2: "ran c2"',
      'call c1',
      'call c2',
      'user',
    ]);
  });

  it('is known if its output precedes it', async () => {
    const { turn, runs } = await start([[answer('c1'), call('c1'), said('Sunny.')]]);
    expect(await turn('Weather?')).toEqual({ text: 'Sunny.', finishReason: 'stop' });
    expect(runs).toEqual([]);
  });

  it('may belong to a tool that nobody declared', async () => {
    const { turn, inputs } = await start([
      [call('c1', 'search'), answer('c1'), said('Found.')],
      [said('Bye.')],
    ]);
    expect(await turn('Search')).toEqual({ text: 'Found.', finishReason: 'stop' });
    await turn('Thanks');
    expect(inputs()[1]).toEqual(['user', 'call c1', 'c1: "sunny"', 'assistant', 'user']);
  });

  it('keeps an image in its output', async () => {
    const output = [
      { type: 'input_text', text: 'A map' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ];
    const { turn, inputs } = await start([[call('c1'), answer('c1', output), said('Sunny.')]]);
    await turn('Weather?');
    await turn('Thanks');
    expect(inputs()[1]?.[2]).toBe(`c1: ${JSON.stringify(output)}`);
  });
});

describe.each(modes)('a call of an MCP server that the server ran: %s', mode => {
  // OpenAI, which the emulator is otherwise, runs no functions.
  const mcp = useProviderWithMcp({}, { rules: 'none' });

  it('does not run again', async () => {
    mcp.enqueue([
      { call: 'echo', arguments: { message: 'hello' }, callId: 'c1' },
      { type: 'function_call_output', id: 'fco_1', call_id: 'c1', output: 'Said by the server.' },
      { text: 'Done.' },
    ]);
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Echo' }] }];
    const model = mcp.model();
    if (mode === 'generate') await model.doGenerate({ prompt });
    else {
      const { stream } = await model.doStream({ prompt });
      for await (const _ of stream) continue;
    }
    expect(mcp.requests).toHaveLength(1);
  });
});

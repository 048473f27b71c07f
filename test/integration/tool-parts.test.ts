import {
  convertToModelMessages,
  generateText,
  type ModelMessage,
  readUIMessageStream,
  streamText,
  type UIMessage,
} from 'ai';
import { describe, expect, it } from 'vitest';
import { hostNames, hosts, inputOf, shapeOf, showReasoning, useProviderWithMcp } from './_provider.js';

// Tests how a host displays and stores calls of the provider's tools, and how the next turn replays them.

const host = useProviderWithMcp();
const prompt = 'Use get-sum with 2 and 3';
const response = 'The tool get-sum returned: The sum of 2 and 3 is 5.';

const user = (content: string): ModelMessage => ({ role: 'user', content });
const userMessage = (text: string): UIMessage => ({
  id: text,
  role: 'user',
  parts: [{ type: 'text', text }],
});

/** The complete first turn in the next request. */
const wholeTurn = [
  'user',
  'reasoning',
  'function_call',
  'function_call_output',
  'reasoning',
  'assistant',
  'user',
];

describe.each(hostNames)('%s with declared tools', name => {
  const run = hosts[name];

  it('returns the call and its result', async () => {
    const tools = await host.tools();
    const { steps, text, errors } = await run({ model: host.model(), prompt, tools });
    expect({ text, errors }).toEqual({ text: response, errors: [] });
    expect(steps).toHaveLength(1);
    expect(steps[0]?.toolCalls).toMatchObject([
      { toolName: 'get-sum', input: { a: 2, b: 3 }, providerExecuted: true },
    ]);
    expect(steps[0]?.toolResults).toMatchObject([
      {
        toolName: 'get-sum',
        input: { a: 2, b: 3 },
        output: 'The sum of 2 and 3 is 5.',
        providerExecuted: true,
      },
    ]);
  });

  it('sends the real schemas instead of those of the stubs', async () => {
    const tools = await host.tools();
    await run({ model: host.model(), prompt: 'Hello', tools });
    expect(host.requests[0]?.body).toMatchObject({
      tools: expect.arrayContaining([
        expect.objectContaining({
          name: 'get-sum',
          parameters: expect.objectContaining({ required: ['a', 'b'] }),
        }),
      ]),
    });
    expect(host.requests[0]?.body).toHaveProperty('tools.length', Object.keys(tools).length);
  });

  it('replays the history with its reasoning in the next turn', async () => {
    const tools = await host.tools();
    const { messages } = await run({ model: host.model(), prompt, tools, providerOptions: showReasoning });
    const next = await run({
      model: host.model(),
      prompt: [user(prompt), ...messages, user('Thanks')],
      tools,
      providerOptions: showReasoning,
    });
    expect(next).toMatchObject({ text: 'You said: Thanks', errors: [] });
    expect(shapeOf(host.requests[2])).toEqual(wholeTurn);
    expect(inputOf(host.requests[2])[1]).toHaveProperty('encrypted_content');
  });

  it('stays in one step if arguments are invalid', async () => {
    const tools = await host.tools();
    host.enqueue([
      { call: 'get-sum', arguments: '{a: 2, b: 3}' },
      { call: 'get-sum', arguments: 'nonsense' },
    ]);
    const { steps, errors, finishReason } = await run({ model: host.model(), prompt, tools });
    expect({ errors, finishReason }).toEqual({ errors: [], finishReason: 'stop' });
    expect(steps).toHaveLength(1);
    expect(steps[0]?.toolCalls.map(({ input, providerExecuted }) => [input, providerExecuted])).toEqual([
      [{ a: 2, b: 3 }, true],
      [{}, true],
    ]);
  });

  it('returns a failed tool as a tool error', async () => {
    const tools = await host.tools();
    host.enqueue([{ call: 'get-sum', arguments: { a: 'two' } }]);
    const { steps, errors } = await run({ model: host.model(), prompt, tools });
    expect(errors).toEqual([]);
    expect(steps[0]?.content).toContainEqual(
      expect.objectContaining({
        type: 'tool-error',
        error: expect.stringContaining('a: type "string" is invalid'),
      }),
    );
  });
});

describe('a UI message stream', () => {
  it.each([
    ['declared', true],
    ['undeclared', false],
  ])('carries calls of %s tools to the UI and into the next turn', async (_, isDeclared) => {
    const tools = isDeclared ? await host.tools() : undefined;
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const result = streamText({
      model: host.model(),
      prompt,
      tools,
      providerOptions: showReasoning,
      onError,
    });
    let message: UIMessage | undefined;
    for await (const state of readUIMessageStream({ stream: result.toUIMessageStream(), onError }))
      message = state;
    expect(errors).toEqual([]);
    expect(message?.parts).toContainEqual(
      expect.objectContaining({
        type: 'tool-get-sum',
        state: 'output-available',
        input: { a: 2, b: 3 },
        output: 'The sum of 2 and 3 is 5.',
      }),
    );

    const history = [userMessage(prompt), ...(message === undefined ? [] : [message]), userMessage('Thanks')];
    const next = await generateText({
      model: host.model(),
      messages: convertToModelMessages(history, { tools }),
      tools,
      providerOptions: showReasoning,
    });
    expect(next.text).toBe('You said: Thanks');
    expect(shapeOf(host.requests[2])).toEqual(wholeTurn);
    expect(inputOf(host.requests[2])).toContainEqual(
      expect.objectContaining({ type: 'function_call', arguments: '{"a":2,"b":3}' }),
    );
  });
});

describe('undeclared tools', () => {
  it('stream without an error and reach the next turn with their arguments', async () => {
    const { messages, steps, errors, text } = await hosts.streamText({ model: host.model(), prompt });
    expect({ errors, text }).toEqual({ errors: [], text: response });
    expect(steps[0]?.toolCalls).toEqual([]);
    expect(steps[0]?.toolResults).toMatchObject([
      { toolName: 'get-sum', output: 'The sum of 2 and 3 is 5.' },
    ]);
    const next = await hosts.streamText({
      model: host.model(),
      prompt: [user(prompt), ...messages, user('Thanks')],
    });
    expect(next).toMatchObject({ text: 'You said: Thanks', errors: [] });
    expect(inputOf(host.requests[2])).toContainEqual(
      expect.objectContaining({ type: 'function_call', name: 'get-sum', arguments: '{"a":2,"b":3}' }),
    );
  });

  it('appear only in the metadata of a generated result, and the next turn is valid', async () => {
    const { messages, steps, text } = await hosts.generateText({ model: host.model(), prompt });
    expect(text).toBe(response);
    expect(steps[0]?.content.map(({ type }) => type).filter(type => type.startsWith('tool'))).toEqual([]);
    expect(steps[0]?.providerMetadata?.kelivo?.rounds).toMatchObject([
      { toolCalls: [{ toolName: 'get-sum' }] },
      {},
    ]);
    const next = await hosts.generateText({
      model: host.model(),
      prompt: [user(prompt), ...messages, user('Thanks')],
    });
    expect(next.text).toBe('You said: Thanks');
  });

  it('are not called with the tool choice "none"', async () => {
    const tools = await host.tools();
    const { text, steps, errors } = await hosts.streamText({
      model: host.model(),
      prompt,
      tools,
      toolChoice: 'none',
    });
    expect({ text, errors }).toEqual({ text: `You said: ${prompt}`, errors: [] });
    expect(steps[0]?.toolCalls).toEqual([]);
    expect(host.requests[0]?.body).toMatchObject({ tool_choice: 'none' });
  });
});

describe('an image of a tool', () => {
  it('reaches the model as an image in this turn and the next', async () => {
    const tools = await host.tools();
    const ask = 'Use get-tiny-image';
    const { messages, errors, steps } = await hosts.streamText({ model: host.model(), prompt: ask, tools });
    expect(errors).toEqual([]);
    await hosts.generateText({
      model: host.model(),
      prompt: [user(ask), ...messages, user('Thanks')],
      tools,
    });
    const image = { type: 'input_image', image_url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) };
    for (const request of [host.requests[1], host.requests[2]]) {
      const output = inputOf(request).find(({ type }) => type === 'function_call_output')?.output;
      expect(output).toContainEqual(expect.objectContaining(image));
      expect(output).toContainEqual(expect.objectContaining({ type: 'input_text' }));
    }
    expect(steps[0]?.toolResults).toMatchObject([
      {
        output: {
          content: expect.arrayContaining([
            expect.objectContaining({ type: 'image', mimeType: 'image/png' }),
          ]),
        },
      },
    ]);
  });
});

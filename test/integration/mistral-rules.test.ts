import { createMistral } from '@ai-sdk/mistral';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, type LanguageModelV2 } from '@ai-sdk/provider';
import { generateText, type ModelMessage, streamText } from 'ai';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { adaptModel } from '../../src/adapters/index.js';
import { createKelivoResponsesProvider } from '../../src/index.js';
import type { EmulatorRequest } from '../../src/testing/index.js';
import { withToolLoop } from '../../src/tool-loop/index.js';
import { createMcpTools, type McpTools } from '../../src/tools/mcp/index.js';
import { startEmulator } from '../testing/_emulator.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { apiKey, hostNames, hosts, showReasoning } from './_provider.js';

// A conversation of another provider, with ids and an order that Mistral's API rejects.

let mcpTools: McpTools;
beforeAll(async () => {
  mcpTools = await createMcpTools({ everything: everythingOverStdio() });
});
afterAll(() => mcpTools.close());

type HostName = (typeof hostNames)[number];

/** Returns the history of a turn with two tools that the host declares. */
async function begin(host: HostName) {
  const { baseURL } = await startEmulator({ apiKey });
  // Closed together with its tools, which all tests share.
  const provider = createKelivoResponsesProvider({ baseURL, apiKey, mcpServers: mcpTools });
  const tools = await provider.tools();
  const prompt: ModelMessage = { role: 'user', content: 'Get the sum of 2 and 3 and echo "hello"' };
  const { messages } = await hosts[host]({
    model: provider('gpt-5'),
    prompt: [prompt],
    tools,
    providerOptions: showReasoning,
  });
  return { history: [prompt, ...messages], tools };
}

/** The clients that call a server with Mistral's rules. */
const clients: Readonly<Record<string, (baseURL: string) => LanguageModelV2>> = {
  '@ai-sdk/mistral': baseURL => createMistral({ baseURL, apiKey })('mistral-small-latest'),
  '@ai-sdk/openai-compatible': baseURL =>
    createOpenAICompatible({ name: 'router', baseURL, apiKey })('mistralai/devstral-2512'),
  'kelivo-responses': baseURL => {
    const provider = createKelivoResponsesProvider({ baseURL, apiKey, toolLoop: false, adapters: false });
    onTestFinished(() => provider.close());
    return provider.languageModel('mistralai/Mistral-Small-3.2-24B-Instruct-2506');
  },
};

async function start(client: string) {
  const emulator = await startEmulator({ apiKey, rules: 'mistral' });
  const toModel = clients[client];
  if (toModel === undefined) throw new Error(`Expected one of the clients, got ${client}.`);
  return { emulator, model: toModel(emulator.baseURL) };
}

/** Returns the ids of all calls and results in a request of either API. */
function idsOf({ body }: EmulatorRequest): unknown[] {
  const { input = [], messages = [] } = body as { input?: WireItem[]; messages?: WireItem[] };
  return [...input, ...messages]
    .flatMap(({ call_id: callId, tool_call_id: resultId, tool_calls: calls = [] }) => [
      callId ?? resultId,
      ...calls.map(({ id }) => id),
    ])
    .filter(id => id !== undefined);
}

interface WireItem {
  readonly call_id?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}

/** Returns the ids of the calls in a host's history. */
const keptIds = (messages: readonly ModelMessage[]): string[] =>
  messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap(part => (part.type === 'tool-call' ? [part.toolCallId] : [])),
  );

const matrix = Object.keys(clients).flatMap(client => hostNames.map(host => ({ client, host })));

describe.each(matrix)('a conversation with long ids, continued with $client in $host', ({ client, host }) => {
  it('gets a response, and calls tools again', async () => {
    const { history, tools } = await begin(host);
    expect(keptIds(history)).toEqual([expect.stringMatching(/^call_/), expect.stringMatching(/^call_/)]);
    const { emulator, model } = await start(client);
    const adapted = withToolLoop(adaptModel(model), { tools: mcpTools });
    const first: ModelMessage[] = [
      ...history,
      { role: 'user', content: 'Get the sum of 20 and 30 and echo "again"' },
    ];
    const { text, errors, messages } = await hosts[host]({ model: adapted, prompt: first, tools });
    expect(errors).toEqual([]);
    expect(text).toBe(
      'The tool get-sum returned: The sum of 20 and 30 is 50.\nThe tool echo returned: Echo: again',
    );

    const next = await hosts[host]({
      model: adapted,
      tools,
      prompt: [...first, ...messages, { role: 'user', content: 'Thank you' }],
    });
    expect({ text: next.text, errors: next.errors }).toEqual({ text: 'You said: Thank you', errors: [] });

    const ids = emulator.requests.map(idsOf);
    expect(new Set(ids.map(({ length }) => length))).toEqual(new Set([4, 8]));
    expect(ids.flat().filter(id => !/^[a-zA-Z0-9]{9}$/.test(String(id)))).toEqual([]);
    // The ids of the first turn are the same in every request, so that prompt caching works.
    expect(new Set(ids.map(all => all.slice(0, 4).join(' '))).size).toBe(1);
  });

  it('continues after a turn that was interrupted after its tool results', async () => {
    const call = { type: 'tool-call', toolCallId: 'call_0123456789', toolName: 'echo', input: {} } as const;
    const { emulator, model } = await start(client);
    const { text, errors } = await hosts[host]({
      model: adaptModel(model),
      prompt: [
        { role: 'user', content: 'Echo' },
        { role: 'assistant', content: [call, { ...call, toolCallId: 'call_0123456789b' }] },
        {
          role: 'tool',
          content: [call.toolCallId, 'call_0123456789b'].map(toolCallId => ({
            type: 'tool-result',
            toolCallId,
            toolName: 'echo',
            output: { type: 'text', value: 'hello' },
          })),
        },
        { role: 'user', content: 'Are you there?' },
      ],
    });
    expect({ text, errors }).toEqual({ text: 'You said: Are you there?', errors: [] });
    expect(emulator.requests).toHaveLength(1);
  });

  it("fails without the adapter, with Mistral's error message", async () => {
    const { history } = await begin(host);
    const { model } = await start(client);
    const rejection = await rejectionOf(host, {
      model: withToolLoop(model, { tools: mcpTools }),
      prompt: [...history, { role: 'user', content: 'Thank you' }],
    });
    expect(rejection).toMatchObject({ statusCode: 400, isRetryable: false });
    const [id] = keptIds(history);
    expect(JSON.parse(rejection?.responseBody ?? '')).toMatchObject({
      ...(client === 'kelivo-responses' ? { error: { message: toMessage(id) } } : mistralError(id)),
    });
  });
});

const toMessage = (id: string | undefined): string =>
  `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;

const mistralError = (id: string | undefined) => ({
  object: 'error',
  message: toMessage(id),
  type: 'invalid_function_call',
  code: '3280',
});

/** Returns the API error of a host's call. */
async function rejectionOf(
  host: HostName,
  { model, prompt }: { model: LanguageModelV2; prompt: ModelMessage[] },
): Promise<APICallError | undefined> {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  if (host === 'generateText') await generateText({ model, prompt }).catch(onError);
  else await streamText({ model, prompt, onError: ({ error }) => onError(error) }).consumeStream();
  return errors.find(error => APICallError.isInstance(error));
}

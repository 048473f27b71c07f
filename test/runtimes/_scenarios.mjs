// Uses the package in the runtime that runs this file, without an API of a certain runtime. Each scenario returns what it
// observed, or the error.

/** Runs all scenarios against the servers of the test. */
export async function runScenarios({ createKelivoResponsesProvider }, host, z, options) {
  const { baseURL, httpServer, stdioServer } = options;
  const settings = { baseURL, apiKey: 'test-key' };
  const localTools = {
    add: {
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => a + b,
    },
  };
  const scenarios = {
    // Comes first, because the server does not finish its first response.
    abort: () => abort(createKelivoResponsesProvider(settings), host),
    generate: () => generate(createKelivoResponsesProvider(settings), host, 'Say hello.'),
    stream: () => stream(createKelivoResponsesProvider(settings), host, 'Say hello.'),
    localTool: () =>
      stream(
        createKelivoResponsesProvider({ ...settings, tools: localTools }),
        host,
        'Use the tool add with 20 and 22.',
      ),
    webSocket: () =>
      stream(
        createKelivoResponsesProvider({ ...settings, transport: 'websocket', tools: localTools }),
        host,
        'Use the tool add with 20 and 22.',
      ),
    httpTool: () =>
      generate(
        createKelivoResponsesProvider({ ...settings, mcpServers: { everything: httpServer } }),
        host,
        'Use get-sum with 20 and 22.',
      ),
    stdioTool: () =>
      stream(
        createKelivoResponsesProvider({ ...settings, mcpServers: { everything: stdioServer } }),
        host,
        'Use get-sum with 20 and 22.',
      ),
  };
  const observations = {};
  for (const [name, run] of Object.entries(scenarios)) {
    observations[name] = await run().catch(error => ({ error: String(error?.stack ?? error) }));
  }
  return observations;
}

async function generate(provider, { generateText }, prompt) {
  const { text, finishReason, usage } = await generateText({
    model: provider('gpt-5'),
    prompt,
    maxRetries: 0,
  });
  await provider.close();
  return { text, finishReason, hasUsage: usage.totalTokens > 0 };
}

async function stream(provider, { streamText }, prompt) {
  const errors = [];
  const result = streamText({
    model: provider('gpt-5'),
    prompt,
    maxRetries: 0,
    onError: ({ error }) => void errors.push(String(error)),
  });
  let text = '';
  let chunks = 0;
  for await (const chunk of result.textStream) {
    text += chunk;
    chunks++;
  }
  if (errors.length > 0) throw new Error(errors.join(', '));
  const [finishReason, usage] = [await result.finishReason, await result.usage];
  await provider.close();
  const warnings = ((await result.warnings) ?? []).map(({ message }) => message);
  return { text, finishReason, hasUsage: usage.totalTokens > 0, isStreamed: chunks > 1, warnings };
}

/** Aborts after the first text. Returns the types of the parts that tell how the stream ended. */
async function abort(provider, { streamText }) {
  const controller = new AbortController();
  const { fullStream } = streamText({
    model: provider('gpt-5'),
    prompt: 'Say hello.',
    maxRetries: 0,
    abortSignal: controller.signal,
    onError: () => {},
  });
  const ends = [];
  for await (const { type } of fullStream) {
    if (type === 'text-delta') controller.abort();
    if (['abort', 'error', 'finish'].includes(type)) ends.push(type);
  }
  await provider.close();
  return { ends };
}

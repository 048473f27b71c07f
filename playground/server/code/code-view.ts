import { convertToModelMessages, streamText } from 'ai';
import { Hono } from 'hono';
import type { ModelAdapter } from 'kelivo-responses/adapters';
import type { CodeView, PlaygroundMessage, Settings } from '../../shared/playground-state.js';
import type { PlaygroundContext } from '../context.js';
import { adaptersFor, openProvider } from '../turn/model.js';
import { toCallOptions } from '../turn/parameters.js';
import { openTarget } from '../turn/target.js';
import { toCurl } from './curl.js';
import { type CodeQuestion, toFileMark } from './question.js';
import { toTypeScript } from './typescript.js';

/** `GET /?conversation=` returns the next request as code. */
export const codeRoutes = (playground: PlaygroundContext): Hono =>
  new Hono().get('/', async context =>
    context.json(await createCodeView(playground, context.req.query('conversation') ?? '')),
  );

/** Writes the last question of a conversation with the current settings as code. Secrets become environment variables. */
async function createCodeView(playground: PlaygroundContext, conversationId: string): Promise<CodeView> {
  const { settings: store, keys, servers, redactor } = playground;
  const stored = store.read(conversationId);
  const question = readQuestion(playground, conversationId);
  const settings = {
    ...stored,
    ...redactor.json({
      systemPrompt: stored.systemPrompt,
      responseSchema: stored.responseSchema,
    }),
  };
  const adapters = adaptersFor(stored);
  const { servers: mcpServers, names } = servers.variables();
  const hasKey = keys.sourceFor(stored.endpoint) !== 'none';
  const hasQuery = stored.endpoint !== 'emulator' && new URL(stored.endpoint).search !== '';
  const { url, body } = await captureRequest(playground, { settings, question, adapters });
  const program = {
    settings,
    question,
    hasKey,
    hasQuery,
    adapters: adapters.length < modelAdapterCount(stored) ? adapters.map(({ name }) => name) : undefined,
    mcpServers: redactUnmarked(mcpServers, text => redactor.text(text)),
  };
  return {
    typescript: {
      7: toTypeScript({ ...program, major: 7 }),
      6: toTypeScript({ ...program, major: 6 }),
      5: toTypeScript({ ...program, major: 5 }),
    },
    curl: toCurl({ url, body: redactor.json(body), question, hasKey, hasQuery }),
    environment: [
      ...(hasQuery ? ['OPENAI_BASE_URL', 'RESPONSES_URL'] : []),
      ...(hasKey ? ['OPENAI_API_KEY'] : []),
      ...names,
    ],
  };
}

const modelAdapterCount = (settings: Settings): number =>
  adaptersFor({ ...settings, disabledAdapters: [] }).length;

const DEFAULT_QUESTION: CodeQuestion = { text: 'Hello', files: [] };

function readQuestion({ conversations, redactor }: PlaygroundContext, conversationId: string): CodeQuestion {
  const { threads = {} } = conversations.read(conversationId) ?? {};
  const last = (threads.main ?? threads.left)?.findLast(({ message }) => message.role === 'user')?.message;
  if (last === undefined) return DEFAULT_QUESTION;
  const text = last.parts.map(part => (part.type === 'text' ? part.text : '')).join('');
  const files = last.parts.flatMap(part =>
    part.type === 'file' ? [{ filename: part.filename ?? 'file', mediaType: part.mediaType }] : [],
  );
  return { ...redactor.json({ text }), files };
}

/** Runs a turn up to its first request, which is not sent. */
async function captureRequest(
  playground: PlaygroundContext,
  {
    settings,
    question,
    adapters,
  }: { settings: Settings; question: CodeQuestion; adapters: readonly ModelAdapter[] },
): Promise<{ readonly url: string; readonly body: unknown }> {
  const target = await openTarget({ ...settings, fault: 'none' }, playground);
  const controller = new AbortController();
  let captured: { url: string; body: unknown } | undefined;
  let failure: unknown;
  const provider = openProvider(settings.flag, {
    baseURL: target.baseURL,
    // Some endpoints require a key. This one is not sent.
    apiKey: 'none',
    requestId: 'code',
    tools: {},
    mcpTools: playground.servers.tools(settings.disabledTools),
    adapters,
    toolLoop: { approvals: settings.approvals, approve: () => false },
    fetch: (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      captured ??= { url, body: JSON.parse(String(init?.body)) as unknown };
      controller.abort();
      return Promise.reject(controller.signal.reason);
    },
  });
  try {
    const result = streamText({
      model: provider.languageModel(settings.modelId),
      messages: convertToModelMessages([toMessage(question)]),
      tools: await provider.tools(),
      ...toCallOptions(settings),
      maxRetries: 0,
      abortSignal: controller.signal,
      onError({ error }) {
        failure = error;
      },
    });
    await result.consumeStream();
  } finally {
    await target.close();
  }
  if (captured === undefined) throw failure ?? new Error('The provider sent no request.');
  return captured;
}

/** A message whose files have the marks that `toCurl` replaces by their contents. */
const toMessage = ({ text, files }: CodeQuestion): PlaygroundMessage => ({
  id: 'question',
  role: 'user',
  parts: [
    ...files.map(({ filename, mediaType }, index) => ({
      type: 'file' as const,
      mediaType,
      filename,
      url: `data:${mediaType};base64,${toFileMark(index)}`,
    })),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  ],
});

/** Redacts texts without the mark of a variable. In the others, the secret is replaced already. */
function redactUnmarked<Value>(value: Value, redact: (text: string) => string): Value {
  const walk = (entry: unknown): unknown => {
    if (typeof entry === 'string') return entry.includes('ENV--') ? entry : redact(entry);
    if (Array.isArray(entry)) return entry.map(walk);
    if (typeof entry !== 'object' || entry === null) return entry;
    return Object.fromEntries(Object.entries(entry).map(([name, inner]) => [name, walk(inner)]));
  };
  return walk(value) as Value;
}

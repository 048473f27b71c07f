import { jsonSchema, streamText, tool, type ToolSet } from 'ai';
import { HTTPException } from 'hono/http-exception';
import { createKelivoResponsesProvider } from 'kelivo-responses';
import { type ScriptedResponse, startResponsesEmulator } from 'kelivo-responses/testing';
import type { FixtureTurn } from './bug-report.js';
import { readEvents, readRecordedParts } from './emulator/recorded-body.js';
import { isOfTurn, readPartResponses } from './emulator/replay.js';

/** Marks a value that was redacted. */
const MARK = '[redacted]';

/** A recorded turn as constants of a test. */
interface Recording {
  readonly modelId: string;
  readonly prompt: string;
  /** Names and schemas of the functions that the model could call. */
  readonly tools: Readonly<Record<string, unknown>>;
  /** The results of each tool, in the order of its calls. */
  readonly results: Readonly<Record<string, readonly string[]>>;
  readonly responses: readonly RecordedResponse[];
}

/** A response of the emulator as JSON: `events` are sent before its fault. */
type RecordedResponse =
  | NonNullable<ReturnType<typeof readPartResponses>>[number]
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | {
      readonly fault: 'cut' | 'stall';
      readonly after: number;
      readonly events: readonly { readonly type: string }[];
    };

/** The results of a replay, which the test expects. */
interface Outcome {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly usage: { readonly inputTokens?: number; readonly outputTokens?: number };
  readonly failed: boolean;
  readonly requests: number;
}

/**
 * Writes a turn as a test for vitest, which replays its responses without a network. What the test expects comes from a replay,
 * so that it holds for the recording as it was redacted.
 */
export async function toTestFile(turn: FixtureTurn, { name }: { name: string }): Promise<string> {
  const recording = toRecording(turn);
  const outcome = await replay(recording);
  if (outcome.failed && turn.end === 'finished')
    throw new HTTPException(400, {
      message: 'Expected responses of the Responses API or parts of the AI SDK.',
    });
  const redacted = findRedacted(turn.exchanges);
  const { modelId, prompt, tools, results, responses } = recording;
  return `// A recorded turn of the playground (${toComment(name)}), which runs without a network.
${redacted.length === 0 ? '' : `// Redacted values: ${redacted.map(toComment).join(', ')}.\n`}import { jsonSchema, streamText, tool } from 'ai';
import { createKelivoResponsesProvider } from 'kelivo-responses/v4'; // ai 7. For ai 6: /v3
import { startResponsesEmulator } from 'kelivo-responses/testing';
import { expect, test } from 'vitest';

/** The responses of the endpoint, in order. */
const responses: any[] = ${toCode(responses)};

/** The schemas of the tools, by name. */
const tools: Record<string, any> = ${toCode(tools)};

/** The results of each tool, in the order of its calls. */
const results: Record<string, string[]> = ${toCode(results)};

test(${toCode(`replays: ${prompt.slice(0, 60)}`)}, async () => {
  const emulator = await startResponsesEmulator({ rules: 'none' });
  emulator.enqueue(
    ...responses.map(response => ('events' in response ? { ...response, events: () => response.events } : response)),
  );
  const calls: { name: string; input: unknown }[] = [];
  const provider = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    apiKey: 'none',
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, schema]) => [
        name,
        tool({
          inputSchema: jsonSchema(schema),
          execute: async (input: unknown) => {
            calls.push({ name, input });
            return results[name]?.shift() ?? '';
          },
        }),
      ]),
    ),
    toolLoop: { approvals: 'never', retry: { streamRetries: 0 } },
  });
  const outcome = { text: '', usage: {}, failed: false };
  const { fullStream } = streamText({
    model: provider.languageModel(${toCode(modelId)}),
    prompt: ${toCode(prompt)},
    maxRetries: 0,
    onError: () => {},
  });
  for await (const part of fullStream) {
    if (part.type === 'text-delta') outcome.text += part.text;
    if (part.type === 'error') outcome.failed = true;
    if (part.type === 'finish') {
      const { inputTokens, outputTokens } = part.totalUsage;
      outcome.usage = { inputTokens, outputTokens };
    }
  }
  await emulator.close();

  expect(calls).toEqual(${toCode(outcome.calls)});
  expect(outcome).toEqual(${toCode({ text: outcome.text, usage: outcome.usage, failed: outcome.failed })});
  expect(emulator.requests).toHaveLength(${outcome.requests});
});
`;
}

/** Runs the recording as the test does. */
async function replay({ modelId, prompt, tools, results, responses }: Recording): Promise<Outcome> {
  const emulator = await startResponsesEmulator({ rules: 'none' });
  try {
    emulator.enqueue(
      ...responses.map((response): ScriptedResponse =>
        'events' in response ? { ...response, events: () => response.events } : response,
      ),
    );
    const calls: { name: string; input: unknown }[] = [];
    const left = new Map(Object.entries(results).map(([name, texts]) => [name, [...texts]]));
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      apiKey: 'none',
      tools: Object.fromEntries(
        Object.entries(tools).map(([name, schema]) => [
          name,
          tool({
            inputSchema: jsonSchema(schema as Parameters<typeof jsonSchema>[0]),
            execute: (input: unknown) => {
              calls.push({ name, input });
              return Promise.resolve(left.get(name)?.shift() ?? '');
            },
          }),
        ]),
      ) as ToolSet,
      toolLoop: { approvals: 'never', retry: { streamRetries: 0 } },
    });
    let text = '';
    let failed = false;
    let usage: Outcome['usage'] = {};
    const { fullStream } = streamText({
      model: provider.languageModel(modelId),
      prompt,
      maxRetries: 0,
      onError: () => {},
    });
    for await (const part of fullStream) {
      if (part.type === 'text-delta') text += part.text;
      if (part.type === 'error') failed = true;
      if (part.type === 'finish') {
        const { inputTokens, outputTokens } = part.totalUsage;
        usage = { inputTokens, outputTokens };
      }
    }
    return { text, calls, usage, failed, requests: emulator.requests.length };
  } finally {
    await emulator.close();
  }
}

function toRecording({ modelId, exchanges: all }: FixtureTurn): Recording {
  const exchanges = all.filter(isOfTurn);
  const bodies = exchanges.map(({ request }) => toRecord(request.body));
  const responses = exchanges.flatMap(exchange => readPartResponses(exchange) ?? [toResponse(exchange)]);
  const called = responses.flatMap(response => ('output' in response ? response.output : []));
  const tools = [
    ...called.flatMap(item => ('call' in item ? [[String(item.call), { type: 'object' }] as const] : [])),
    ...toList(bodies[0]?.tools).flatMap(toSchema),
  ];
  const last = toMessages(bodies[0])
    .map(toRecord)
    .findLast(({ role }) => role === 'user');
  const content = last?.content;
  return {
    modelId: modelId || 'gpt-5',
    prompt:
      (typeof content === 'string'
        ? content
        : toList(content)
            .map(part => toRecord(part).text)
            .filter(text => typeof text === 'string')
            .join('\n')) || 'A recorded question',
    tools: Object.fromEntries(tools),
    results: readResults(exchanges),
    responses,
  };
}

/** The messages of a request: of the Responses API, of other APIs, and of the AI SDK. */
function toMessages({ input, messages, prompt }: Readonly<Record<string, unknown>> = {}): readonly unknown[] {
  const found = input ?? messages ?? prompt;
  return typeof found === 'string' ? [{ role: 'user', content: found }] : toList(found);
}

/** Returns the name and the schema of a function, as APIs and the AI SDK write it. */
function toSchema(tool: unknown): (readonly [string, unknown])[] {
  const { type, name, ...schemas } = { ...toRecord(tool), ...toRecord(toRecord(tool).function) };
  if ((type ?? 'function') !== 'function' || typeof name !== 'string') return [];
  return [[name, schemas.parameters ?? schemas.inputSchema ?? schemas.input_schema ?? { type: 'object' }]];
}

/** Returns the results of each tool: those in the last request, and those of a provider that runs tools. */
function readResults(exchanges: FixtureTurn['exchanges']): Recording['results'] {
  const results = new Map<string, string[]>();
  const add = (name: string, text: string): void =>
    void results.set(name, [...(results.get(name) ?? []), text]);
  const items = toList(toRecord(exchanges.at(-1)?.request.body).input).map(toRecord);
  // Only the results of this turn: earlier ones are in its first request already.
  const known = new Set(
    toList(toRecord(exchanges[0]?.request.body).input).map(item => toRecord(item).call_id),
  );
  for (const { type, call_id: callId, output } of items) {
    if (type !== 'function_call_output' || known.has(callId)) continue;
    const call = items.find(item => item.type === 'function_call' && item.call_id === callId);
    if (call !== undefined)
      add(String(call.name), typeof output === 'string' ? output : JSON.stringify(output));
  }
  for (const { body } of exchanges)
    for (const { results: own } of readRecordedParts(body) ?? [])
      for (const { toolName, result } of own) add(toolName, result);
  return Object.fromEntries(results);
}

function toResponse({ status, headers = {}, body, end }: FixtureTurn['exchanges'][number]): RecordedResponse {
  const events = end === 'complete' || status === undefined ? undefined : readEvents(body);
  if (status === undefined) return { fault: 'cut', after: 0, events: [] };
  if (events !== undefined) {
    // An event more than are sent, so that the fault has one to omit.
    return { fault: 'cut', after: events.length, events: [...events, { type: 'response.completed' }] };
  }
  const sent = Object.entries(headers).filter(([header]) => /^(content-type|retry-after)$/i.test(header));
  return { status, headers: Object.fromEntries(sent), body };
}

/** Returns the names of the fields that contain a redacted value. */
function findRedacted(value: unknown): string[] {
  const names = new Set<string>();
  const walk = (entry: unknown, name: string): void => {
    if (typeof entry === 'string' && entry.includes(MARK)) names.add(name);
    else if (typeof entry === 'object' && entry !== null)
      for (const [key, inner] of Object.entries(entry)) walk(inner, Array.isArray(entry) ? name : key);
  };
  walk(value, 'text');
  return [...names].toSorted();
}

const toComment = (text: string): string => text.replace(/[^\w .:-]/g, '_').slice(0, 80);

/** JSON is code, except for two line separators, which older parsers reject in strings. */
const toCode = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

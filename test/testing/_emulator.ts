import type { ResponsesEmulator } from '../../src/testing/index.js';
import { type MultiApiEmulatorOptions, startMultiApiEmulator } from '../_emulators/start-emulator.js';
import { closeAfterTest, RAW_REQUEST } from './_contract.js';

type Json = Record<string, unknown>;

/** Starts an emulator of the Responses, Chat Completions and Gemini APIs, which is closed after the test. */
export async function startEmulator(options?: MultiApiEmulatorOptions): Promise<ResponsesEmulator> {
  const emulator = await startMultiApiEmulator(options);
  closeAfterTest(emulator);
  return emulator;
}

/** Posts JSON and returns status, headers and the parsed body. */
export async function post(
  emulator: ResponsesEmulator,
  {
    body,
    path = '/responses',
    headers = {},
  }: { body: unknown; path?: string; headers?: Record<string, string> },
) {
  const response = await fetch(emulator.baseURL + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...RAW_REQUEST, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: toJson(text) };
}

/** Sends a body that the API rejects. Returns the status and the error. */
export async function refuse(body: Json): Promise<Json> {
  const emulator = await startEmulator();
  const { status, json } = await post(emulator, { body });
  return { status, ...(json.error as Json) };
}

/** Posts with `stream: true` and returns the events. Each event must have the API's framing. */
export async function stream(emulator: ResponsesEmulator, body: Json): Promise<Json[]> {
  const { text } = await post(emulator, { body: { ...body, stream: true } });
  return toEvents(text);
}

/** Parses a complete stream. Throws if the two lines of an event have different types. */
export function toEvents(text: string): Json[] {
  return text
    .split('\n\n')
    .filter(Boolean)
    .map(frame => {
      const [, name, data] = /^event: (\S+)\ndata: (.*)$/.exec(frame) ?? [];
      const event = JSON.parse(data ?? '{}') as Json;
      if (event.type !== name) throw new Error(`Expected an event of type ${name}, got ${frame}`);
      return event;
    });
}

/** Returns the output items of a response. */
export const outputOf = (json: unknown): Json[] => (json as { output: Json[] }).output;

/** Returns the text of the first part of the first item. */
export const textOf = (json: unknown): unknown => {
  const content = outputOf(json)[0]?.content;
  return Array.isArray(content) ? content[0]?.text : undefined;
};

/** Creates a function tool with the given required properties. */
export const tool = (name: string, properties: Json = {}, description = ''): Json => ({
  type: 'function',
  name,
  description,
  parameters: { type: 'object', properties, required: Object.keys(properties) },
});

/** Creates a user message. */
export const user = (text: string): Json => ({ role: 'user', content: [{ type: 'input_text', text }] });

/** Creates the output of a call. */
export const outputFor = (call: Json | undefined, output: unknown): Json => ({
  type: 'function_call_output',
  call_id: call?.call_id,
  output,
});

function toJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

import { onTestFinished } from 'vitest';
import { isPlainObject, objectsOf, type PlainObject } from '../../src/core/shared/json.js';
import { startEmulator } from '../../src/testing/emulator.js';
import type { ScriptedItem } from '../../src/testing/index.js';
import type { Route } from '../../src/testing/routes.js';

/** The calls of each round of a conversation. `record` is a tool of the provider, `note` one of the host. */
const ROUNDS = [['record 1', 'note 1'], ['record 2'], ['record 3', 'note 3']] as const;

/** The calls of a complete conversation. */
export const CALLS: readonly string[] = ROUNDS.flat();

/** Returns the text that ends a conversation if the model has received all outputs. */
export const toFinalText = (key: string): string =>
  CALLS.map(call => `${call} returned "${toEffect(key, call)}"`).join(', ');

/** Returns the line that a call appends to the file of effects, which is also its output. */
export const toEffect = (key: string, call: string): string => call.replace(' ', ` ${key} `);

/**
 * Starts a Responses API whose model tells conversations apart by their user message and makes the calls that the history
 * lacks. It checks each request: every call has exactly one output and its original arguments, and nothing belongs to
 * another conversation.
 */
export async function startConversations() {
  const violations: string[] = [];
  const respond: Route = ({ method, body }, { queue }) => {
    if (method !== 'POST' || !isPlainObject(body)) return undefined;
    const conversation = readConversation(objectsOf(body.input));
    violations.push(...conversation.violations);
    // A request that the emulator rejects leaves its script behind.
    queue.splice(0, queue.length, toResponse(conversation));
    // Requests with images are large, so none is kept.
    (emulator.requests as unknown[]).length = 0;
    return undefined;
  };
  const emulator = await startEmulator({}, { routes: [respond] });
  onTestFinished(() => emulator.close());
  return { baseURL: emulator.baseURL, violations };
}

interface Conversation {
  readonly key: string;
  /** The texts of the outputs that the model has received, by call. */
  readonly outputs: ReadonlyMap<string, string>;
  readonly violations: readonly string[];
}

function readConversation(items: readonly PlainObject[]): Conversation {
  const key =
    /conversation-\d+/.exec(JSON.stringify(items.find(({ role }) => role === 'user')))?.[0] ?? 'unknown';
  const violations: string[] = [];
  const report = (violation: string) => violations.push(`${key}: ${violation}`);
  const outputs = new Map<string, string>();
  const calls = items.filter(({ type }) => type === 'function_call');
  const results = items.filter(({ type }) => type === 'function_call_output');

  for (const { name, call_id, arguments: input } of calls) {
    const own = results.filter(result => result.call_id === call_id);
    if (own.length !== 1) report(`${own.length} outputs for the call ${call_id} of ${name}`);
    const { step } = JSON.parse(String(input)) as { step?: unknown };
    if (input !== JSON.stringify({ key, step }))
      report(`the call ${call_id} of ${name} has the arguments ${input}`);
    const call = `${name} ${step}`;
    if (outputs.has(call)) report(`${call} occurs twice`);
    outputs.set(call, own.map(({ output }) => toText(output)).join());
  }
  for (const { call_id } of results) {
    if (!calls.some(call => call.call_id === call_id)) report(`an output for ${call_id} without a call`);
  }
  for (const owner of findOwners(items)) if (owner !== key) report(`data of ${owner}`);
  return { key, outputs, violations };
}

/** Returns the conversations that the texts and images of a request belong to. */
function findOwners(items: readonly PlainObject[]): Set<string> {
  const json = JSON.stringify(items);
  const images = [...json.matchAll(/data:image\/png;base64,([\w+/]{48})/g)];
  const texts = [json, ...images.map(([, start = '']) => Buffer.from(start, 'base64').toString())];
  return new Set(texts.flatMap(text => text.match(/conversation-\d+/g) ?? []));
}

const toText = (output: unknown): string =>
  typeof output === 'string'
    ? output
    : String(objectsOf(output).find(({ type }) => type === 'input_text')?.text);

/** Returns the next calls, or the final text. Half of the conversations number the calls of each response from 0. */
function toResponse({ key, outputs }: Conversation): readonly ScriptedItem[] {
  const missing = ROUNDS.map(calls => calls.filter(call => !outputs.has(call))).find(
    calls => calls.length > 0,
  );
  if (missing === undefined) {
    return [{ text: CALLS.map(call => `${call} returned "${outputs.get(call)}"`).join(', ') }];
  }
  const countsFromZero = Number(key.slice(-1)) % 2 === 1;
  const calls = missing.map((call, index) => {
    const [name = '', step] = call.split(' ');
    const callId = countsFromZero ? `call_${index}` : `call_${name}_${step}`;
    return { call: name, callId, arguments: { key, step: Number(step) } };
  });
  return [{ reasoning: 'The next step.' }, ...calls];
}

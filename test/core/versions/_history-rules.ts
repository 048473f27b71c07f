import type { Json, Wire, WireRequest } from './_wires.js';

/** A call that has finished before a request. Its arguments contain `key`, and its true output contains `out:key`. */
export interface FinishedCall {
  readonly key: string;
  /** The id that the model gave it. Undefined if it gave none, or one that repeats. */
  readonly id: string | undefined;
  /** The server ran it, so that only this server may have a form for it. */
  readonly hosted?: boolean;
  /** The expected text of the output. @default `out:` and the key */
  readonly output?: string;
  /** The history may have lost it. */
  readonly optional?: boolean;
}

interface RulesOptions {
  readonly finished: readonly FinishedCall[];
  readonly storedItem: (id: string) => Json | undefined;
  /** The ids that the model accepts. */
  readonly ids?: RegExp;
  /** The calls that the server ran have to be in the request, too. */
  readonly sendsHosted?: boolean;
  /** Texts of user messages, in order. */
  readonly prompts?: readonly string[];
}

/** The parts of a request that the rules are about, in order. */
type Entry =
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: 'output'; readonly id: string; readonly name?: string; readonly text: string }
  | { readonly type: 'hosted'; readonly text: string }
  | { readonly type: 'text'; readonly role: string; readonly text: string };

/**
 * Checks that a request contains each finished call once, with its own id and its true output, in the order that the API
 * requires, and no other calls.
 *
 * @returns the first fault, or undefined.
 */
export function findFault(
  request: WireRequest,
  { finished, storedItem, prompts, ids = ANY_ID, sendsHosted = false }: RulesOptions,
): string | undefined {
  try {
    const entries = readers[request.wire](request.body, storedItem);
    checkCalls(entries, { finished, wire: request.wire, ids, sendsHosted });
    if (prompts !== undefined) checkPrompts(entries, prompts);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

/** Returns the calls of a request with their outputs, in the order of the calls. Fails if the request breaks a rule. */
export function callsOf(
  { wire, body }: WireRequest,
  { storedItem }: Pick<RulesOptions, 'storedItem'>,
): { name: string; output: string | undefined }[] {
  const entries = readers[wire](body, storedItem);
  return entries.flatMap(entry => {
    if (entry.type !== 'call') return [];
    const outputs = entries.filter(other => other.type === 'output' && other.id === entry.id);
    const [output] = outputs.map(other => (other.type === 'output' ? other.text : ''));
    return [{ name: entry.name, output: outputs.length === 1 ? output : undefined }];
  });
}

class Fault extends Error {}

function fail(message: string): never {
  throw new Fault(message);
}

const hostedCall = (key: string, id: string | undefined): FinishedCall | undefined =>
  key === id ? { key, id, hosted: true } : undefined;

const keyIn = (text: string): string | undefined => /\bk\d{3}\b/.exec(text)?.[0];

/** The longest id that the Responses API accepts has 64 characters. */
const ANY_ID = /^[\w.:-]{1,64}$/;

function checkCalls(
  entries: readonly Entry[],
  {
    finished,
    wire,
    ids,
    sendsHosted,
  }: Pick<RulesOptions, 'finished'> & { wire: Wire; ids: RegExp; sendsHosted: boolean },
): void {
  const expected = new Map(finished.map(call => [call.key, call]));
  const keyOfId = new Map<string, string>();
  const seen = new Set<string>();
  const answered = new Set<string>();

  for (const entry of entries) {
    switch (entry.type) {
      case 'call': {
        const { id, name, input } = entry;
        // The arguments of a hosted call may be empty. It is known by its result.
        const hosted = name === 'web_search' ? id : undefined;
        const key = keyIn(input) ?? hosted ?? fail(`a call of ${name} that no model made: ${input}`);
        const call =
          expected.get(key) ?? hostedCall(key, hosted) ?? fail(`the call ${key}, which was not made`);
        if (seen.has(key)) fail(`the call ${key} is sent twice, once as ${id}`);
        seen.add(key);
        if (keyOfId.has(id)) fail(`the calls ${keyOfId.get(id)} and ${key} have the same id ${id}`);
        keyOfId.set(id, key);
        if (!ids.test(id)) fail(`the call ${key} has the id ${JSON.stringify(id)}`);
        if (wire === 'responses' && call.id !== undefined && call.id !== id) {
          fail(`the call ${key} is sent as ${id} instead of ${call.id}`);
        }
        break;
      }
      case 'output': {
        const { id, text } = entry;
        const key = keyOfId.get(id) ?? fail(`the output of ${id}, which has no call before it: ${text}`);
        if (answered.has(key)) fail(`two outputs of the call ${key}`);
        answered.add(key);
        const call = expected.get(key);
        const { output = `out:${key}` } = call ?? {};
        const isHosted = call === undefined || call.hosted === true;
        if (!isHosted && !text.includes(output)) fail(`the call ${key} has the output ${text}`);
        if (/interrupted/i.test(text)) fail(`the call ${key} is said to be interrupted: ${text}`);
        break;
      }
      case 'hosted': {
        const key = keyIn(entry.text) ?? fail(`a hosted call that no model made: ${entry.text}`);
        if (expected.get(key)?.hosted !== true) fail(`the hosted call ${key}, which no server ran`);
        if (seen.has(key)) fail(`the hosted call ${key} is sent twice`);
        seen.add(key);
        answered.add(key);
        break;
      }
      case 'text': {
        const key = entry.role === 'assistant' ? keyIn(entry.text) : undefined;
        if (key !== undefined && !expected.get(key)?.hosted)
          fail(`the call ${key} is sent as text: ${entry.text}`);
      }
    }
  }
  for (const { key, hosted, optional } of finished) {
    if (!seen.has(key) && (sendsHosted || !hosted) && !optional) fail(`the call ${key} is missing`);
  }
  for (const key of seen) if (!answered.has(key)) fail(`the call ${key} has no output`);
}

function checkPrompts(entries: readonly Entry[], prompts: readonly string[]): void {
  const sent = entries.flatMap(entry => (entry.type === 'text' && entry.role === 'user' ? [entry.text] : []));
  const texts = sent.join('\n');
  let from = 0;
  for (const prompt of prompts) {
    const at = texts.indexOf(prompt, from);
    if (at < 0) fail(`the message "${prompt}" of the user is missing or not in its place`);
    from = at + prompt.length;
  }
}

type Reader = (body: Json, storedItem: RulesOptions['storedItem']) => Entry[];

const objectsOf = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter(one => typeof one === 'object' && one !== null) : [];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

const readers: Readonly<Record<Wire, Reader>> = {
  /** An item reference stands for a stored item. Reasoning stands before an item of the same response. */
  responses({ input, previous_response_id: previous }, storedItem) {
    if (previous !== undefined && previous !== null) fail(`the history is replaced by ${previous}`);
    const items = objectsOf(input).map(item =>
      item.type === 'item_reference'
        ? (storedItem(String(item.id)) ?? fail(`a reference to ${item.id}, which is not stored`))
        : item,
    );
    return items.flatMap((item, index): Entry[] => {
      const { type, role } = item;
      if (type === 'function_call') {
        const { call_id: id, name, arguments: json } = item;
        return [{ type: 'call', id: String(id), name: String(name), input: textOf(json) }];
      }
      if (type === 'function_call_output') {
        return [{ type: 'output', id: String(item.call_id), text: textOf(item.output) }];
      }
      if (type === 'reasoning') {
        const next = items[index + 1];
        const follows = next !== undefined && next.role !== 'user' && next.type !== 'function_call_output';
        if (!follows) fail('reasoning without the item that it belongs to');
        return [];
      }
      if (type === 'web_search_call') return [{ type: 'hosted', text: textOf(item) }];
      if (typeof role === 'string') return [{ type: 'text', role, text: textOf(item.content) }];
      return fail(`an item of type ${textOf(type)}`);
    });
  },

  /** The outputs follow directly after the message with the calls. */
  chat({ messages }) {
    const open: string[] = [];
    const entries: Entry[] = [];
    for (const message of objectsOf(messages)) {
      const { role, content, tool_call_id: id, tool_calls: calls } = message;
      if (role === 'tool') {
        const at = open.indexOf(String(id));
        if (at < 0) fail(`a tool message with the id ${textOf(id)}, which no call before it has`);
        open.splice(at, 1);
        entries.push({ type: 'output', id: String(id), text: textOf(content) });
        continue;
      }
      if (open.length > 0)
        fail(`a message of ${textOf(role)} between a call and its output (${open.join()})`);
      entries.push({ type: 'text', role: String(role), text: textOf(content) });
      for (const { id: callId, function: called } of objectsOf(calls)) {
        const { name, arguments: input } = called as Json;
        open.push(String(callId));
        entries.push({ type: 'call', id: String(callId), name: String(name), input: textOf(input) });
      }
    }
    if (open.length > 0) fail(`calls without outputs at the end (${open.join()})`);
    return entries;
  },

  /** A content with calls is followed by a content with as many responses, in the same order. */
  gemini({ contents }) {
    const entries: Entry[] = [];
    let open: { id: string; name: string }[] = [];
    let count = 0;
    for (const { role, parts } of objectsOf(contents)) {
      const calls = objectsOf(parts).filter(part => part.functionCall !== undefined);
      const responses = objectsOf(parts).filter(part => part.functionResponse !== undefined);
      if (responses.length !== open.length) {
        fail(`${open.length} calls are followed by a content with ${responses.length} responses`);
      }
      for (const { functionResponse } of responses) {
        const { name, response } = functionResponse as Json;
        const call = open.shift();
        if (call?.name !== name) fail(`the response of ${textOf(name)} in place of that of ${call?.name}`);
        entries.push({ type: 'output', id: call?.id ?? '', text: textOf(response) });
      }
      open = [];
      for (const { text } of objectsOf(parts)) {
        if (typeof text !== 'string') continue;
        entries.push({ type: 'text', role: role === 'model' ? 'assistant' : 'user', text });
      }
      for (const { functionCall } of calls) {
        const { name, args } = functionCall as Json;
        const id = `position-${count++}`;
        open.push({ id, name: String(name) });
        entries.push({ type: 'call', id, name: String(name), input: textOf(args) });
      }
    }
    if (open.length > 0) fail(`${open.length} calls without responses at the end`);
    return entries;
  },
};

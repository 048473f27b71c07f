import { isPlainObject, objectsOf, type PlainObject } from '../../src/core/shared/json.js';
import type { ScriptedItem, ScriptedOutput, ScriptedResponse } from '../../src/testing/protocol/scripts.js';
import type { Route } from '../../src/testing/routes.js';
import type { Answer } from './_host-approvals.js';

/** A kind of turn: what its model does, and how it has to end. */
export interface Kind {
  /** Returns the user message. The rule-based model reads it if there is no `respond`, else it contains "Turn 7.". */
  readonly prompt: (turn: number) => string;
  /** Returns the next response to a history with these calls. */
  readonly respond?: (turn: number, calls: readonly PlainObject[]) => ScriptedOutput;
  readonly maxOutputTokens?: number;
  /** The host approves the calls: what it answers. */
  readonly answer?: (turn: number) => Answer;
  /** The finish reason and a text of a turn without a fault. */
  readonly end: (turn: number) => { readonly finishReason: string; readonly text: string };
  /** Executions of the tools `save` and `remove` in a turn without a fault. With a fault there may be fewer. */
  readonly runs: (turn: number) => number;
}

/** The decision of `approve` on the calls of a turn. */
export const decisionOf = (turn: number) => variantOf(turn, ['approve', 'refuse', 'throw']);

const done = { output: [{ text: 'Done.' }] };
const stop = () => ({ finishReason: 'stop', text: 'Done.' });
const once = () => 1;
const never = () => 0;

const call = (name: string, input: PlainObject | string, callId: string): ScriptedItem => ({
  call: name,
  arguments: input,
  callId,
});

const simple: Kind = {
  prompt: turn => `First get the sum of ${turn} and 1, then count the words of "a turn of the soak".`,
  end: turn => ({ finishReason: 'stop', text: `is ${turn + 1}.` }),
  runs: never,
};

/** Calls of tools that do not exist, beside one whose name has to be matched. */
const unknownTools: Kind = {
  prompt: turn => `Turn ${turn}. Call unknown tools.`,
  respond: (turn, calls) => {
    const name = variantOf(turn, ['functions.save', 'SAVE', ' save\n', 'default_api.save']);
    const names = ['launch_rocket', name, `save_${turn}_twice`];
    return calls.length > 0
      ? done
      : { output: names.map((name, index) => call(name, { turn }, `call_${index}`)) };
  },
  end: stop,
  runs: once,
};

const approvals: Kind = {
  prompt: turn => `Turn ${turn}. Remove a record.`,
  respond: (turn, calls) => (calls.length > 0 ? done : { output: [call('remove', { turn }, 'call_0')] }),
  end: stop,
  runs: turn => (decisionOf(turn) === 'approve' ? 1 : 0),
};

const answerOf = (turn: number): Answer => variantOf(turn, ['approve', 'refuse', 'forge', 'repeat']);

/** Calls that the host approves in a second turn. */
const hostApprovals: Kind = {
  ...approvals,
  answer: answerOf,
  runs: turn => (['approve', 'repeat'].includes(answerOf(turn)) ? 1 : 0),
};

/** Arguments that end at the token limit, reported as `completed` or as `incomplete`. */
const truncated: Kind = {
  prompt: turn => `Turn ${turn}. Write a lot.`,
  respond: (turn, calls) => {
    if (calls.length > 0) return done;
    const end = variantOf(turn, ['', ',', ', "note": "a', ', "no', ', "note": ']);
    const output = [call('save', `{"turn": ${turn}${end}`, 'call_0')];
    return variantOf(turn, ['incomplete', 'completed']) === 'completed'
      ? { output, usage: { input_tokens: 10, output_tokens: 64, total_tokens: 74 } }
      : { output, incomplete: 'max_output_tokens' };
  },
  maxOutputTokens: 64,
  end: () => ({ finishReason: 'length', text: '' }),
  runs: never,
};

/** One call after the other with equal arguments. The loop runs five of them. */
const repeated: Kind = {
  prompt: turn => `Turn ${turn}. Save the same again and again.`,
  respond: (turn, calls) =>
    calls.length >= 6 ? done : { output: [call('save', { turn }, `call_${calls.length}`)] },
  end: stop,
  runs: () => 5,
};

const kinds: readonly Kind[] = [
  simple,
  unknownTools,
  simple,
  approvals,
  simple,
  truncated,
  hostApprovals,
  repeated,
];

export const kindOf = (turn: number): Kind => kinds[turn % kinds.length] ?? simple;

/** Returns one of the variants of a kind: the next one for each turn of the kind. */
function variantOf<const Variant>(turn: number, variants: readonly [Variant, ...Variant[]]): Variant {
  return variants[Math.floor(turn / kinds.length) % variants.length] ?? variants[0];
}

/**
 * Creates a route that scripts the response to each request by its turn. A scripted fault keeps its place and gets the
 * output of the turn. Reports requests in which a call has not exactly one output.
 */
export function scriptTurns(report: (violation: string) => void): Route {
  return ({ method, body }, { queue }) => {
    if (method !== 'POST' || !isPlainObject(body)) return undefined;
    const items = objectsOf(body.input);
    const turn = Number(/Turn (\d+)\./.exec(JSON.stringify(items))?.[1]);
    const calls = items.filter(({ type }) => type === 'function_call');
    for (const violation of findUnpaired(items)) report(`turn ${turn}: ${violation}`);

    const script = body.tool_choice === 'none' ? done : kindOf(turn).respond?.(turn, calls);
    if (script !== undefined) queue.splice(0, 1, withFault(script, queue[0]));
    return undefined;
  };
}

function* findUnpaired(items: readonly PlainObject[]): Generator<string> {
  const idsOf = (name: string) => items.filter(({ type }) => type === name).map(({ call_id }) => call_id);
  const calls = idsOf('function_call');
  const outputs = idsOf('function_call_output');
  for (const id of new Set([...calls, ...outputs])) {
    const count = (ids: readonly unknown[]) => ids.filter(other => other === id).length;
    if (count(calls) !== 1 || count(outputs) !== 1) {
      yield `${count(calls)} calls and ${count(outputs)} outputs with the id ${id}`;
    }
  }
}

const withFault = (script: ScriptedOutput, fault: ScriptedResponse | undefined): ScriptedResponse => {
  if (fault === undefined) return script;
  return 'fault' in fault && fault.fault !== undefined ? { ...script, ...fault } : fault;
};

import type { PlainObject } from '../shared/json.js';
import { type ApiError, badRequest } from './api-errors.js';
import type { ItemMemory } from './state.js';

/** The calls that need an output, with the type of the output and the API's name for the call. */
const pairs: Readonly<Record<string, { output: string; noun: string }>> = {
  function_call: { output: 'function_call_output', noun: 'function call' },
  custom_tool_call: { output: 'custom_tool_call_output', noun: 'custom tool call' },
  computer_call: { output: 'computer_call_output', noun: 'computer call' },
  local_shell_call: { output: 'local_shell_call_output', noun: 'local shell call' },
  shell_call: { output: 'shell_call_output', noun: 'shell call' },
  apply_patch_call: { output: 'apply_patch_call_output', noun: 'apply patch call' },
  tool_search_call: { output: 'tool_search_output', noun: 'tool search call' },
};

const callTypes = new Map(Object.entries(pairs).map(([type, { output }]) => [output, type]));

/** Requires one preceding call per output and one output per call, and the caller and namespace of the call in both. */
export function findUnpairedCall(items: readonly PlainObject[], memory: ItemMemory): ApiError | undefined {
  let open: PlainObject[] = [];
  for (const item of items) {
    const type = String(item.type);
    if (Object.hasOwn(pairs, type)) {
      const error = findChangedCall(item, memory);
      if (error !== undefined) return error;
      open.push(item);
    }
    const callType = callTypes.get(type);
    if (callType === undefined) continue;
    const call = open.find(other => other.type === callType && toPairId(other) === toPairId(item));
    if (call === undefined) return noCall(item, pairs[callType]?.noun ?? '');
    const error = findMismatch(call, item);
    if (error !== undefined) return error;
    open = open.filter(other => other !== call);
  }
  const [first] = open;
  if (first === undefined) return findLoneProgramPart(items);
  const noun = pairs[String(first.type)]?.noun ?? '';
  return badRequest(`No tool output found for ${noun} ${toPairId(first)}.`, { param: 'input' });
}

/** Searches of the server have no `call_id`; a local shell call may be named by its item. */
const toPairId = ({ type, call_id, id }: PlainObject): string =>
  String(call_id ?? (type === 'local_shell_call_output' ? id : call_id));

const noCall = (output: PlainObject, noun: string): ApiError =>
  badRequest(`No tool call found for ${noun} output with call_id ${toPairId(output)}.`, { param: 'input' });

/** A call with another namespace or caller than the model gave it is another call. */
function findChangedCall(call: PlainObject, memory: ItemMemory): ApiError | undefined {
  const issued = typeof call.call_id === 'string' ? memory.findCall(call.call_id) : undefined;
  if (issued === undefined) return undefined;
  const field = ['namespace', 'caller'].find(
    name => JSON.stringify(call[name] ?? null) !== JSON.stringify(issued[name] ?? null),
  );
  if (field === undefined) return undefined;
  return badRequest(
    `Invalid '${field}' of function call ${String(call.call_id)}: it does not match the call of the model.`,
    { param: 'input' },
  );
}

function findMismatch(call: PlainObject, output: PlainObject): ApiError | undefined {
  if (JSON.stringify(call.caller ?? null) !== JSON.stringify(output.caller ?? null)) {
    return badRequest(
      `The caller of the output with call_id ${toPairId(output)} does not match the caller of its call.`,
      { param: 'input' },
    );
  }
  if (output.namespace !== undefined && output.namespace !== call.namespace) {
    return noCall(output, 'function call');
  }
  if (call.type !== 'computer_call') return undefined;
  const acknowledged = idsOf(output.acknowledged_safety_checks);
  const missing = idsOf(call.pending_safety_checks).filter(id => !acknowledged.includes(id));
  if (missing.length === 0) return undefined;
  return badRequest(
    `The computer call ${toPairId(call)} has pending safety checks that must be acknowledged: ${missing.join(', ')}.`,
    { param: 'input' },
  );
}

const idsOf = (checks: unknown): string[] =>
  (Array.isArray(checks) ? checks : []).map(check => String((check as PlainObject).id));

/** A call of a program and the output of a program need the program. */
function findLoneProgramPart(items: readonly PlainObject[]): ApiError | undefined {
  const programs = new Set<unknown>();
  for (const item of items) {
    if (item.type === 'program') programs.add(item.call_id);
    if (item.type === 'program_output' && !programs.has(item.call_id)) return noCall(item, 'program');
    const caller = item.caller as PlainObject | null | undefined;
    if (caller?.type === 'program' && !programs.has(caller.caller_id)) {
      return badRequest(`No program found for caller_id ${String(caller.caller_id)}.`, { param: 'input' });
    }
  }
  return undefined;
}

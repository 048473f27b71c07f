import { objectsOf, type PlainObject } from '../../core/shared/json.js';
import { type ApiError, badRequest, findFirst, type ItemMemory, itemNotFound } from '../protocol/wire.js';
import { toItemType } from '../protocol/request.js';

/**
 * Returns the API's first error for a conversation: unknown references, duplicate items, reasoning that is separated
 * from its following item, calls without outputs.
 *
 * `items` is the complete conversation, oldest first; `memory` contains the earlier responses.
 */
export function validateConversation(
  items: readonly PlainObject[],
  options: { memory: ItemMemory; store: boolean },
): ApiError | undefined {
  return (
    findFirst(checks, check => check(items, options.memory)) ??
    (options.store ? findUnnamedFollower(items, options.memory) : undefined)
  );
}

const checks = [
  findUnknownItem,
  findDuplicate,
  findUnverified,
  findInvalidItem,
  findLoneReasoning,
  findLoneItem,
  findUnpairedCall,
];

function findUnknownItem(items: readonly PlainObject[], memory: ItemMemory): ApiError | undefined {
  const isUnknown = (item: PlainObject): boolean => {
    if (toItemType(item) === 'item_reference') return true; // References to known items were already replaced.
    if (item.type !== 'reasoning' || isEncrypted(item)) return false;
    return typeof item.id !== 'string' || memory.findItem(item.id) === undefined;
  };
  const unknown = items.find(isUnknown);
  return unknown === undefined ? undefined : itemNotFound(String(unknown.id));
}

function findDuplicate(items: readonly PlainObject[]): ApiError | undefined {
  const seen = new Set<unknown>();
  for (const { id } of items) {
    if (typeof id === 'string' && seen.has(id)) {
      return badRequest(
        `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
        { param: 'input' },
      );
    }
    seen.add(id);
  }
  return undefined;
}

function findUnverified(items: readonly PlainObject[], memory: ItemMemory): ApiError | undefined {
  return findFirst(items, item => {
    if (item.type !== 'reasoning' || !isEncrypted(item)) return undefined;
    const id = memory.findReasoningId(String(item.encrypted_content));
    if (id === undefined) return unverified(item, 'Encrypted content could not be decrypted or parsed.');
    if (typeof item.id !== 'string' || item.id === id) return undefined;
    return unverified(item, 'Encrypted content item_id did not match the target item id.');
  });
}

function findLoneReasoning(items: readonly PlainObject[], memory: ItemMemory): ApiError | undefined {
  return findFirst(items, (item, index) => {
    const id = toReasoningId(item, memory);
    if (id === undefined || !memory.hasFollower(id) || isModelItem(items[index + 1])) return undefined;
    return withoutFollower(id);
  });
}

/** A server that stores items recognizes a message after reasoning by its id. */
function findUnnamedFollower(items: readonly PlainObject[], memory: ItemMemory): ApiError | undefined {
  return findFirst(items, ({ type, id }, index) => {
    const follower = items[index + 1];
    const isUnnamed = follower?.role === 'assistant' && follower.id === undefined;
    return type === 'reasoning' && typeof id === 'string' && memory.hasFollower(id) && isUnnamed
      ? withoutFollower(id)
      : undefined;
  });
}

const withoutFollower = (id: string): ApiError =>
  badRequest(`Item '${id}' of type 'reasoning' was provided without its required following item.`, {
    param: 'input',
  });

function findLoneItem(items: readonly PlainObject[], memory: ItemMemory): ApiError | undefined {
  const present = new Set(items.map(item => toReasoningId(item, memory)));
  return findFirst(items, item => {
    const reasoningId = typeof item.id === 'string' ? memory.findReasoningOf(item.id) : undefined;
    if (reasoningId === undefined || present.has(reasoningId)) return undefined;
    return badRequest(
      `Item '${String(item.id)}' of type '${toItemType(item)}' was provided without its required 'reasoning' item: '${reasoningId}'.`,
      { param: 'input' },
    );
  });
}

/** Compaction, images and changes of the configuration that the API rejects. */
function findInvalidItem(items: readonly PlainObject[], memory: ItemMemory): ApiError | undefined {
  return findFirst(items, (item, index) => {
    if (item.type === 'compaction' && memory.findCompacted(String(item.encrypted_content)) === undefined) {
      return unverified(item, 'Encrypted content could not be decrypted or parsed.');
    }
    if (item.type === 'configuration_update' && items[index + 1]?.type === 'configuration_update') {
      return badRequest('Configuration updates cannot be consecutive.', { param: `input[${index + 1}]` });
    }
    return undefined;
  });
}

const isEncrypted = (item: PlainObject): boolean =>
  item.encrypted_content !== undefined && item.encrypted_content !== null;

/** Encrypted content identifies its item even without an `id`. */
const toReasoningId = (item: PlainObject, memory: ItemMemory): string | undefined => {
  if (item.type !== 'reasoning') return undefined;
  if (typeof item.id === 'string') return item.id;
  return memory.findReasoningId(String(item.encrypted_content));
};

const isModelItem = (item: PlainObject | undefined): boolean =>
  item !== undefined &&
  (toItemType(item) === 'message'
    ? item.role === 'assistant'
    : modelItems.has(toItemType(item)) || toItemType(item).endsWith('_call'));

/** Items that the model writes, besides messages and calls. */
const modelItems: ReadonlySet<string> = new Set([
  'reasoning',
  'program',
  'compaction',
  'mcp_approval_request',
]);

const unverified = ({ id }: PlainObject, reason: string): ApiError =>
  badRequest(
    `The encrypted content${typeof id === 'string' ? ` for item ${id}` : ''} could not be verified. Reason: ${reason}`,
    { code: 'invalid_encrypted_content' },
  );

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
function findUnpairedCall(items: readonly PlainObject[], memory: ItemMemory): ApiError | undefined {
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
const toPairId = (output: PlainObject): string =>
  String(output.call_id ?? (output.type === 'local_shell_call_output' ? output.id : output.call_id));

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

const idsOf = (checks: unknown): string[] => objectsOf(checks).map(entry => String(entry.id));

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

import { objectOf, objectsOf, stringOf } from '../../core/shared/json.js';
import {
  type InputItem,
  isCompaction,
  isFunctionCallOutput,
  isReasoning,
  type ItemRelations,
  rebuiltItems,
  type ResponsesRequestBody,
  type WireTool,
} from '../wire.js';
import type { RejectionText } from './rejection-text.js';

/* Rejections that name one item of the input, or a tool. The repair of an item belongs to the request, and nothing is learned from it. */

/**
 * The rejection of encrypted content, of reasoning or of a compaction: it is encrypted for the account that created it
 * (Wei-Shaw/sub2api#5084).
 */
export const REFUSED_CONTENT: readonly RegExp[] = [
  /invalid_encrypted_content/, // openai/codex#8145
  /encrypted content .{0,200}could not be verified/i, // openai/openai-agents-python#2063
];

/** Other texts that name encrypted content or reasoning. */
export const ENCRYPTED_TEXTS: readonly RegExp[] = [
  /encrypted[ _](?:content|reasoning)/i,
  /reasoning [^.]{0,60}encrypt/i,
];

interface ItemRepair {
  readonly texts: readonly RegExp[];
  /** Returns the changed input, or undefined if it does not contain what the server names. */
  readonly repair: (
    id: string,
    body: ResponsesRequestBody,
    relations: ItemRelations,
  ) => InputItem[] | undefined;
}

const ITEM_REPAIRS: readonly ItemRepair[] = [
  {
    texts: [...REFUSED_CONTENT, ...ENCRYPTED_TEXTS],
    repair: (_id, body, relations) => withoutRefusedCompaction(body, relations),
  },
  {
    // A reference to an item that the server has not stored, or no longer.
    texts: [/Item with id '?([\w-]+)'? not found/i],
    repair: (id, body, relations) =>
      body.input.some(item => isReferenceTo(item, id))
        ? body.input.flatMap(item => (isReferenceTo(item, id) ? rebuiltItems(item, relations) : item))
        : undefined,
  },
  {
    // The input, or the stored conversation, contains the item already.
    texts: [/Duplicate item found with id '?([\w-]+?)'?\./i],
    repair: (id, body, relations) => withoutDuplicate(body.input, id, relations),
  },
  {
    // The stored response ended with a call that was never answered.
    texts: [/No tool output found for function call '?([\w-]+?)'?\./i],
    repair: (id, body) => withMissingOutput(id, body),
  },
];

/** Returns the input with the change that a rejection requires. Undefined for other rejections. */
export function repairInput(
  body: ResponsesRequestBody,
  rejection: RejectionText,
  relations: ItemRelations,
): InputItem[] | undefined {
  for (const { texts, repair } of ITEM_REPAIRS) {
    for (const text of texts) {
      const match = rejection.match(text);
      const repaired = match === undefined ? undefined : repair(match[1] ?? '', body, relations);
      if (repaired !== undefined) return repaired;
    }
  }
  return undefined;
}

/**
 * Returns the input with the items that the newest compaction replaced, and without compactions. Undefined if the request
 * has no compaction, or if the history did not contain what it replaced.
 */
function withoutRefusedCompaction(
  body: ResponsesRequestBody,
  relations: ItemRelations,
): InputItem[] | undefined {
  const isCompacted = (item: InputItem): boolean => isCompaction(item, relations);
  const newest = body.input.findLastIndex(isCompacted);
  const compaction = body.input[newest];
  const replaced = compaction && relations.replaced.get(compaction);
  if (replaced === undefined || !replaced.some(item => !isCompacted(item) && isContent(item)))
    return undefined;
  return [...replaced, ...body.input.slice(newest + 1)].filter(item => !isCompacted(item));
}

/** Returns true for an item that the conversation consists of. Hosts keep instructions when they remove old messages. */
const isContent = (item: InputItem): boolean =>
  !('role' in item && item.role !== 'user' && item.role !== 'assistant');

const isReferenceTo = (item: InputItem, id: string): boolean =>
  item.type === 'item_reference' && 'id' in item && item.id === id;

/** Replaces the items of an id by their contents without it, each once. Items without a known content are left out. */
function withoutDuplicate(
  input: readonly InputItem[],
  id: string,
  relations: ItemRelations,
): InputItem[] | undefined {
  const isNamed = (item: InputItem): boolean => 'id' in item && item.id === id;
  if (!input.some(isNamed)) return undefined;
  const sent = new Set<string>();
  return input.flatMap(item => {
    if (!isNamed(item)) return [item];
    const contents = item.type === 'item_reference' ? rebuiltItems(item, relations) : [item];
    return contents.map(withoutId).filter(content => {
      // Without its id, only encrypted reasoning means something to the server.
      if (isReasoning(content) && content.encrypted_content === undefined) return false;
      const json = JSON.stringify(content);
      return sent.size < sent.add(json).size;
    });
  });
}

/** Removes the id of an item. Returns the same object if it has none. */
export function withoutId<Item extends InputItem>(item: Item): Item {
  if (!('id' in item)) return item;
  const { id: _, ...rest } = item;
  return rest as Item;
}

/** Answers a call that only the server has. In a complete input each call has its output. */
function withMissingOutput(callId: string, body: ResponsesRequestBody): InputItem[] | undefined {
  const { input, previous_response_id: previous } = body;
  const isContinued = previous !== undefined || 'conversation' in body;
  const isAnswered = input.some(item => isFunctionCallOutput(item) && item.call_id === callId);
  if (!isContinued || isAnswered) return undefined;
  return [{ type: 'function_call_output', call_id: callId, output: NOT_EXECUTED }, ...input];
}

const NOT_EXECUTED = 'No output: the call was not executed.';

/** The prefix of a tool among the fields that are left out: `tools.<name>`. */
export const TOOL_FIELD = 'tools.';

/**
 * Returns the request without the function of a name, at the top level or in a namespace. Returns the same request if it has
 * no such function, or if its choice requires a call of it: another tool must not run in its place.
 */
export function withoutTool(body: ResponsesRequestBody, name: string): ResponsesRequestBody {
  const { tools = [], tool_choice: choice, ...rest } = body;
  const left = withoutNamed(tools, name);
  if (left === undefined) return body;
  const allowed = objectOf(choice)?.type === 'allowed_tools' ? objectsOf(objectOf(choice)?.tools) : undefined;
  const isAllowedOnly = allowed?.every(tool => tool.name === name) === true;
  const isRequired =
    objectOf(choice)?.name === name ||
    (choice === 'required' && left.length === 0) ||
    (objectOf(choice)?.mode === 'required' && isAllowedOnly);
  if (isRequired) return body;
  // Servers reject a `tool_choice` without tools.
  if (left.length === 0) return rest;
  if (choice === undefined) return { ...rest, tools: left };
  if (allowed === undefined) return { ...rest, tools: left, tool_choice: choice };
  const leftChoice = { ...objectOf(choice), tools: allowed.filter(tool => tool.name !== name) };
  return {
    ...rest,
    tools: left,
    tool_choice: isAllowedOnly ? 'none' : { ...leftChoice, type: 'allowed_tools' },
  };
}

/** Returns undefined if no function has the name. A namespace without tools is left out, too. */
function withoutNamed(tools: readonly WireTool[], name: string): WireTool[] | undefined {
  let isFound = false;
  const left = tools.flatMap((tool): WireTool[] => {
    if (tool.type === 'function' && 'name' in tool && tool.name === name) {
      isFound = true;
      return [];
    }
    if (stringOf(tool.type) !== 'namespace' || !('tools' in tool) || !Array.isArray(tool.tools))
      return [tool];
    const inner = withoutNamed(tool.tools as WireTool[], name);
    if (inner === undefined) return [tool];
    isFound = true;
    return inner.length === 0 ? [] : [{ ...tool, tools: inner }];
  });
  return isFound ? left : undefined;
}

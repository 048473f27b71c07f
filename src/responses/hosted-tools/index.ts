import { asJson, idOf, type PlainObject, stringOf } from '../../shared/json.js';
import { type WireHostedTool, withoutUndefined } from '../wire.js';
import * as tools from './tools.js';
import {
  type HostedItemMapping,
  type HostedTool,
  type HostedToolDeclaration,
  type HostedToolReplay,
  toCallId,
} from './hosted-tool.js';

const allTools: readonly HostedTool[] = Object.values(tools);

/** An item mapping with the ids under which a host may have declared the tool. */
export interface DeclarableItem extends HostedItemMapping {
  readonly declarationIds: readonly string[];
}

const declarationsById = new Map<string, HostedToolDeclaration>();
const declarationsByType = new Map<string, HostedToolDeclaration>();
const replaysById = new Map<string, HostedToolReplay>();
const itemsByType = new Map<string, DeclarableItem>();
const inputDeltaEventTypes: string[] = [];
const historyNames = new Set<string>();
const historyPrefixes: string[] = [];
const itemIdPrefixes = new Set<string>();

for (const { declarations, items, replay, history } of allTools) {
  const declarationIds = Object.keys(declarations);
  for (const [id, declaration] of Object.entries(declarations)) {
    declarationsById.set(id, declaration);
    if (declaration.type !== undefined) declarationsByType.set(declaration.type, declaration);
    if (replay !== undefined) replaysById.set(id, replay);
  }
  for (const [type, item] of Object.entries(items)) {
    itemsByType.set(type, { ...item, declarationIds });
    if (item.inputStream !== undefined) inputDeltaEventTypes.push(item.inputStream.deltaEvent);
  }
  for (const name of history?.toolNames ?? []) {
    if (name.endsWith('.')) historyPrefixes.push(name);
    else historyNames.add(name);
  }
  for (const prefix of history?.idPrefixes ?? []) itemIdPrefixes.add(prefix);
}

/** Returns the declaration of a tool by the id under which a host declares it. */
export const declarationOf = (id: string): HostedToolDeclaration | undefined => declarationsById.get(id);

/** Returns the declaration of a tool by its type in the request. */
export const declarationOfType = (type: string): HostedToolDeclaration | undefined =>
  declarationsByType.get(type);

/**
 * Converts a provider-defined tool to its declaration in the request. `name` is the name of the tool in the request, if
 * the host names it. Returns undefined for a tool that is unknown or not sent.
 */
export function toHostedTool({
  id,
  name,
  args,
}: {
  id: string;
  name: string;
  args?: PlainObject;
}): WireHostedTool | undefined {
  const { type, isNamedByHost, toSettings } = declarationOf(id) ?? {};
  if (type === undefined) return undefined;
  return withoutUndefined({ type, ...(isNamedByHost && { name }), ...toSettings?.(args ?? {}) });
}

/** Returns the replay rules of a tool that the host executes, by the id under which it is declared. */
export const replayOf = (id: string): HostedToolReplay | undefined => replaysById.get(id);

/** Returns the mapping of an output item. An item of an unknown type becomes a call with the complete item as result. */
export const itemMappingOf = ({ type }: PlainObject): DeclarableItem =>
  itemsByType.get(stringOf(type)) ?? UNKNOWN_ITEM;

const UNKNOWN_ITEM: DeclarableItem = {
  declarationIds: [],
  toolName: ({ type }) => stringOf(type).replace(/_call$/, '') || 'hosted_tool',
  callId: item => idOf(item.id) ?? toCallId(item),
  result: item => asJson(item) ?? {},
};

/** Types of the events that stream the input of a hosted call. */
export const inputDeltaEvents: readonly string[] = inputDeltaEventTypes;

/** Returns true for items in which the model calls a hosted tool. */
export function isHostedCall(type: string): boolean {
  const item = itemsByType.get(type);
  return item !== undefined && item.resultOf === undefined;
}

/**
 * Returns true if a provider-executed call or result in a history belongs to a hosted tool.
 *
 * An MCP server may offer a tool with the same name, for example `web_search`. The id distinguishes them: ids of
 * function calls begin with `call_`, and a hosted call has the id of its item, such as `ws_…`. The host may have
 * declared the tool under any name.
 */
export function isHostedToolPart({
  toolName,
  toolCallId,
}: {
  toolName: string;
  toolCallId: string;
}): boolean {
  if (itemIdPrefixes.has(/^([a-z]+)_/.exec(toolCallId)?.[1] ?? '')) return true;
  if (toolCallId.startsWith('call_')) return false;
  return historyNames.has(toolName) || historyPrefixes.some(prefix => toolName.startsWith(prefix));
}

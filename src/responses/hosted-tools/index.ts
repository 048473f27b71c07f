import { type PlainObject, stringOf } from '../../core/shared/json.js';
import { findHostedTool, type HistoryPart } from '../../core/tool-calls/hosted-tools.js';
import { type WireHostedTool, withoutUndefined } from '../wire.js';
import { toWireNames } from '../../core/shared/names.js';
import { applyPatch } from './apply-patch.js';
import { codeInterpreter } from './code-interpreter.js';
import { computer, computerUse } from './computer.js';
import { custom } from './custom.js';
import { fileSearch } from './file-search.js';
import type {
  HostedItemMapping,
  HostedTool,
  HostedToolDeclaration,
  HostedToolReplay,
} from './hosted-tool.js';
import { imageGeneration } from './image-generation.js';
import { localShell } from './local-shell.js';
import { mcp, mcpApproval } from './mcp.js';
import { programmaticToolCalling } from './programmatic-tool-calling.js';
import { shell } from './shell.js';
import { toolSearch } from './tool-search.js';
import * as tools from './tools.js';
import { webSearch, webSearchPreview } from './web-search.js';

const allTools: readonly HostedTool[] = Object.values(tools);

/** An item mapping with the ids under which a host may have declared the tool. */
export interface DeclarableItem extends HostedItemMapping {
  readonly declarationIds: readonly string[];
}

const declarationsById = new Map<string, HostedToolDeclaration>();
const declarationsByType = new Map<string, HostedToolDeclaration>();
const replaysById = new Map<string, HostedToolReplay>();
const itemsByType = new Map<string, DeclarableItem>();
const eventTypes: string[] = [];

for (const { declarations, items, replay } of allTools) {
  const declarationIds = Object.keys(declarations);
  for (const [id, declaration] of Object.entries(declarations)) {
    declarationsById.set(id, declaration);
    if (declaration.type !== undefined) declarationsByType.set(declaration.type, declaration);
    if (replay !== undefined) replaysById.set(id, replay);
  }
  for (const [type, item] of Object.entries(items)) {
    itemsByType.set(type, { ...item, declarationIds });
    const { inputStream, preview } = item;
    eventTypes.push(...(inputStream?.events ?? []));
    for (const source of [inputStream?.completion, preview]) if (source) eventTypes.push(source.event);
  }
}

export const declarationOf = (id: string): HostedToolDeclaration | undefined => declarationsById.get(id);

export const declarationOfType = (type: string): HostedToolDeclaration | undefined =>
  declarationsByType.get(type);

/**
 * Converts a provider-defined tool to its declaration in the request. `name` is the name of the tool in the request, if
 * the host names it. Returns undefined for a tool that is unknown or not sent.
 */
export function toHostedTool(options: {
  id: string;
  name: string;
  args?: PlainObject;
}): WireHostedTool | undefined {
  const { type, isNamedByHost, unchangedArguments, adaptSettings } = declarationOf(options.id) ?? {};
  if (type === undefined) return undefined;
  // An argument that this package does not know is sent as well, because it can restrict the tool.
  const settings = toWireNames(options.args ?? {}, unchangedArguments);
  const adapted = adaptSettings?.(settings) ?? settings;
  return withoutUndefined({ type, ...adapted, ...(isNamedByHost && { name: options.name }) });
}

/** Returns the replay rules of a tool that the host executes, by the id under which it is declared. */
export const replayOf = (id: string): HostedToolReplay | undefined => replaysById.get(id);

/**
 * Returns true for output items of hosted tools, which become calls and results. `declared` contains the declared tools
 * by id.
 */
export function isHostedItem({ type }: PlainObject, declared: ReadonlyMap<string, unknown>): boolean {
  const item = itemsByType.get(stringOf(type));
  if (item === undefined) return false;
  return item.onlyIfDeclared !== true || item.declarationIds.some(id => declared.has(id));
}

/**
 * Returns the mapping of an output item of a hosted tool.
 *
 * @throws Error for an item that belongs to no hosted tool (see `isHostedItem`).
 */
export function itemMappingOf({ type }: PlainObject): DeclarableItem {
  const item = itemsByType.get(stringOf(type));
  if (item === undefined) throw new Error(`Expected an item of a hosted tool, got "${stringOf(type)}".`);
  return item;
}

/** Types of the events that stream the input of a hosted call or a preview of its result. */
export const hostedEvents: readonly string[] = eventTypes;

export type ServerTool = Pick<HostedTool, 'serverReplay' | 'toUserContent'>;

export const serverToolOf = (id: string): ServerTool | undefined =>
  allTools.find(tool => Object.hasOwn(tool.declarations, id));

/** Returns the tool of a provider-executed call or result in a history. */
export const serverToolOfCall = (part: HistoryPart): ServerTool | undefined => findHostedTool(allTools, part);

/** The tools that the official provider for `ai@5` has no factory for, and those that no official provider has. */
export const hostedToolKinds = {
  applyPatch,
  computer,
  computerUse,
  custom,
  mcp,
  mcpApproval,
  programmaticToolCalling,
  shell,
  toolSearch,
};

/** The tools of the official provider for `ai@7`, under its names. */
export const officialToolKinds = {
  applyPatch,
  codeInterpreter,
  computer,
  customTool: custom,
  fileSearch,
  imageGeneration,
  localShell,
  mcp,
  programmaticToolCalling,
  shell,
  toolSearch,
  webSearch,
  webSearchPreview,
};

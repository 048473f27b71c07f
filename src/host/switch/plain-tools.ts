import type { CoreCall } from '../../core/call.js';
import type { Tool } from '../../core/prompt.js';
import { type CoreModel, withOpen } from '../../core/source.js';
import type { SharedTools } from '../../tools/shared-tools.js';
import {
  isToolSource,
  type ToolDefinition,
  type ToolListing,
  type ToolSource,
} from '../../tools/tool-source.js';
import { readToolStub, stubIdentityOf, toFunctionTool } from '../../tools/tool-stubs.js';
import { findLostOptions } from './lost-settings.js';
import { withWarnings } from './warnings.js';

/*
 * The official model without a tool loop. The host runs the declared tools, whose declarations have functions for it.
 */

/** Declares the tools of the settings to the official model as the host has declared them. */
export const withHostRunTools = (model: CoreModel, tools: SharedTools | undefined): CoreModel =>
  withOpen(model, async call => {
    const declared = call.tools ?? [];
    const { executors } = call.own;
    const sources = [
      ...(isToolSource(executors) ? [executors] : []),
      ...(tools === undefined ? [] : [tools.source]),
    ];
    const isEmpty = sources.length === 0 && findLostOptions(call).length === 0;
    if (isEmpty) return model.open(call);
    const listing = await listAll(sources, call);
    const byIdentity = new Map(listing.tools.map(tool => [stubIdentityOf(tool), tool]));
    const available: string[] = [];
    const unavailable: string[] = [];
    const toTool = (tool: Tool): Tool[] => {
      const stub = tool.type === 'function' ? readToolStub(tool) : undefined;
      if (stub === undefined) return [tool];
      const found = byIdentity.get(stub.identity);
      byIdentity.delete(stub.identity);
      if (found === undefined) {
        unavailable.push(tool.name);
        return [];
      }
      available.push(tool.name);
      if (stub.isCopy) tools?.requireApproval(stub.identity);
      return [{ ...toFunctionTool(found), name: tool.name }];
    };
    const converted = declared.flatMap(toTool);
    const undeclared = [...byIdentity.values()].map(tool => tool.name);
    const isForced = isForcedCall(call, new Set(available));
    const lost = findLostOptions(call);
    const source = await model.open({ ...call, tools: converted.length === 0 ? undefined : converted });
    return withWarnings(source, [
      ...listing.warnings,
      ...(unavailable.length > 0
        ? [`Declared tools that are not available now: ${unavailable.join(', ')}.`]
        : []),
      ...(lost.length > 0 ? [`Options that only the tool loop applies: ${lost.join(', ')}.`] : []),
      ...(isForced ? [FORCED_TEXT] : []),
      ...(undeclared.length > 0 ? [toUndeclared(undeclared)] : []),
    ]);
  });

/** Returns true if the model must call a tool that the loop would run, and which it forces in the first round only. */
const isForcedCall = (call: CoreCall, names: ReadonlySet<string>): boolean =>
  call.toolChoice?.type === 'tool'
    ? names.has(call.toolChoice.toolName)
    : call.toolChoice?.type === 'required' && names.size > 0;

const FORCED_TEXT =
  'While this model is switched off, `toolChoice` forces a call in every step of the host, and not only in the first one. ' +
  "Return `toolChoice: 'auto'` from `prepareStep` for later steps, or set `fallback: 'with-tool-loop'`.";

async function listAll(
  sources: readonly ToolSource[],
  call: CoreCall,
): Promise<{ tools: ToolDefinition[]; warnings: string[] }> {
  const listings = await Promise.all(
    sources.map(source => source.listTools(call.abortSignal && { signal: call.abortSignal })),
  );
  const all = <Value>(read: (listing: ToolListing) => readonly Value[]): Value[] => listings.flatMap(read);
  return { tools: all(listing => listing.tools), warnings: all(listing => listing.warnings) };
}

const MAX_NAMES = 10;

function toUndeclared(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ');
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return (
    `While this model is switched off, ${names.length} tools of the settings are not available: ${shown}${rest}. ` +
    "Set `fallback: 'with-tool-loop'`, or pass `provider.tools()` to the host."
  );
}

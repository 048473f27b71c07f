import { type JSONObject, objectOf, type PlainObject } from '../../../core/shared/json.js';
import type { ToolApp } from '../../tool-source.js';

/** The media type of the page of an MCP App. */
const pageType = 'text/html;profile=mcp-app';

/** The capability of a host that displays the user interfaces of tools. */
export const appsCapability = { 'io.modelcontextprotocol/ui': { mimeTypes: [pageType] } };

/**
 * Reads the user interface of a tool, an MCP App. Servers from before the extension was final use a flat key.
 * https://github.com/modelcontextprotocol/ext-apps
 */
export function toApp(meta: PlainObject | undefined): ToolApp | undefined {
  const { resourceUri: statedUri, visibility: readers, ...others } = objectOf(meta?.ui) ?? {};
  const uri = statedUri ?? meta?.['ui/resourceUri'];
  const resourceUri = typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined;
  const visibility = Array.isArray(readers)
    ? readers.filter(reader => reader === 'model' || reader === 'app')
    : undefined;
  if (resourceUri === undefined && visibility === undefined) return undefined;
  return {
    ...(others as JSONObject),
    ...(resourceUri !== undefined && { resourceUri }),
    mimeType: pageType,
    ...(visibility && { visibility }),
  };
}

/** Returns true if a model, or an MCP App of its server, may call a tool. Any form and size of its visibility counts. */
export function isFor(caller: 'model' | 'app', meta: unknown): boolean {
  const visibility = objectOf(objectOf(meta)?.ui)?.visibility;
  return visibility === undefined || [visibility].flat().includes(caller);
}

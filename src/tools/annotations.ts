import type { ToolDefinition } from './tool-source.js';

/** The hints of a tool, with the defaults of the MCP specification for missing ones. */
export interface EffectiveAnnotations {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/**
 * Returns the hints on which decisions about side effects rely: approvals and repeated calls. Hints of a server that is
 * not trusted are ignored. Missing hints have the defaults of the MCP specification: not read-only, destructive, not
 * idempotent, open world (https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations). A tool that
 * is both read-only and destructive is destructive.
 */
export function effectiveAnnotations(tool: ToolDefinition): EffectiveAnnotations {
  const { readOnly, destructive, idempotent, openWorld } = tool.trustAnnotations === false ? {} : tool;
  const isSafe = isReadOnly({ readOnly, destructive });
  return {
    readOnly: isSafe,
    destructive: !isSafe && destructive !== false,
    idempotent: isSafe || idempotent === true,
    openWorld: openWorld !== false,
  };
}

/** Returns true if a tool claims that it may run in parallel with others. The claim may be unverified. */
export const isReadOnly = ({
  readOnly,
  destructive,
}: Pick<ToolDefinition, 'readOnly' | 'destructive'>): boolean => readOnly === true && destructive !== true;

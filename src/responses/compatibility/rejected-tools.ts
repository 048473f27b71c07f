import { objectOf, objectsOf, stringOf } from '../../shared/json.js';
import type { ResponsesRequestBody, WireTool } from '../wire.js';

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

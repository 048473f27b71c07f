import { isSameDefinition, type McpFingerprints, toFingerprint } from '../../fingerprints.js';
import type { ToolCallOptions, ToolDefinition } from '../../tool-source.js';
import type { McpServerConfig } from '../config/config.js';
import type { McpConnection } from '../session/connection.js';
import { toMcpError } from '../session/errors.js';
import { quoteName } from '../transport/untrusted-input.js';

/** A server whose tools may change. */
export interface CheckedServer {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly connection: McpConnection;
  /** Problems that were already reported. Hosts print the warnings of every call, so each is returned only once. */
  readonly reported: Set<string>;
  /** Fingerprints of the tools that the application has accepted. @default all tools are accepted */
  readonly accepted: McpFingerprints[string] | undefined;
  /** The tools of the last list, accepted or not. */
  listed?: readonly ToolDefinition[];
}

/** Selects the tools of a list that the application has accepted. `problems` has a clause for each change. */
export async function selectTools(
  server: CheckedServer,
  tools: readonly ToolDefinition[],
): Promise<{ accepted: readonly ToolDefinition[]; problems: string[] }> {
  const { accepted, reported, listed: before = [] } = server;
  server.listed = tools;
  if (accepted === undefined) {
    const changed = tools.filter(tool => {
      const earlier = before.find(definition => definition.name === tool.name);
      return earlier !== undefined && !isSameDefinition(earlier, tool);
    });
    const problems = changed.map(tool => toChange(tool.name));
    for (const problem of problems) reported.delete(problem);
    return { accepted: tools, problems };
  }
  const selected: ToolDefinition[] = [];
  const problems: string[] = [];
  for (const tool of tools) {
    if (!Object.hasOwn(accepted, tool.name)) {
      problems.push(
        `offers the new tool ${quoteName(tool.name)}, which is not in \`fingerprints\` and not used`,
      );
    } else if (accepted[tool.name] === (await toFingerprint(tool))) selected.push(tool);
    else problems.push(`${toChange(tool.name)} since its fingerprint was taken, so it is not used`);
  }
  const missing = Object.keys(accepted).filter(name => !tools.some(tool => tool.name === name));
  problems.push(...missing.map(name => `no longer offers the tool ${quoteName(name)} of \`fingerprints\``));
  return { accepted: selected, problems };
}

const toChange = (toolName: string): string => `has changed the tool ${quoteName(toolName)}`;

/**
 * Returns the text for the model if a tool is no longer the one that was approved or accepted. A list that is still valid is
 * not read again.
 */
export async function findChange(
  { name: serverName, connection, config, accepted }: CheckedServer,
  toolName: string,
  options: ToolCallOptions,
): Promise<string | undefined> {
  const refuse = (reason: string): string =>
    `Not run: the MCP server ${JSON.stringify(serverName)} ${reason}.`;
  try {
    const listed = await connection.listTools({ signal: options.signal });
    const tool = listed?.tools.find(definition => definition.name === toolName);
    if (tool === undefined) return refuse(`no longer offers the tool ${quoteName(toolName)}`);
    if (options.approved !== undefined && !isSameDefinition(options.approved, tool))
      return refuse(`${toChange(toolName)} since the call was approved`);
    if (accepted !== undefined && accepted[toolName] !== (await toFingerprint(tool)))
      return refuse(`${toChange(toolName)} since its fingerprint was taken`);
    return undefined;
  } catch (error) {
    options.signal.throwIfAborted();
    return toMcpError(error, { serverName, config, toolName }).message;
  }
}

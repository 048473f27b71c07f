import { createUniqueIds } from '../../shared/unique-ids.js';

/** Assigns unique names to the tools of several servers. */
export interface ToolNames {
  /**
   * Returns the server's own name if it is free and not a property of every JavaScript object. Otherwise returns
   * `<server>_<tool>`, with a number if necessary.
   */
  toOfferedName(serverName: string, toolName: string): string;
}

/**
 * A name always refers to the same tool, even while its server is unavailable. Otherwise a model could call a different
 * tool from the one it was offered.
 */
export function createToolNames(): ToolNames {
  const offered = new Map<string, string>();
  // Hosts look up tools in plain objects, which all have a `constructor`.
  const names = createUniqueIds({ taken: Object.getOwnPropertyNames(Object.prototype) });

  return {
    toOfferedName(serverName, toolName) {
      const key = JSON.stringify([serverName, toolName]);
      const known = offered.get(key);
      if (known !== undefined) return known;
      const name = names.claim(toolName) ? toolName : names.take(`${serverName}_${toolName}`);
      offered.set(key, name);
      return name;
    },
  };
}

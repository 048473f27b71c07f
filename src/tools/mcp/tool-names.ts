import { createUniqueIds } from '../../shared/unique-ids.js';

/** Gives the tools of several servers names of their own, and keeps them for good. */
export interface ToolNames {
  /** The server's own name for it if that is free and means nothing in JavaScript, else `<server>_<tool>`, with a number if need be. */
  toOfferedName(serverName: string, toolName: string): string;
}

/**
 * A name once given stays: a tool must not turn into another one while a model is about to call it, even if
 * the server that had the name first is away for a while.
 */
export function createToolNames(): ToolNames {
  const offered = new Map<string, string>();
  // Hosts look tools up in plain objects, where every object has a `constructor`.
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

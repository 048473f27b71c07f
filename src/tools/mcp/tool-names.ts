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
  const taken = new Set<string>(Object.getOwnPropertyNames(Object.prototype));

  function toFreeName(serverName: string, toolName: string): string {
    if (!taken.has(toolName)) return toolName;
    const prefixed = `${serverName}_${toolName}`;
    let name = prefixed;
    for (let number = 2; taken.has(name); number++) name = `${prefixed}_${number}`;
    return name;
  }

  return {
    toOfferedName(serverName, toolName) {
      const key = JSON.stringify([serverName, toolName]);
      const name = offered.get(key) ?? toFreeName(serverName, toolName);
      offered.set(key, name);
      taken.add(name);
      return name;
    },
  };
}

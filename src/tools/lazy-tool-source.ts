import type { ToolSource } from './tool-source.js';

/** A source that is loaded when it is first used. */
export function createLazyToolSource(name: string, load: () => Promise<ToolSource>): ToolSource {
  let loading: Promise<ToolSource> | undefined;
  const loaded = (): Promise<ToolSource> => {
    loading ??= load();
    return loading;
  };
  return {
    name,
    listTools: async options => (await loaded()).listTools(options),
    callTool: async (call, options) => (await loaded()).callTool(call, options),
    close: async () => (await loading)?.close(),
  };
}

/** Imports a module that may be missing. The name is a parameter, so that bundlers do not resolve it. */
export const importModule = async <Module>(name: string): Promise<Module> =>
  (await import(/* @vite-ignore */ name)) as Module;

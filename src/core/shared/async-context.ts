/*
 * The values that Node.js passes on to everything that a function starts (`AsyncLocalStorage`): those of the application,
 * and the active span of tracers.
 */

/** Runs a function with the values of another moment. */
export type RunInContext = <T>(start: () => T) => T;

interface AsyncHooks {
  readonly AsyncLocalStorage: { snapshot?(): RunInContext };
}

/** Asked for without an import, because other runtimes have no such module. */
const hooks = (
  globalThis as { process?: { getBuiltinModule?(name: string): AsyncHooks | undefined } }
).process?.getBuiltinModule?.('node:async_hooks');

const snapshot = (): RunInContext => hooks?.AsyncLocalStorage.snapshot?.() ?? (start => start());

/** Runs a function with the values of the time at which the package was loaded, outside of any call. */
export const runDetached: RunInContext = snapshot();

/** Returns a function that runs others with the current values. Without support of the runtime, it changes nothing. */
export const captureContext = snapshot;

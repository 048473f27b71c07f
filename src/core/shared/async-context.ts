/*
 * The values that Node.js passes on to everything that a function starts (`AsyncLocalStorage`): those of the application,
 * and the active span of tracers.
 */

/** Runs a function with the values of another moment. */
export type RunInContext = <T>(start: () => T) => T;

/** A value of everything that a function starts. */
interface ContextValue<T> {
  run<Result>(value: T, start: () => Result): Result;
  getStore(): T | undefined;
}

interface AsyncHooks {
  readonly AsyncLocalStorage: { new <T>(): ContextValue<T>; snapshot?(): RunInContext };
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

/** Creates a value, which stays undefined without support of the runtime. */
export const createContextValue = <T>(): ContextValue<T> =>
  hooks === undefined
    ? { run: (_value, start) => start(), getStore: () => undefined }
    : new hooks.AsyncLocalStorage<T>();

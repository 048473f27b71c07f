/**
 * Returns a function that creates a value on its first call, and returns it on the others. Schemas at module level would take
 * most of the time that importing the package needs.
 */
/* @__NO_SIDE_EFFECTS__ */
export function once<Value>(create: () => Value): () => Value {
  let created: { readonly value: Value } | undefined;
  return () => (created ??= { value: create() }).value;
}

/** Loads a value once for all callers. A failed load is forgotten: a package may be installed, or a network come back. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}

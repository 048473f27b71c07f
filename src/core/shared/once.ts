/**
 * Returns a function that creates a value on its first call, and returns it on the others. Schemas at module level would take
 * most of the time that importing the package needs.
 */
/* @__NO_SIDE_EFFECTS__ */
export function once<Value>(create: () => Value): () => Value {
  let pending: (() => Value) | undefined = create;
  let created: Value | undefined;
  return () => {
    if (pending !== undefined) {
      created = pending();
      // Frees what it was created from.
      pending = undefined;
    }
    return created as Value;
  };
}

/** Adds a member to an object whose value is created when it is first read. It can be replaced like any other member. */
export function addLazy<Target extends object, Name extends string, Value>(
  target: Target,
  name: Name,
  create: () => Value,
): Target & Record<Name, Value> {
  const set = (value: Value): void =>
    void Object.defineProperty(target, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  const get = (): Value => {
    const value = create();
    set(value);
    return value;
  };
  Object.defineProperty(target, name, { get, set, enumerable: true, configurable: true });
  return target as Target & Record<Name, Value>;
}

/** Returns a function that creates the value of an object on its first call with it, as long as the object lives. */
/* @__NO_SIDE_EFFECTS__ */
export function oncePerObject<Key extends object, Value>(create: (key: Key) => Value): (key: Key) => Value {
  const created = new WeakMap<Key, { readonly value: Value }>();
  return key => {
    const known = created.get(key) ?? { value: create(key) };
    created.set(key, known);
    return known.value;
  };
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

import { toHash } from '../../shared/hash.js';

/** Translates between the names of tools and the names that the API accepts. */
export interface ToolNames {
  toWire(name: string): string;
  fromWire(name: string): string;
}

const wireName = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_LENGTH = 64;

/**
 * Maps names that the API rejects (MCP allows dots and any length) to names that it accepts, and back. The mapping is
 * the same in every request. The given `names` are never assigned to another tool. `given` contains the wire names that
 * tools define themselves, by tool name.
 */
export function createToolNames(
  names: Iterable<string>,
  given: Iterable<readonly [name: string, wire: string]> = [],
): ToolNames {
  const wireByName = new Map<string, string>();
  const nameByWire = new Map<string, string>();

  const register = (name: string, wire: string): string => {
    wireByName.set(name, wire);
    nameByWire.set(wire, name);
    return wire;
  };
  const invent = (name: string): string => {
    for (let attempt = 0; ; attempt++) {
      const wire = withHash(name, attempt);
      if (!nameByWire.has(wire)) return wire;
    }
  };
  const toWire = (name: string): string =>
    wireByName.get(name) ??
    register(name, wireName.test(name) && !nameByWire.has(name) ? name : invent(name));

  for (const [name, wire] of given) if (!nameByWire.has(wire)) register(name, wire);
  const known = [...names];
  for (const name of known.filter(name => wireName.test(name))) toWire(name);
  for (const name of known) toWire(name);

  return { toWire, fromWire: name => nameByWire.get(name) ?? name };
}

function withHash(name: string, attempt: number): string {
  const suffix = `_${toHash(attempt === 0 ? name : `${attempt}:${name}`)}`;
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_LENGTH - suffix.length) + suffix;
}

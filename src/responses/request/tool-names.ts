import { toHash } from '../../core/shared/hash.js';

/** Translates between the names of tools and the names that the API accepts. */
export interface ToolNames {
  /**
   * Returns the name of a tool in the request. The namespace is that of a call in a history, whose tool need not be
   * declared any more.
   */
  toWire(name: string, namespace?: string): string;
  /**
   * Returns the name of a tool. Functions of different namespaces may have the same name in the request. In a namespace that
   * no declared tool has, the name means the only declared tool of this name.
   */
  fromWire(name: string, namespace?: string): string;
}

export interface NamedTool {
  readonly name: string;
  /** The namespace of a function. @default none */
  readonly namespace?: string;
  /** The name that the tool defines itself. @default derived from `name` */
  readonly wireName?: string;
  /** The tool is added within the conversation, possibly in a namespace that its declaration does not contain. */
  readonly isOmitted?: boolean;
  /** The history contains a call of the tool, which need not be declared any more. */
  readonly isCalled?: boolean;
}

const acceptedName = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_LENGTH = 64;

/**
 * Maps names that the API rejects (MCP allows dots and any length) to names that it accepts, and back. The mapping is
 * the same in every request. Each namespace has its own names: `crm.list` in the namespace `crm` is sent as `list`. The
 * accepted names of the given tools are never assigned to another tool.
 */
export function createToolNames(tools: Iterable<NamedTool | string>): ToolNames {
  const wireByName = new Map<string, string>();
  const nameByKey = new Map<string, string>();
  const omittedByWire = new Map<string, string>();
  /** The declared tools of each name in the request, in any namespace. */
  const declaredByWire = new Map<string, Set<string>>();
  /** The namespaces of the declared tools. */
  const namespaces = new Set<string | undefined>();

  const register = (name: string, wire: string, namespace?: string): string => {
    wireByName.set(name, wire);
    nameByKey.set(toKey(wire, namespace), name);
    return wire;
  };
  const isFree = (wire: string, namespace?: string): boolean => !nameByKey.has(toKey(wire, namespace));
  const invent = (name: string, namespace?: string): string => {
    for (let attempt = 0; ; attempt++) {
      const wire = withHash(name, attempt);
      if (isFree(wire, namespace)) return wire;
    }
  };
  const toWire = (name: string, namespace?: string): string => {
    const known = wireByName.get(name);
    if (known !== undefined) return known;
    const local = toLocalName(name, namespace);
    const isKept = acceptedName.test(local) && isFree(local, namespace);
    return register(name, isKept ? local : invent(local, namespace), namespace);
  };

  const all: NamedTool[] = [];
  for (const given of tools) {
    const tool: NamedTool = typeof given === 'string' ? { name: given } : given;
    const { name, wireName, namespace } = tool;
    if (wireName !== undefined && isFree(wireName, namespace)) register(name, wireName, namespace);
    all.push(tool);
  }
  const isAccepted = (tool: NamedTool): boolean => acceptedName.test(toLocalName(tool.name, tool.namespace));
  // Names that need no change come first, so that no invented name takes them.
  for (const tool of [...all.filter(isAccepted), ...all]) {
    const wire = toWire(tool.name, tool.namespace);
    if (tool.isOmitted === true) omittedByWire.set(wire, tool.name);
    if (tool.isCalled === true) continue;
    declaredByWire.set(wire, (declaredByWire.get(wire) ?? new Set()).add(tool.name));
    namespaces.add(tool.namespace);
  }

  return {
    toWire,
    fromWire(wire, namespace) {
      const name = nameByKey.get(toKey(wire, namespace));
      if (namespace === undefined) return name ?? wire;
      const [only, ...others] = declaredByWire.get(wire) ?? [];
      if (!namespaces.has(namespace) && only !== undefined && others.length === 0) return only;
      if (name !== undefined) return name;
      const added = omittedByWire.get(wire);
      if (added !== undefined) return added;
      const plain = nameByKey.get(wire);
      // A deferred function that a tool search has found is called in a namespace with its own name.
      if (plain === undefined || namespace === wire) return plain ?? wire;
      // The tool of another namespace must not run in its place.
      return `${namespace}.${wire}`;
    },
  };
}

/** Names cannot contain a dot in the request, so the key of a function in a namespace is unique. */
const toKey = (wire: string, namespace: string | undefined): string =>
  namespace === undefined ? wire : `${namespace}.${wire}`;

function toLocalName(name: string, namespace: string | undefined): string {
  const prefix = `${namespace}.`;
  return namespace !== undefined && name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function withHash(name: string, attempt: number): string {
  const suffix = `_${toHash(attempt === 0 ? name : `${attempt}:${name}`)}`;
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_LENGTH - suffix.length) + suffix;
}

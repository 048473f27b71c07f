import { UnsupportedFunctionalityError } from '@ai-sdk/provider';
import type { CoreCall } from '../../core/call.js';
import type { FunctionTool as CoreFunctionTool } from '../../core/prompt.js';
import type { Warning } from '../../core/part.js';
import { toHash } from '../../shared/hash.js';
import { declarationOf, toHostedTool } from '../hosted-tools/index.js';
import type { FunctionTool, NamespaceTool, WireTool, WireToolChoice } from '../wire.js';
import type { ModelTraits } from './model-settings.js';
import {
  type OfficialNamespace,
  readToolOptions,
  type ReadToolOptions,
  type ResponsesCallOptions,
} from './provider-options.js';
import { type SchemaLosses, toAcceptedSchema, toParameters } from './schemas.js';
import { type DeclaredTool, toAllowedTools, toToolChoice } from './tool-choice.js';

type Warn = (warning: Warning) => void;

export interface ToToolsOptions {
  readonly toolNames: ToolNames;
  readonly traits: ModelTraits;
  /** `strict` of function tools that do not set it. */
  readonly strict: boolean;
  readonly allowedTools: ResponsesCallOptions['allowedTools'];
  /** The namespace of the official provider's options. */
  readonly official: OfficialNamespace;
  readonly losses: SchemaLosses;
  readonly warn: Warn;
}

/**
 * Converts the tools and the tool choice of a call. Returns neither if there are no tools.
 *
 * @throws UnsupportedFunctionalityError for tools of a namespace with different descriptions, and for a choice or a
 * restriction that cannot be expressed.
 * @throws InvalidArgumentError for an invalid option of a tool.
 */
export function toTools(
  { tools = [], toolChoice }: Pick<CoreCall, 'tools' | 'toolChoice'>,
  options: ToToolsOptions,
): { tools?: WireTool[]; tool_choice?: WireToolChoice } {
  const { allowedTools, toolNames, warn } = options;
  const wireTools: WireTool[] = [];
  const namespaces = new Map<string, NamespaceTool>();
  const declared = new Map<string, DeclaredTool>();
  for (const tool of tools) {
    if (tool.type === 'function') {
      const toolOptions = readToolOptions(tool, options);
      const { namespace, omitFromRequestTools: isOmitted = false, deferLoading } = toolOptions;
      declared.set(tool.name, {
        wire: { type: 'function', name: toolNames.toWire(tool.name, namespace?.name) },
        isOmitted,
        isDeferred: deferLoading === true,
        namespace: namespace?.name,
      });
      if (isOmitted) continue;
      const wire = toFunctionTool(tool, toolOptions, options);
      if (namespace === undefined) wireTools.push(wire);
      else toNamespace(namespace, { namespaces, wireTools }).tools.push(wire);
      continue;
    }
    const declaration = declarationOf(tool.id);
    if (declaration !== undefined && declaration.type === undefined) continue;
    const name = toolNames.toWire(tool.name);
    const hosted = toHostedTool({ ...tool, name });
    if (hosted === undefined) {
      warn({ type: 'unsupported', feature: `tool ${tool.name}`, tool });
      continue;
    }
    wireTools.push(hosted);
    declared.set(tool.name, { wire: hosted });
  }
  // Servers reject a `tool_choice` without tools.
  if (wireTools.length === 0) return {};
  // `none` also allows no tool of the list. The tool loop ends the calling of tools with it.
  if (allowedTools !== undefined && toolChoice?.type !== 'none') {
    const isRequired = toolChoice?.type === 'required';
    return {
      tools: wireTools,
      tool_choice: toAllowedTools(allowedTools, { declared, isRequired, warn }),
    };
  }
  if (toolChoice === undefined) return { tools: wireTools };
  return { tools: wireTools, tool_choice: toToolChoice(toolChoice, { declared, toWire: toolNames.toWire }) };
}

/** Returns the namespace in the request, which is added before its first tool. */
function toNamespace(
  { name, description }: NonNullable<ReadToolOptions['namespace']>,
  { namespaces, wireTools }: { namespaces: Map<string, NamespaceTool>; wireTools: WireTool[] },
): NamespaceTool {
  const known = namespaces.get(name);
  if (known === undefined) {
    const namespace: NamespaceTool = { type: 'namespace', name, description, tools: [] };
    namespaces.set(name, namespace);
    wireTools.push(namespace);
    return namespace;
  }
  if (known.description === description) return known;
  const functionality = `conflicting descriptions for OpenAI tool namespace "${name}"`;
  throw new UnsupportedFunctionalityError({
    functionality,
    message:
      `Expected all tools of the namespace "${name}" to have the same description of it, got ` +
      `${JSON.stringify(known.description)} and ${JSON.stringify(description)}. Use one description.`,
  });
}

function toFunctionTool(
  tool: CoreFunctionTool,
  { async, deferLoading, allowedCallers, outputSchema, namespace }: ReadToolOptions,
  { toolNames, traits, strict, losses, warn }: ToToolsOptions,
): FunctionTool {
  const isAsync = async === true && !traits.isGpt6OrLater ? undefined : async;
  if (isAsync !== async) {
    const details = 'Async tool calling is only supported by GPT-6 and later models.';
    warn({ type: 'unsupported', feature: `tool ${tool.name}`, details, tool });
  }
  const parameters = toParameters(tool.inputSchema);
  const output = outputSchema === undefined ? undefined : toAcceptedSchema(outputSchema);
  losses.add([...parameters.losses, ...(output?.losses ?? [])], tool.name);
  return {
    type: 'function',
    name: toolNames.toWire(tool.name, namespace?.name),
    ...(tool.description !== undefined && { description: tool.description }),
    parameters: parameters.schema,
    // The default of the API is strict. Most schemas of MCP servers do not satisfy it.
    strict: tool.strict ?? strict,
    ...(isAsync !== undefined && { async: isAsync }),
    ...(deferLoading !== undefined && { defer_loading: deferLoading }),
    ...(allowedCallers !== undefined && { allowed_callers: allowedCallers }),
    ...(output !== undefined && { output_schema: output.schema }),
  };
}

/** Returns the declared tools that have a name in the request. */
export function* namedToolsOf(
  tools: CoreCall['tools'] = [],
  { official }: Pick<ToToolsOptions, 'official'>,
): Generator<NamedTool> {
  for (const tool of tools) {
    if (tool.type === 'function') {
      const { namespace, omitFromRequestTools } = readToolOptions(tool, { official });
      yield { name: tool.name, namespace: namespace?.name, isOmitted: omitFromRequestTools };
    } else if (declarationOf(tool.id)?.isNamedByHost) {
      const { name } = tool.args;
      yield {
        name: tool.name,
        ...(typeof name === 'string' && name !== '' && { wireName: name }),
      };
    }
  }
}

/** Returns the names of the tools whose outputs the API parses as JSON. */
export function toolsWithOutputSchema(
  tools: CoreCall['tools'] = [],
  { official }: Pick<ToToolsOptions, 'official'>,
): ReadonlySet<string> {
  return new Set(
    tools.flatMap(tool =>
      tool.type === 'function' && readToolOptions(tool, { official }).outputSchema !== undefined
        ? [tool.name]
        : [],
    ),
  );
}

/** Translates between the names of tools and the names that the API accepts. */
export interface ToolNames {
  /**
   * Returns the name of a tool in the request. The namespace is that of a call in a history, whose tool need not be
   * declared any more.
   */
  toWire(name: string, namespace?: string): string;
  /** Returns the name of a tool. Functions of different namespaces may have the same name in the request. */
  fromWire(name: string, namespace?: string): string;
}

/** A tool of the host. */
export interface NamedTool {
  readonly name: string;
  /** The namespace of a function. @default none */
  readonly namespace?: string;
  /** The name that the tool defines itself. @default derived from `name` */
  readonly wireName?: string;
  /** The tool is added within the conversation, possibly in a namespace that its declaration does not contain. */
  readonly isOmitted?: boolean;
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

  const all = [...tools].map(tool => (typeof tool === 'string' ? { name: tool } : tool));
  for (const { name, wireName, namespace } of all) {
    if (wireName !== undefined && isFree(wireName, namespace)) register(name, wireName, namespace);
  }
  const isAccepted = ({ name, namespace }: NamedTool): boolean =>
    acceptedName.test(toLocalName(name, namespace));
  // Names that need no change come first, so that no invented name takes them.
  for (const tool of [...all.filter(isAccepted), ...all]) {
    const wire = toWire(tool.name, tool.namespace);
    if (tool.isOmitted === true) omittedByWire.set(wire, tool.name);
  }

  return {
    toWire,
    fromWire(wire, namespace) {
      const name = nameByKey.get(toKey(wire, namespace));
      if (name !== undefined || namespace === undefined) return name ?? wire;
      const added = omittedByWire.get(wire);
      if (added !== undefined) return added;
      const plain = nameByKey.get(wire);
      // A deferred function that a tool search has found is called in a namespace with its own name.
      if (plain === undefined || namespace === wire) return plain ?? wire;
      // A plain function of the same name must not run in place of one from an unknown namespace.
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

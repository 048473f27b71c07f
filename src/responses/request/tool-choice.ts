import { UnsupportedFunctionalityError } from '@ai-sdk/provider';
import type { ToolChoice } from '../../core/prompt.js';
import type { Warning } from '../../core/part.js';
import { idOf, type PlainObject } from '../../shared/json.js';
import { declarationOfType } from '../hosted-tools/index.js';
import type { WireToolChoice } from '../wire.js';
import type { ResponsesCallOptions } from './provider-options.js';

/** A tool of a call, as the choice refers to it. */
export interface DeclaredTool {
  /** Type and name of a function, or the declaration of a hosted tool. */
  readonly wire: { readonly type: string } & PlainObject;
  /** True for a function that is not in the request. @default false */
  readonly isOmitted?: boolean;
  /** True for a function that tool search has to find. @default false */
  readonly isDeferred?: boolean;
  /** The namespace of a function. @default none */
  readonly namespace?: string;
}

/** The declared tools, by the names that the host gives them. */
type DeclaredTools = ReadonlyMap<string, DeclaredTool>;

/** @throws UnsupportedFunctionalityError for a tool that the request does not contain, or cannot identify. */
export function toToolChoice(
  toolChoice: ToolChoice,
  { declared, toWire }: { declared: DeclaredTools; toWire: (name: string) => string },
): WireToolChoice {
  if (toolChoice.type !== 'tool') return toolChoice.type;
  const { toolName } = toolChoice;
  const tool = declared.get(toolName);
  if (tool?.isOmitted) {
    throw new UnsupportedFunctionalityError({
      functionality:
        `forcing tool "${toolName}" omitted from the request tools array; ` +
        'use automatic tool choice for history-loaded tools',
    });
  }
  if (tool?.wire.type === 'function' && isAmbiguous(tool, declared)) {
    throw new UnsupportedFunctionalityError({
      functionality: `forcing tool "${toolName}", because another namespace has a function of the same name`,
    });
  }
  const wire = tool?.wire ?? { type: toolName };
  const choiceFields = declarationOfType(wire.type)?.choiceFields;
  if (wire.type === 'function' || choiceFields === undefined) {
    return { type: 'function', name: idOf(wire.name) ?? toWire(toolName) };
  }
  return { type: wire.type, ...Object.fromEntries(choiceFields.map(field => [field, wire[field]])) };
}

/** Returns true if another function has the same name in the request. A choice cannot contain a namespace. */
const isAmbiguous = (tool: DeclaredTool, declared: DeclaredTools): boolean =>
  [...declared.values()].some(
    other =>
      other !== tool &&
      other.isOmitted !== true &&
      other.wire.type === 'function' &&
      other.wire.name === tool.wire.name,
  );

/** Fields that identify a tool in the list of allowed tools, by type. Other tools cannot be in it. */
const ALLOWED_TOOL_FIELDS: Readonly<Record<string, readonly string[]>> = {
  function: ['name'],
  custom: ['name'],
  mcp: ['server_label'],
  file_search: [],
  web_search: [],
  web_search_preview: [],
  image_generation: [],
  code_interpreter: [],
  computer: [],
  computer_use_preview: [],
  apply_patch: [],
  shell: [],
  local_shell: [],
  programmatic_tool_calling: [],
};

/**
 * Converts the option `allowedTools`. A tool that cannot be allowed is left out with a warning, so that the model can call
 * fewer tools, never more.
 *
 * @throws UnsupportedFunctionalityError if no tool is left.
 */
export function toAllowedTools(
  { toolNames, mode }: NonNullable<ResponsesCallOptions['allowedTools']>,
  {
    declared,
    isRequired,
    warn,
  }: {
    declared: DeclaredTools;
    /** True if the tool choice requires a call, which the mode overrides. */
    isRequired: boolean;
    warn: (warning: Warning) => void;
  },
): WireToolChoice {
  const entries: PlainObject[] = [];
  for (const name of toolNames) {
    const resolved = resolveAllowedTool(name, declared);
    if (typeof resolved !== 'string') {
      entries.push(resolved);
      continue;
    }
    warn({
      type: 'other',
      message: `allowedTools entry "${name}": ${resolved}; the tool is removed from the allowed tools.`,
    });
  }
  if (entries.length > 0) {
    return { type: 'allowed_tools', mode: mode ?? (isRequired ? 'required' : 'auto'), tools: entries };
  }
  throw new UnsupportedFunctionalityError({
    functionality: `allowedTools with only tools that cannot be allow-listed (${toolNames.join(', ')})`,
  });
}

/** Returns the entry of a tool, or why it has none. */
function resolveAllowedTool(name: string, declared: DeclaredTools): PlainObject | string {
  const tool = declared.get(name) ?? findByType(name, declared);
  if (tool === undefined) return 'the tool is not part of the tools for this request';
  if (tool === 'ambiguous') {
    return 'several tools in this request have this type; use the name of the tool in this request';
  }
  const { wire, isOmitted, isDeferred, namespace } = tool;
  if (isOmitted) return 'tools omitted from the request tools array cannot be allow-listed';
  if (namespace !== undefined) {
    return 'tools inside an OpenAI tool namespace are not visible to tool_choice.allowed_tools';
  }
  if (isDeferred) return 'deferred tools are not visible to tool_choice.allowed_tools';
  const fields = Object.hasOwn(ALLOWED_TOOL_FIELDS, wire.type) ? ALLOWED_TOOL_FIELDS[wire.type] : undefined;
  if (fields === undefined) {
    return `OpenAI does not support ${wire.type} tools in tool_choice.allowed_tools`;
  }
  return { type: wire.type, ...Object.fromEntries(fields.map(field => [field, wire[field]])) };
}

/** Finds a hosted tool by its type. A host may declare it under any name. */
function findByType(type: string, declared: DeclaredTools): DeclaredTool | 'ambiguous' | undefined {
  const [first, ...others] = [...declared.values()].filter(
    ({ wire }) => wire.type === type && wire.type !== 'function' && wire.type !== 'custom',
  );
  return others.length > 0 ? 'ambiguous' : first;
}

import type { JSONObject, JSONValue } from '@ai-sdk/provider';
import { asJson, idOf, objectOf, objectsOf, stringOf, type PlainObject } from '../../shared/json.js';

/** How an item of one hosted tool becomes a call and, where the server ran it, a result. */
export interface HostedTool {
  /** The name of the calls; where it is a tool that the host declares under a name of its own, that is used. */
  readonly toolName: (wire: PlainObject) => string;
  /** The id under which hosts declare the tool, of which the name then counts. */
  readonly ids?: readonly string[];
  /** The call's id: that of the item, or of the call where somebody has to answer it. @default the item's */
  readonly callId?: (wire: PlainObject) => string | undefined;
  /** The arguments. @default none */
  readonly input?: (wire: PlainObject) => JSONValue;
  /** What the tool gave. Only looked at where the server ran it; undefined where an item of its own brings it. */
  readonly result: (wire: PlainObject) => NonNullable<JSONValue> | undefined;
  readonly isError?: (wire: PlainObject) => boolean;
  /** Whether the call, which has no arguments then, is shown when the item begins rather than when it ends. */
  readonly isShownAtOnce?: boolean;
  /** Whether the arguments are shown as tool input before the call. @default false, as the official provider does */
  readonly hasInputParts?: boolean;
  /** Whether the host has to run it, once it has declared the tool. @default never */
  readonly isForHost?: (wire: PlainObject) => boolean;
  /** An item that is the result of an earlier call, rather than a call. */
  readonly isResultOf?: (wire: PlainObject) => string | undefined;
}

/**
 * Hosted tools by the type of their items. The shapes are those of the official OpenAI provider, that of `ai@5` where it
 * has the tool and a later one where it has not, so that a host reads both alike.
 */
const HOSTED_TOOLS: Readonly<Record<string, HostedTool>> = {
  web_search_call: {
    toolName: () => 'web_search',
    ids: ['openai.web_search', 'openai.web_search_preview'],
    isShownAtOnce: true,
    hasInputParts: true,
    result: wire => toWebSearch(objectOf(wire.action)),
  },
  file_search_call: {
    toolName: () => 'file_search',
    ids: ['openai.file_search'],
    isShownAtOnce: true,
    result: ({ queries, results }) => ({
      queries: asJson(queries ?? null),
      results: Array.isArray(results) ? objectsOf(results).map(toSearchResult) : null,
    }),
  },
  code_interpreter_call: {
    toolName: () => 'code_interpreter',
    ids: ['openai.code_interpreter'],
    hasInputParts: true,
    input: ({ code, container_id: containerId }) => defined({ code, containerId }),
    result: ({ outputs }) => ({ outputs: asJson(outputs ?? null) }),
  },
  image_generation_call: {
    toolName: () => 'image_generation',
    ids: ['openai.image_generation'],
    isShownAtOnce: true,
    result: ({ result }) => ({ result: asJson(result ?? null) }),
  },
  local_shell_call: {
    toolName: () => 'local_shell',
    ids: ['openai.local_shell'],
    callId: toCallId,
    input: wire => ({ action: { type: 'exec', ...toShellAction(wire) } }),
    isForHost: () => true,
    result: toStatus,
  },
  shell_call: {
    toolName: () => 'shell',
    ids: ['openai.shell'],
    callId: toCallId,
    input: ({ action }) => {
      const { commands, timeout_ms: timeoutMs, max_output_length: maxOutputLength } = objectOf(action) ?? {};
      return { action: defined({ commands, timeoutMs, maxOutputLength }) };
    },
    // In a container the server runs it, and a `shell_call_output` follows.
    isForHost: wire => !isInContainer(wire),
    result: wire => (isInContainer(wire) ? undefined : toStatus(wire)),
  },
  shell_call_output: {
    toolName: () => 'shell',
    ids: ['openai.shell'],
    isResultOf: toCallId,
    result: ({ output }) => ({ output: objectsOf(output).map(toShellOutput) }),
  },
  apply_patch_call: {
    toolName: () => 'apply_patch',
    ids: ['openai.apply_patch'],
    callId: toCallId,
    input: ({ call_id: callId, operation }) => defined({ callId, operation }),
    isForHost: () => true,
    result: toStatus,
  },
  computer_call: {
    toolName: () => 'computer_use',
    ids: ['openai.computer_use', 'openai.computer'],
    callId: wire => toCallId(wire) ?? idOf(wire.id),
    input: ({ action, actions, pending_safety_checks: pendingSafetyChecks }) =>
      defined({ action, actions, pendingSafetyChecks }),
    isForHost: () => true,
    result: ({ status }) => ({ type: 'computer_use_tool_result', status: stringOf(status) || 'completed' }),
  },
  custom_tool_call: {
    toolName: ({ name }) => stringOf(name) || 'custom_tool',
    callId: toCallId,
    // Free text, which is a JSON string as an input.
    input: ({ input }) => stringOf(input),
    isForHost: () => true,
    result: toStatus,
  },
  mcp_call: {
    toolName: ({ name }) => `mcp.${stringOf(name)}`,
    input: wire => toArguments(wire),
    isError: ({ error }) => error !== null && error !== undefined,
    result: ({ server_label: serverLabel, name, arguments: args, output, error }) => ({
      type: 'call',
      ...defined({ serverLabel, name, arguments: args, output, error }),
    }),
  },
  mcp_approval_request: {
    toolName: () => 'mcp_approval_request',
    ids: ['openai.mcp_approval_request'],
    input: wire => ({
      ...defined({ serverLabel: wire.server_label, name: wire.name }),
      arguments: toArguments(wire),
    }),
    isForHost: () => true,
    result: () => ({ type: 'approval-request' }),
  },
};

/** An item of a type that is not in the table: all of it is the result, so that nothing is lost. */
const UNKNOWN_TOOL: HostedTool = {
  toolName: ({ type }) => stringOf(type).replace(/_call$/, '') || 'hosted_tool',
  callId: wire => idOf(wire.id) ?? toCallId(wire),
  result: wire => asJson(wire) as JSONObject,
};

export const hostedToolOf = (wire: PlainObject): HostedTool => {
  const type = stringOf(wire.type);
  return (Object.hasOwn(HOSTED_TOOLS, type) ? HOSTED_TOOLS[type] : undefined) ?? UNKNOWN_TOOL;
};

function toCallId({ call_id: callId }: PlainObject): string | undefined {
  return idOf(callId);
}

function isInContainer({ environment }: PlainObject): boolean {
  return stringOf(objectOf(environment)?.type).startsWith('container');
}

function toStatus({ status }: PlainObject): JSONObject {
  return { status: stringOf(status) || 'completed' };
}

function toArguments({ arguments: args }: PlainObject): JSONValue {
  if (typeof args !== 'string') return asJson(args ?? {});
  try {
    return asJson(JSON.parse(args));
  } catch {
    return args;
  }
}

function toWebSearch(action: PlainObject | undefined): JSONObject {
  switch (action?.type) {
    case 'search':
      return {
        action: { type: 'search', ...defined({ query: action.query }) },
        ...defined({ sources: action.sources }),
      };
    case 'open_page':
      return { action: { type: 'openPage', ...defined({ url: action.url }) } };
    case 'find_in_page':
      return { action: { type: 'findInPage', ...defined({ url: action.url, pattern: action.pattern }) } };
    default:
      return {};
  }
}

const toSearchResult = ({ attributes, file_id: fileId, filename, score, text }: PlainObject): JSONObject =>
  defined({ attributes, fileId, filename, score, text });

function toShellAction({ action }: PlainObject): JSONObject {
  const {
    command,
    timeout_ms: timeoutMs,
    user,
    working_directory: workingDirectory,
    env,
  } = objectOf(action) ?? {};
  return defined({ command, timeoutMs, user, workingDirectory, env });
}

function toShellOutput({ stdout, stderr, outcome }: PlainObject): JSONObject {
  const { type, exit_code: exitCode } = objectOf(outcome) ?? {};
  return { ...defined({ stdout, stderr }), outcome: defined({ type, exitCode }) };
}

/** The fields that are there. */
const defined = (fields: Readonly<Record<string, unknown>>): JSONObject =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, asJson(value)]),
  );

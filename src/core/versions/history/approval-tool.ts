import type { CoreCall } from '../../call.js';
import type { Part, ToolCall } from '../../part.js';
import { callsOf, type PartFacts, type Prompt } from '../../prompt.js';
import type { PartTransformer } from '../../source.js';
import { objectOf, objectsOf, type PlainObject, stringOf, tryParseJson } from '../../shared/json.js';
import type { HostMessage } from './hidden-calls.js';

/*
 * The approval requests of hosted MCP servers in versions without approval requests: calls of a tool of the application,
 * whose output is the answer. Inside, they are `tool-approval-request` and `tool-approval-response` parts of all versions.
 */

export const APPROVAL_TOOL = { id: 'openai.mcp_approval_request', name: 'mcp_approval_request' };

/** Returns the ids of the calls in a host's prompt that express requests: those that this package has marked. */
export function findApprovalCalls(
  prompt: readonly HostMessage[],
  tools: readonly PlainObject[],
): ReadonlySet<unknown> {
  const ids = new Set<unknown>();
  if (isFunctionOfApplication(tools)) return ids;
  for (const { role, content } of prompt) {
    if (role !== 'assistant' || typeof content === 'string') continue;
    for (const part of content) if (isMarkedRequest(part)) ids.add(part.toolCallId);
  }
  return ids;
}

/** A call of a hosted server itself is marked, too, and the server runs it. */
const isMarkedRequest = (request: PlainObject): boolean =>
  request.type === 'tool-call' &&
  request.providerExecuted !== true &&
  typeof objectOf(objectOf(request.providerOptions)?.kelivo)?.approvalFor === 'string';

/** A tool of the application may have the same name. */
export const isFunctionOfApplication = (
  tools: readonly { readonly type?: unknown; readonly name?: unknown }[],
) => tools.some(tool => tool.type === 'function' && tool.name === APPROVAL_TOOL.name);

/** Returns the call that a request in a prompt is about, and the server that asks. */
export function readApprovalCall(call: PlainObject): { call: PlainObject; server: string } {
  const request = typeof call.input === 'string' ? tryParseJson(call.input) : call.input;
  const { serverLabel, name, arguments: args } = objectOf(request) ?? {};
  const input = typeof args === 'string' ? (tryParseJson(args) ?? args) : (args ?? {});
  return {
    call: { ...call, toolName: `mcp.${stringOf(name)}`, input, providerExecuted: true },
    server: stringOf(serverLabel),
  };
}

/** Everything but an explicit approval is a denial, whose reason is the output. */
export function readApprovalResponse(part: PlainObject): PlainObject {
  const { approve } = objectOf(objectOf(part.output)?.value) ?? {};
  const reason = readReason(objectOf(part.output) ?? {});
  return {
    type: 'tool-approval-response',
    approvalId: part.toolCallId,
    approved: approve === true,
    ...(reason !== '' && { reason }),
  };
}

function readReason({ type, value }: PlainObject): string {
  const { approve, reason } = objectOf(value) ?? {};
  if (typeof approve === 'boolean') return stringOf(reason);
  if (type === 'content') {
    const texts = objectsOf(value).filter(part => part.type === 'text');
    return texts.map(entry => stringOf(entry.text)).join('\n');
  }
  if (typeof value === 'string' && (type === 'text' || type === 'error-text')) return value;
  return JSON.stringify(value) ?? '';
}

/** Returns the ids of the calls in a prompt for which hosted servers have asked for approval. */
export function findHostedRequests(prompt: Prompt): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { own, toolCallId } of callsOf(prompt)) if (own?.approvalFor !== undefined) ids.add(toolCallId);
  return ids;
}

/** Returns the call of the tool that expresses a request about a call. */
export function toApprovalCall(call: PlainObject, own: PartFacts | undefined): PlainObject {
  const { providerExecuted: _, dynamic: __, ...rest } = call;
  return {
    ...rest,
    toolName: APPROVAL_TOOL.name,
    input: {
      serverLabel: own?.approvalFor,
      name: stringOf(call.toolName).replace(/^mcp\./, ''),
      arguments: call.input,
    },
  };
}

export const toApprovalResult = ({ approvalId, approved, reason }: PlainObject): PlainObject => ({
  type: 'tool-result',
  toolCallId: approvalId,
  toolName: APPROVAL_TOOL.name,
  output: {
    type: 'json',
    value: { approve: approved === true, ...(typeof reason === 'string' && { reason }) },
  },
});

/** Reads the calls of the tool in a response as the calls and requests that they express. */
export function createApprovalReader(call: Pick<CoreCall, 'tools'>): PartTransformer {
  const isFunction = isFunctionOfApplication(call.tools ?? []);
  const inputs = new Set<string>();
  const isRequest = (part: { readonly toolName: string; readonly providerExecuted?: boolean | undefined }) =>
    !isFunction && part.toolName === APPROVAL_TOOL.name && part.providerExecuted !== true;
  return {
    part(part, emit) {
      switch (part.type) {
        case 'tool-input-start':
          if (!isRequest(part)) return emit(part);
          // The complete input follows with the request.
          inputs.add(part.id);
          return;
        case 'tool-input-delta':
        case 'tool-input-end':
          return inputs.has(part.id) ? undefined : emit(part);
        case 'tool-call': {
          if (!isRequest(part) || part.own?.approvalFor === undefined) return emit(part);
          const { serverLabel, name, arguments: args = {} } = objectOf(tryParseJson(part.input)) ?? {};
          const { toolCallId, own } = part;
          emit({
            ...part,
            toolName: `mcp.${stringOf(name)}`,
            input: typeof args === 'string' ? args : JSON.stringify(args),
            providerExecuted: true,
            dynamic: true,
            own: { ...own, approvalFor: stringOf(serverLabel) },
          });
          return emit({ type: 'tool-approval-request', approvalId: toolCallId, toolCallId });
        }
        default:
          return emit(part);
      }
    },
  };
}

/**
 * Writes the requests in a response as calls of the tool. A call of a hosted server is held back until it is clear that no
 * request follows.
 */
export function createApprovalWriter(coreCall: Pick<CoreCall, 'tools'>): PartTransformer {
  const toolName =
    (coreCall.tools ?? []).find(tool => tool.type === 'provider' && tool.id === APPROVAL_TOOL.id)?.name ??
    APPROVAL_TOOL.name;
  let held: ToolCall | undefined;
  const release = (emit: (part: Part) => void): void => {
    if (held !== undefined) emit(held);
    held = undefined;
  };

  return {
    part(part, emit) {
      if (part.type === 'tool-approval-request') {
        const isHosted = held?.toolCallId === part.toolCallId && held.own?.approval === undefined;
        if (held !== undefined && isHosted) writeRequest(held, part.approvalId, emit);
        else release(emit);
        held = undefined;
        return;
      }
      release(emit);
      if (part.type === 'tool-call' && part.providerExecuted === true && part.toolName.startsWith('mcp.'))
        held = part;
      else emit(part);
    },
    flush: release,
  };

  function writeRequest(call: ToolCall, toolCallId: string, emit: (part: Part) => void): void {
    const { input, own, dynamic: _, providerExecuted: __, ...rest } = call;
    const request = toApprovalCall({ ...call, input: tryParseJson(input) ?? input }, own).input;
    const json = JSON.stringify(request);
    emit({ type: 'tool-input-start', id: toolCallId, toolName });
    emit({ type: 'tool-input-delta', id: toolCallId, delta: json });
    emit({ type: 'tool-input-end', id: toolCallId });
    // The API identifies the request by this id.
    emit({
      ...rest,
      toolCallId,
      toolName,
      input: json,
      ...(own !== undefined && { own }),
    });
  }
}

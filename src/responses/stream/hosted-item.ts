import type { HostFacts, ToolPartsMode } from '../../core/call.js';
import { subAgentOf, toCustom } from '../../core/custom.js';
import type { PartOf } from '../../core/part.js';
import { idOf, type JSONValue, type PlainObject } from '../../core/shared/json.js';
import { type HostedApprovalRequest, escapeJson, type FoundSource } from '../hosted-tools/hosted-tool.js';
import { type DeclarableItem, itemMappingOf } from '../hosted-tools/index.js';
import {
  type CallIds,
  type OutputItem,
  type PartWriter,
  toCallFacts,
  toCallMetadata,
} from './output-item.js';

/** A call of a tool that is not a function. The server or the host executes it. */
export interface HostedItem extends OutputItem {
  /** Handles an event of the item, such as a delta of its input. Ignores events that the tool does not use. */
  handle(type: string, fields: PlainObject): void;
}

export interface HostDeclarations {
  readonly names: ReadonlySet<string>;
  /** Names of the provider-defined tools, by id. */
  readonly nameById: ReadonlyMap<string, string>;
  /** Arguments of the provider-defined tools, by id. @default none */
  readonly argsById?: ReadonlyMap<string, PlainObject>;
  readonly host: Omit<HostFacts, 'wrapsToolOutput'>;
}

export interface HostedItemOptions extends PartWriter {
  readonly declared: HostDeclarations;
  /** Returns the host's name of a tool, for tools that the host names. */
  readonly toToolName: (wireName: string, namespace?: string) => string;
  readonly generateId: () => string;
  readonly callIds: CallIds;
  /** Called with the pages and files that a call has found. */
  readonly onSources: (sources: readonly FoundSource[]) => void;
  /** Called with each finished item, as it was received. @default the item is not kept */
  readonly onServerItem?: ((item: PlainObject) => void) | undefined;
}

export function createHostedItem(options: HostedItemOptions): HostedItem {
  const { write, reports, declared, generateId, callIds, onSources, onServerItem } = options;
  const { host } = declared;
  let announced: HostedCall | undefined;
  /** The item as `output_item.done` or the terminal response contains it. */
  let received: HostedCall | undefined;
  let isInputDone = false;
  let type: string | undefined;
  let callId: string | undefined;
  let isCallEmitted = false;
  let input: InputWriter | undefined;

  const item: HostedItem = {
    closed: false,

    announce(wire) {
      announced ??= toHostedCall(wire, options);
      type ??= idOf(wire.type);
      if (announced.mapping.emitsCallAtStart) emitCall(announced);
    },

    handle(eventType, event) {
      if (announced === undefined) return;
      const { mapping, isForHost } = announced;
      const { completion } = mapping.inputStream ?? {};
      if (completion?.event === eventType) {
        isInputDone = true;
        announced = toHostedCall({ ...announced.wire, ...completion.fields(event) }, options);
        return;
      }
      const result = mapping.preview?.event === eventType ? previewOf(announced, event, declared) : undefined;
      if (result !== undefined) {
        const { toolName, write: writePart } = announced;
        writePart({ type: 'tool-result', toolCallId: idFor(announced), toolName, result, preliminary: true });
      }
      if (isCallEmitted || mapping.inputStream?.events.includes(eventType) !== true) return;
      // A server that executes a tool of the host (xAI) sends only the finished input.
      if (mapping.isForHost !== undefined && !isForHost && !mapping.resultFollows) return;
      input ??= createInputWriter(announced, idFor(announced), host);
      input.handle(event);
    },

    isSameAs: wire =>
      (type === undefined || wire.type === type) &&
      (received === undefined || received.wire.call_id === wire.call_id),

    finish(finished, end) {
      const { broken = false } = end ?? {};
      if (finished !== undefined) received = toHostedCall(finished, options);
      const call = received ?? announced;
      // The end of the response decides about a call of which nothing shows that its input is whole.
      if (end === undefined && call?.isForHost === true && isOpen(call)) return;
      item.closed = true;
      if (call === undefined) return;
      const { wire, mapping } = call;
      type = idOf(wire.type);
      const isIncomplete = wire.status === 'incomplete' && mapping.hasIncompleteResult !== true;
      const isTruncated = isIncomplete || (broken && finished === undefined);
      const isAnnouncedOnly = received === undefined;
      // An incomplete call must neither run nor be approved.
      const isPartial =
        isIncomplete ||
        (isAnnouncedOnly ? broken || !isInputDone : broken && call.isForHost && wire.status !== 'completed');
      const asksHost = mapping.approval !== undefined && canAskFor(mapping.approval, declared);
      if ((call.isForHost || asksHost) && isPartial) {
        reports.hasPartialCalls = true;
        input?.end();
        return;
      }
      // An item that was only announced is not complete. A document has no announcements.
      if (!isTruncated && received !== undefined) onServerItem?.(received.wire);
      if (call.isForHost) emitHostCall(call);
      else if (mapping.approval !== undefined && asksHost) {
        writeApproval(mapping.approval, { wire, toolCallId: idFor(call), write });
        reports.hasCalls = true;
      } else if (call.mode === 'none') {
        // The host receives no parts of the call, and the next request contains it nevertheless.
        if (isTruncated) return;
        onSources(mapping.sources?.(wire) ?? []);
        write(toCustom(wire));
      } else if (mapping.resultOf !== undefined) {
        if (!isTruncated) emitLaterResult(call);
      } else {
        if (isTruncated) input?.end();
        else emitCall(call);
        // A call that the server has not finished has no result. Hosts accept that.
        if (!isTruncated) emitResult(call, { toolCallId: idFor(call), onSources });
      }
    },
  };
  if (options.announced !== undefined) item.announce?.(options.announced);
  return item;

  function isOpen({ wire, mapping }: HostedCall): boolean {
    if (wire.status === 'in_progress') return true;
    const hasStatus = wire.status !== undefined && wire.status !== null;
    return !hasStatus && input !== undefined && !isInputDone && mapping.inputStream?.completion !== undefined;
  }

  function emitCall(call: HostedCall): void {
    if (isCallEmitted) return;
    isCallEmitted = true;
    const { wire, mapping, toolName, mode } = call;
    const toolCallId = idFor(call);
    const args = call.toArguments();
    // If the call part is hidden, the input parts are the only trace of the call.
    const hasInputParts = mapping.hasInputParts === true || mode === 'result';
    if (input === undefined && hasInputParts) {
      call.write({ type: 'tool-input-start', id: toolCallId, toolName, providerExecuted: true });
      if (args !== '{}') call.write({ type: 'tool-input-delta', id: toolCallId, delta: args });
      call.write({ type: 'tool-input-end', id: toolCallId });
    } else input?.end(args);
    const facts = toCallFacts(mapping.metadata?.(wire) ?? {});
    call.write({ type: 'tool-call', toolCallId, toolName, input: args, ...facts, providerExecuted: true });
    if (mapping.resultFollows) callIds.awaitResult({ toolCallId, toolName, serverId: idOf(wire.call_id) });
  }

  function emitLaterResult(call: HostedCall): void {
    const serverId = call.mapping.resultOf?.(call.wire);
    const toolCallId =
      callIds.takeAwaited({ toolName: call.toolName, serverId }) ??
      (host.acceptsLaterResults ? serverId : undefined);
    // Other hosts fail on the result of a call that the same response does not contain.
    if (toolCallId === undefined) write(toCustom(call.wire));
    else emitResult(call, { toolCallId, onSources });
  }

  function emitHostCall(call: HostedCall): void {
    const toolCallId = idFor(call);
    const args = call.toArguments();
    input ??= createInputWriter(call, toolCallId, host);
    input.end(args);
    const { wire, toolName } = call;
    const facts = toHostCallFacts(call, toCallFacts(toCallMetadata(wire), subAgentOf(wire)));
    write({ type: 'tool-call', toolCallId, toolName, input: args, ...facts });
    reports.hasCalls = true;
  }

  function idFor(call: HostedCall): string {
    callId ??= callIds.take(
      call.mapping.callId?.(call.wire) ?? idOf(call.wire.id) ?? idOf(call.wire.call_id) ?? generateId(),
    );
    return callId;
  }
}

/** Marks the call of a host that expresses a request for approval: only those with the mark are sent again. */
function toHostCallFacts<Facts extends Pick<PartOf<'tool-call'>, 'own'>>(
  { wire, mapping: { approval } }: HostedCall,
  facts: Facts,
): Facts {
  if (approval === undefined) return facts;
  return { ...facts, own: { ...facts.own, approvalFor: approval.toCall(wire).server } };
}

/** A received item as the call of a declared tool. */
interface HostedCall {
  readonly wire: PlainObject;
  readonly mapping: DeclarableItem;
  readonly toolName: string;
  /** True only for tools that the host declared, because xAI executes custom tools itself. */
  readonly isForHost: boolean;
  readonly mode: ToolPartsMode;
  readonly toArguments: () => string;
  /** Writes a part of the call, unless the host cannot handle it. */
  readonly write: (part: CallPart) => void;
}

type CallPart = PartOf<
  'tool-input-start' | 'tool-input-delta' | 'tool-input-end' | 'tool-call' | 'tool-result'
>;

function toHostedCall(
  wire: PlainObject,
  options: Pick<HostedItemOptions, 'write' | 'declared' | 'toToolName'>,
): HostedCall {
  const { names, nameById, host } = options.declared;
  const mapping = itemMappingOf(wire);
  const { toolName: name, declarationIds } = mapping;
  const toolName =
    typeof name === 'function'
      ? options.toToolName(name(wire), idOf(wire.namespace))
      : (declarationIds.map(id => nameById.get(id)).find(isDefined) ?? options.toToolName(name));
  const mode = names.has(toolName) ? 'full' : host.undeclaredCalls;
  return {
    wire,
    mapping,
    toolName,
    isForHost: mapping.isForHost?.(wire) === true && names.has(toolName),
    mode,
    toArguments: () =>
      JSON.stringify(
        mapping.input?.(
          wire,
          declarationIds.find(id => nameById.has(id)),
        ) ?? {},
      ),
    write(part) {
      if (mode === 'full' || (mode === 'result' && part.type !== 'tool-call')) options.write(part);
    },
  };
}

function emitResult(
  { wire, mapping, toolName, write }: HostedCall,
  options: { toolCallId: string } & Pick<HostedItemOptions, 'onSources'>,
): void {
  const result = mapping.result(wire);
  if (result === undefined) return;
  const isError = mapping.isError?.(wire) ?? wire.status === 'failed';
  options.onSources(mapping.sources?.(wire) ?? []);
  const facts = toCallFacts(mapping.metadata?.(wire) ?? {});
  write({
    type: 'tool-result',
    toolCallId: options.toolCallId,
    toolName,
    result,
    ...facts,
    ...(isError && { isError }),
  });
}

/** Returns the preview of the result in an event, if the host requested previews and can show them. */
function previewOf(
  { mapping: { declarationIds, preview } }: HostedCall,
  event: PlainObject,
  declared: HostDeclarations,
): NonNullable<JSONValue> | undefined {
  const args = declarationIds.map(id => declared.argsById?.get(id)).find(isDefined);
  const isRequested = declared.host.acceptsLaterResults && args !== undefined && preview?.isRequested(args);
  return isRequested ? preview?.result(event) : undefined;
}

const isDefined = <Value>(value: Value | undefined): value is Value => value !== undefined;

/** Returns true if the host asks a person for approvals of the calls of a declared tool. */
const canAskFor = (request: HostedApprovalRequest, declared: HostDeclarations): boolean =>
  declared.host.asksForApproval &&
  declared.host.undeclaredCalls !== 'none' &&
  declared.nameById.has(request.declaredBy);

/** Writes the call that a person has to approve, and the request for it. */
function writeApproval(
  request: HostedApprovalRequest,
  { wire, toolCallId, write }: { wire: PlainObject; toolCallId: string } & Pick<HostedItemOptions, 'write'>,
): void {
  const { toolName, input, server } = request.toCall(wire);
  const facts = toCallFacts(toCallMetadata(wire), subAgentOf(wire));
  write({
    type: 'tool-call',
    toolCallId,
    toolName,
    input,
    providerExecuted: true,
    dynamic: true,
    ...facts,
    own: { ...facts.own, approvalFor: server },
  });
  write({ type: 'tool-approval-request', approvalId: toolCallId, toolCallId });
}

/** Writes the input parts of one call while its input is being streamed. */
interface InputWriter {
  /** Writes the text of an event. */
  handle(event: PlainObject): void;
  /** Writes the rest of the arguments and the end. Without arguments the call was truncated. */
  end(args?: string): void;
}

function createInputWriter(
  { wire, mapping: { inputStream }, toolName, isForHost, write }: HostedCall,
  id: string,
  host: HostDeclarations['host'],
): InputWriter {
  const toText = inputStream?.begin(wire);
  const isText = inputStream?.encoding === 'text';
  const isQuoted = isText && !host.acceptsTextInput;
  /** The input so far: a text if the input is one, else JSON. */
  let streamed = '';
  const writeDelta = (delta: string): void => write({ type: 'tool-input-delta', id, delta });
  const add = (text: string): void => {
    if (text === '') return;
    streamed += text;
    writeDelta(isQuoted ? escapeJson(text) : text);
  };

  write({
    type: 'tool-input-start',
    id,
    toolName,
    ...(isForHost ? isText && !isQuoted && { inputEncoding: 'text' } : { providerExecuted: true }),
  });
  if (isQuoted) writeDelta('"');

  return {
    handle: event => add(toText?.(event) ?? ''),
    end(args) {
      if (args !== undefined) {
        const final = isText ? String(JSON.parse(args)) : args;
        add(final.startsWith(streamed) ? final.slice(streamed.length) : (inputStream?.end ?? ''));
        if (isQuoted) writeDelta('"');
      }
      write({ type: 'tool-input-end', id });
    },
  };
}

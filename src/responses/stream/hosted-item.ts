import type { JSONObject, LanguageModelV2StreamPart, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import type { HostVersion } from '../../parts/call-marks.js';
import { subAgentOf } from '../../parts/commentary.js';
import { createProviderToolParts, type ToolPartsMode } from '../../parts/provider-executed-parts.js';
import type { CallIds } from './call-ids.js';
import { writeOpaqueItem } from './opaque-item.js';
import type { OutputItem } from './output-item.js';
import { idOf, type PlainObject } from '../../shared/json.js';
import { escapeJson, type FoundSource } from '../hosted-tools/hosted-tool.js';
import { type DeclarableItem, itemMappingOf } from '../hosted-tools/index.js';
import { toCallMetadata } from './function-call-item.js';

/** A call of a tool that is not a function. The server or the host executes it. */
export interface HostedItem extends OutputItem {
  readonly kind: 'hosted';
  /** Handles an event of the item, such as a delta of its input. Ignores events that the tool does not use. */
  handle(type: string, fields: PlainObject): void;
}

/** Tools that the host declared. */
export interface DeclaredTools {
  readonly names: ReadonlySet<string>;
  /** Names of the provider-defined tools, by id. */
  readonly nameById: ReadonlyMap<string, string>;
  /** Arguments of the provider-defined tools, by id. @default none */
  readonly argsById?: ReadonlyMap<string, PlainObject>;
  /** Parts of provider-executed calls of undeclared tools. */
  readonly undeclared: ToolPartsMode;
  /** Version of the model interface that the host uses. @default 'v2' */
  readonly host?: HostVersion;
}

export interface HostedItemOptions {
  readonly write: (part: LanguageModelV2StreamPart) => void;
  readonly announced: PlainObject | undefined;
  readonly declared: DeclaredTools;
  /** Returns the host's name of a tool, for tools that the host names. */
  readonly toToolName: (wireName: string, namespace?: string) => string;
  readonly generateId: () => string;
  readonly callIds: CallIds;
  /** Called for each call that the host must execute. */
  readonly onCall: () => void;
  /** Called with the pages and files that a call has found. */
  readonly onSources: (sources: readonly FoundSource[]) => void;
  /** Called with each finished item, as it was received. @default the item is not kept */
  readonly onServerItem?: ((item: PlainObject) => void) | undefined;
}

export function createHostedItem(options: HostedItemOptions): HostedItem {
  const { write, declared, toToolName, generateId, callIds, onCall, onSources, onServerItem } = options;
  const modeOf = (name: string): ToolPartsMode => (declared.names.has(name) ? 'full' : declared.undeclared);
  const toolParts = createProviderToolParts(modeOf);
  const isLaterHost = declared.host !== undefined && declared.host !== 'v2';
  const emit = (parts: LanguageModelV2StreamPart[]) => parts.forEach(write);
  let announced: PlainObject | undefined;
  let type: string | undefined;
  let callId: string | undefined;
  let isCallEmitted = false;
  let input: InputWriter | undefined;

  const item: HostedItem = {
    kind: 'hosted',
    closed: false,

    announce(wire) {
      announced ??= wire;
      type ??= idOf(wire.type);
      if (itemMappingOf(announced).emitsCallAtStart) emitCall(announced);
    },

    handle(eventType, event) {
      if (announced === undefined) return;
      const mapping = itemMappingOf(announced);
      if (mapping.preview?.event === eventType) emitPreview(mapping, announced, event);
      if (isCallEmitted || mapping.inputStream?.events.includes(eventType) !== true) return;
      // A server that executes a tool of the host (xAI) sends only the finished input.
      if (mapping.isForHost !== undefined && !isForHost(mapping, announced) && !mapping.resultFollows) return;
      input ??= createInputWriter(mapping, announced);
      input.handle(event);
    },

    isSameAs: wire => type === undefined || wire.type === type,

    finish(finished, { broken = false } = {}) {
      const wire = finished ?? announced;
      item.closed = true;
      if (wire === undefined) return;
      type = idOf(wire.type);
      const mapping = itemMappingOf(wire);
      const isTruncated = broken || (wire.status === 'incomplete' && mapping.hasIncompleteResult !== true);
      // An item that was only announced is not complete. A document has no announcements.
      if (!isTruncated && finished !== undefined) onServerItem?.(finished);
      if (isForHost(mapping, wire)) {
        if (isTruncated) input?.end();
        else emitHostCall(mapping, wire);
      } else if (modeOf(nameOf(wire)) === 'none') {
        // The host receives no parts of the call, and the next request contains it nevertheless.
        if (isTruncated) return;
        onSources(mapping.sources?.(wire) ?? []);
        writeOpaqueItem(generateId(), wire, write);
      } else if (mapping.resultOf !== undefined) {
        if (!isTruncated) emitLaterResult(mapping, wire);
      } else {
        if (isTruncated) input?.end();
        else emitCall(wire);
        // A call that the server has not finished has no result. Hosts accept that.
        if (!isTruncated) emitResult(mapping, wire, idFor(wire));
      }
    },
  };
  if (options.announced !== undefined) item.announce?.(options.announced);
  return item;

  function emitCall(wire: PlainObject): void {
    if (isCallEmitted) return;
    isCallEmitted = true;
    const mapping = itemMappingOf(wire);
    const toolName = nameOf(wire);
    const toolCallId = idFor(wire);
    const args = toArguments(mapping, wire);
    // If the call part is hidden, the input parts are the only trace of the call.
    const isInputOnly = !declared.names.has(toolName) && declared.undeclared === 'result';
    if (input !== undefined) {
      input.end(args);
    } else if (mapping.hasInputParts || isInputOnly) {
      emit(toolParts.inputStart(toolCallId, toolName));
      if (args !== '{}') emit(toolParts.inputDelta(toolCallId, toolName, args));
      emit(toolParts.inputEnd(toolCallId, toolName));
    }
    emit(toolParts.call({ toolCallId, toolName, input: args, ...metadataOf(mapping, wire) }));
    if (mapping.resultFollows) callIds.awaitResult({ toolCallId, toolName, serverId: idOf(wire.call_id) });
  }

  function emitResult(mapping: DeclarableItem, wire: PlainObject, toolCallId: string): void {
    const result = mapping.result(wire);
    if (result === undefined) return;
    const isError = mapping.isError?.(wire) ?? wire.status === 'failed';
    const toolName = nameOf(wire);
    onSources(mapping.sources?.(wire) ?? []);
    emit(toolParts.result({ toolCallId, toolName, result, isError, ...metadataOf(mapping, wire) }));
  }

  /** Emits the result of an earlier call. */
  function emitLaterResult(mapping: DeclarableItem, wire: PlainObject): void {
    const serverId = mapping.resultOf?.(wire);
    const toolCallId = callIds.takeAwaited({ toolName: nameOf(wire), serverId });
    if (toolCallId !== undefined) {
      emitResult(mapping, wire, toolCallId);
    } else if (serverId !== undefined && isLaterHost) {
      emitResult(mapping, wire, serverId);
    } else {
      // `generateText` of `ai@5` fails on the result of a call that the same response does not contain.
      writeOpaqueItem(generateId(), wire, write);
    }
  }

  /** Emits a preview of the result, which version 2 of the model interface does not have. */
  function emitPreview(mapping: DeclarableItem, wire: PlainObject, event: PlainObject): void {
    const args = mapping.declarationIds
      .map(id => declared.argsById?.get(id))
      .find(found => found !== undefined);
    if (!isLaterHost || args === undefined || mapping.preview?.isRequested(args) !== true) return;
    const result = mapping.preview.result(event);
    if (result === undefined) return;
    for (const part of toolParts.result({
      toolCallId: idFor(wire),
      toolName: nameOf(wire),
      result,
      isError: false,
    }))
      write({ ...part, ...{ preliminary: true } });
  }

  /** Emits a call for the host, with the parts of a function call. */
  function emitHostCall(mapping: DeclarableItem, wire: PlainObject): void {
    const args = toArguments(mapping, wire);
    input ??= createInputWriter(mapping, wire);
    input.end(args);
    write({
      type: 'tool-call',
      toolCallId: idFor(wire),
      toolName: nameOf(wire),
      input: args,
      ...toMetadata(toCallMetadata(wire), subAgentOf(wire)),
    });
    onCall();
  }

  /** Writes the input of a call while it is being streamed. */
  function createInputWriter(mapping: DeclarableItem, wire: PlainObject): InputWriter {
    const id = idFor(wire);
    const toolName = nameOf(wire);
    const forHost = isForHost(mapping, wire);
    const { inputStream } = mapping;
    const toText = inputStream?.begin(wire);
    const isText = inputStream?.encoding === 'text';
    const isRaw = isText && isLaterHost;
    /** The input so far: a text if the input is one, else JSON. */
    let streamed = '';
    const add = (text: string): void => {
      if (text === '') return;
      streamed += text;
      writeDelta(isText && !isRaw ? escapeJson(text) : text);
    };

    if (forHost) {
      write({ type: 'tool-input-start', id, toolName, ...(isRaw && { inputEncoding: 'text' }) });
    } else {
      emit(toolParts.inputStart(id, toolName));
    }
    if (isText && !isRaw) writeDelta('"');

    return {
      handle: event => add(toText?.(event) ?? ''),
      end(args) {
        if (args !== undefined) {
          const final = isText ? String(JSON.parse(args)) : args;
          add(final.startsWith(streamed) ? final.slice(streamed.length) : (inputStream?.end ?? ''));
          if (isText && !isRaw) writeDelta('"');
        }
        if (forHost) write({ type: 'tool-input-end', id });
        else emit(toolParts.inputEnd(id, toolName));
      },
    };

    function writeDelta(delta: string): void {
      if (forHost) write({ type: 'tool-input-delta', id, delta });
      else emit(toolParts.inputDelta(id, toolName, delta));
    }
  }

  /** Returns true only for tools that the host declared, because xAI executes custom tools itself. */
  function isForHost(mapping: DeclarableItem, wire: PlainObject): boolean {
    return mapping.isForHost?.(wire) === true && declared.names.has(nameOf(wire));
  }

  function toArguments(mapping: DeclarableItem, wire: PlainObject): string {
    const declaredId = mapping.declarationIds.find(id => declared.nameById.has(id));
    return JSON.stringify(mapping.input?.(wire, declaredId) ?? {});
  }

  function nameOf(wire: PlainObject): string {
    const { toolName, declarationIds } = itemMappingOf(wire);
    if (typeof toolName === 'function') return toToolName(toolName(wire), idOf(wire.namespace));
    const declaredName = declarationIds.map(id => declared.nameById.get(id)).find(name => name !== undefined);
    return declaredName ?? toToolName(toolName);
  }

  function idFor(wire: PlainObject): string {
    callId ??= callIds.take(
      itemMappingOf(wire).callId?.(wire) ?? idOf(wire.id) ?? idOf(wire.call_id) ?? generateId(),
    );
    return callId;
  }
}

/** Writes the input parts of one call. */
interface InputWriter {
  /** Writes the text of an event. */
  handle(event: PlainObject): void;
  /** Writes the rest of the arguments and the end. Without arguments the call was truncated. */
  end(args?: string): void;
}

type Metadata = { providerMetadata?: SharedV2ProviderMetadata };

function toMetadata(openai: JSONObject, agent?: JSONObject): Metadata {
  const providerMetadata = {
    ...(Object.keys(openai).length > 0 && { openai }),
    ...(agent !== undefined && { kelivo: { agent } }),
  };
  return Object.keys(providerMetadata).length === 0 ? {} : { providerMetadata };
}

const metadataOf = (mapping: DeclarableItem, wire: PlainObject): Metadata =>
  toMetadata(mapping.metadata?.(wire) ?? {});

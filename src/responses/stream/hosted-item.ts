import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { createProviderToolParts, type ToolPartsMode } from '../../parts/provider-executed-parts.js';
import type { CallIds } from './call-ids.js';
import type { OutputItem } from './output-item.js';
import { idOf, type PlainObject } from '../../shared/json.js';
import { type DeclarableItem, itemMappingOf } from '../hosted-tools/index.js';

/** A call of a tool that is not a function. The server or the host executes it. */
export interface HostedItem extends OutputItem {
  readonly kind: 'hosted';
  /** Emits a delta of the input, if the input of the tool is streamed. */
  writeInput(delta: string): void;
}

/** Tools that the host declared. */
export interface DeclaredTools {
  readonly names: ReadonlySet<string>;
  /** Names of the provider-defined tools, by id. */
  readonly nameById: ReadonlyMap<string, string>;
  /** Parts of provider-executed calls of undeclared tools. */
  readonly undeclared: ToolPartsMode;
}

export interface HostedItemOptions {
  readonly write: (part: LanguageModelV2StreamPart) => void;
  readonly announced: PlainObject | undefined;
  readonly declared: DeclaredTools;
  /** Returns the host's name of a tool, for tools that the host names. */
  readonly toToolName: (wireName: string) => string;
  readonly generateId: () => string;
  readonly callIds: CallIds;
  /** Called for each call that the host must execute. */
  readonly onCall: () => void;
}

export function createHostedItem({
  write,
  announced,
  declared,
  toToolName,
  generateId,
  callIds,
  onCall,
}: HostedItemOptions): HostedItem {
  const toolParts = createProviderToolParts(name =>
    declared.names.has(name) ? 'full' : declared.undeclared,
  );
  const emit = (parts: LanguageModelV2StreamPart[]) => parts.forEach(write);
  let type = idOf(announced?.type);
  let callId: string | undefined;
  let isCallEmitted = false;
  /** The tool while its input is being streamed, and the end of the input. */
  let streaming: { toolName: string; end: string } | undefined;

  if (announced !== undefined && itemMappingOf(announced).emitsCallAtStart) emitCall(announced);

  const item: HostedItem = {
    kind: 'hosted',
    closed: false,

    writeInput(delta) {
      if (announced === undefined || isCallEmitted || delta === '') return;
      const { inputStream } = itemMappingOf(announced);
      if (inputStream === undefined) return;
      const id = idFor(announced);
      if (streaming === undefined) {
        streaming = { toolName: nameOf(announced), end: inputStream.end };
        emit(toolParts.inputStart(id, streaming.toolName));
        emit(toolParts.inputDelta(id, streaming.toolName, inputStream.toStart(announced)));
      }
      emit(toolParts.inputDelta(id, streaming.toolName, inputStream.toDelta(delta)));
    },

    isSameAs: wire => type === undefined || wire.type === type,

    finish(wire = announced, { broken = false } = {}) {
      item.closed = true;
      if (wire === undefined) return;
      type = idOf(wire.type);
      const mapping = itemMappingOf(wire);
      const isTruncated = broken || wire.status === 'incomplete';
      if (isForHost(mapping, wire)) {
        if (!isTruncated) emitHostCall(mapping, wire);
        return;
      }
      if (mapping.resultOf === undefined && !isTruncated) emitCall(wire);
      else endInput();
      // A call that the server has not finished has no result. Hosts accept that.
      const result = isTruncated ? undefined : mapping.result(wire);
      if (result === undefined) return;
      const toolCallId = mapping.resultOf?.(wire) ?? idFor(wire);
      const isError = mapping.isError?.(wire) ?? wire.status === 'failed';
      emit(toolParts.result({ toolCallId, toolName: nameOf(wire), result, isError }));
    },
  };
  return item;

  function emitCall(wire: PlainObject): void {
    if (isCallEmitted) return;
    isCallEmitted = true;
    const mapping = itemMappingOf(wire);
    const toolName = nameOf(wire);
    const toolCallId = idFor(wire);
    const input = JSON.stringify(mapping.input?.(wire) ?? {});
    // If the call part is hidden, the input parts are the only trace of the call.
    const isInputOnly = !declared.names.has(toolName) && declared.undeclared === 'result';
    if (streaming === undefined && (mapping.hasInputParts || isInputOnly)) {
      emit(toolParts.inputStart(toolCallId, toolName));
      if (input !== '{}') emit(toolParts.inputDelta(toolCallId, toolName, input));
      emit(toolParts.inputEnd(toolCallId, toolName));
    }
    endInput();
    emit(toolParts.call({ toolCallId, toolName, input }));
  }

  function endInput(): void {
    if (streaming === undefined || callId === undefined) return;
    emit(toolParts.inputDelta(callId, streaming.toolName, streaming.end));
    emit(toolParts.inputEnd(callId, streaming.toolName));
    streaming = undefined;
  }

  /** Emits a call for the host, with the parts of a function call. */
  function emitHostCall(mapping: DeclarableItem, wire: PlainObject): void {
    const itemId = idOf(wire.id);
    const toolCallId = idFor(wire);
    const toolName = nameOf(wire);
    const input = JSON.stringify(mapping.input?.(wire) ?? {});
    write({ type: 'tool-input-start', id: toolCallId, toolName });
    write({ type: 'tool-input-delta', id: toolCallId, delta: input });
    write({ type: 'tool-input-end', id: toolCallId });
    write({
      type: 'tool-call',
      toolCallId,
      toolName,
      input,
      ...(itemId !== undefined && { providerMetadata: { openai: { itemId } } }),
    });
    onCall();
  }

  /** Returns true only for tools that the host declared, because xAI executes custom tools itself. */
  function isForHost(mapping: DeclarableItem, wire: PlainObject): boolean {
    return mapping.isForHost?.(wire) === true && declared.names.has(nameOf(wire));
  }

  function nameOf(wire: PlainObject): string {
    const { toolName, declarationIds } = itemMappingOf(wire);
    if (typeof toolName === 'function') return toToolName(toolName(wire));
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

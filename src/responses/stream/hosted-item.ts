import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { createProviderToolParts, type ToolPartsMode } from '../../parts/provider-executed-parts.js';
import type { CallIds } from './call-ids.js';
import { type HostedTool, hostedToolOf } from './hosted-tools.js';
import type { OutputItem } from './output-item.js';
import { idOf, stringOf, type PlainObject } from '../../shared/json.js';

/** A call of a tool that the API or its server runs, or that the host runs without it being a function. */
export interface HostedItem extends OutputItem {
  readonly kind: 'hosted';
  /** Code of the code interpreter, as it is written. */
  writeCode(delta: string): void;
}

/** What the host declared: the names of its tools, and its provider-defined ones by id. */
export interface DeclaredTools {
  readonly names: ReadonlySet<string>;
  readonly nameById: ReadonlyMap<string, string>;
  /** How a provider-executed call of a tool that the host did not declare is shown. */
  readonly undeclared: ToolPartsMode;
}

export interface HostedItemOptions {
  readonly write: (part: LanguageModelV2StreamPart) => void;
  readonly announced: PlainObject | undefined;
  readonly declared: DeclaredTools;
  /** Gives tools that the host names their own names back. */
  readonly toToolName: (wireName: string) => string;
  readonly generateId: () => string;
  readonly callIds: CallIds;
  /** Told of a call that the host has to run. */
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
  const surface = createProviderToolParts(name => (declared.names.has(name) ? 'full' : declared.undeclared));
  const show = (parts: LanguageModelV2StreamPart[]) => parts.forEach(write);
  let type = idOf(announced?.type);
  let callId: string | undefined;
  let isShown = false;
  /** The tool's name once its input is being streamed. */
  let streaming: string | undefined;

  if (announced !== undefined && hostedToolOf(announced).isShownAtOnce) showCall(announced);

  const item: HostedItem = {
    kind: 'hosted',
    closed: false,

    writeCode(delta) {
      if (announced === undefined || isShown || delta === '') return;
      const id = idFor(announced);
      if (streaming === undefined) {
        streaming = nameOf(announced);
        show(surface.inputStart(id, streaming));
        const container = idOf(announced.container_id);
        const head = container === undefined ? '{' : `{"containerId":${JSON.stringify(container)},`;
        show(surface.inputDelta(id, streaming, `${head}"code":"`));
      }
      show(surface.inputDelta(id, streaming, JSON.stringify(delta).slice(1, -1)));
    },

    isSameAs: wire => type === undefined || wire.type === type,

    finish(wire = announced, { broken = false } = {}) {
      item.closed = true;
      if (wire === undefined) return;
      type = idOf(wire.type);
      const tool = hostedToolOf(wire);
      const isCut = broken || wire.status === 'incomplete';
      if (isForHost(tool, wire)) {
        if (!isCut) writeHostCall(tool, wire);
        return;
      }
      if (tool.isResultOf === undefined && !isCut) showCall(wire);
      else endInput();
      // A call that the server had not finished has no result; a host takes it so.
      const result = isCut ? undefined : tool.result(wire);
      if (result === undefined) return;
      const toolCallId = tool.isResultOf?.(wire) ?? idFor(wire);
      const isError = tool.isError?.(wire) ?? wire.status === 'failed';
      show(surface.result({ toolCallId, toolName: nameOf(wire), result, isError }));
    },
  };
  return item;

  function showCall(wire: PlainObject): void {
    if (isShown) return;
    isShown = true;
    const tool = hostedToolOf(wire);
    const toolName = nameOf(wire);
    const toolCallId = idFor(wire);
    const input = JSON.stringify(tool.input?.(wire) ?? {});
    // Without the call part, the input is all there is of the call.
    const isInputAll = !declared.names.has(toolName) && declared.undeclared === 'result';
    if (streaming === undefined && (tool.hasInputParts || isInputAll)) {
      show(surface.inputStart(toolCallId, toolName));
      if (input !== '{}') show(surface.inputDelta(toolCallId, toolName, input));
      show(surface.inputEnd(toolCallId, toolName));
    }
    endInput();
    show(surface.call({ toolCallId, toolName, input }));
  }

  function endInput(): void {
    if (streaming === undefined || callId === undefined) return;
    show(surface.inputDelta(callId, streaming, '"}'));
    show(surface.inputEnd(callId, streaming));
    streaming = undefined;
  }

  /** A call that waits for the host, like that of a function. */
  function writeHostCall(tool: HostedTool, wire: PlainObject): void {
    const itemId = idOf(wire.id);
    const toolCallId = idFor(wire);
    const toolName = nameOf(wire);
    const input = JSON.stringify(tool.input?.(wire) ?? {});
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

  /** Only a tool that the host declared can be the host's to run: xAI runs custom tools of its own. */
  function isForHost(tool: HostedTool, wire: PlainObject): boolean {
    return tool.isForHost?.(wire) === true && declared.names.has(nameOf(wire));
  }

  function nameOf(wire: PlainObject): string {
    const tool = hostedToolOf(wire);
    const declaredName = tool.ids?.map(id => declared.nameById.get(id)).find(name => name !== undefined);
    return declaredName ?? toToolName(tool.toolName(wire));
  }

  function idFor(wire: PlainObject): string {
    callId ??= callIds.take(
      hostedToolOf(wire).callId?.(wire) ?? idOf(wire.id) ?? idOf(stringOf(wire.call_id)) ?? generateId(),
    );
    return callId;
  }
}

import { createIdGenerator } from '@ai-sdk/provider-utils';
import type { Part } from './part.js';
import { type CoreModel, withChanges } from './source.js';

/**
 * Returns the model with an id for every tool call that its server sent without one, in all parts of the call. Hosts and
 * the tool loop match calls with their results by id.
 */
export const withCallIds = (model: CoreModel): CoreModel =>
  withChanges(model, () => {
    const assignId = createIdAssigner();
    return { response: { part: (part, emit) => emit(assignId(part)) } };
  });

const generateCallId = createIdGenerator({ prefix: 'call', separator: '_', size: 24 });

/** A call without an id whose input is being streamed. */
interface OpenCall {
  readonly id: string;
  readonly toolName: string;
  hasEnded: boolean;
}

/**
 * Parts without an id are matched by order and tool name, because calls may be interleaved: a delta belongs to the call
 * that began last, an end to the first call that is still open, and a call to the first input of its tool.
 */
function createIdAssigner(): (part: Part) => Part {
  const open: OpenCall[] = [];
  return part => {
    switch (part.type) {
      case 'tool-input-start': {
        if (part.id) return part;
        const call = { id: generateCallId(), toolName: part.toolName, hasEnded: false };
        open.push(call);
        return { ...part, id: call.id };
      }
      case 'tool-input-delta': {
        const call = part.id ? undefined : open.findLast(openCall => !openCall.hasEnded);
        return call === undefined ? part : { ...part, id: call.id };
      }
      case 'tool-input-end': {
        const call = part.id ? undefined : open.find(openCall => !openCall.hasEnded);
        if (call === undefined) return part;
        call.hasEnded = true;
        return { ...part, id: call.id };
      }
      case 'tool-call': {
        if (part.toolCallId) return part;
        const index = open.findIndex(openCall => openCall.toolName === part.toolName);
        const [call] = index < 0 ? [] : open.splice(index, 1);
        return { ...part, toolCallId: call?.id ?? generateCallId() };
      }
      default:
        return part;
    }
  };
}

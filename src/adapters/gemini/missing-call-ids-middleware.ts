import { createIdGenerator } from '@ai-sdk/provider-utils';
import { rewriteMiddleware } from '../rewrite-middleware.js';

const generateCallId = createIdGenerator({ prefix: 'call', separator: '_', size: 24 });

/** A call without an id whose input is being streamed. */
interface OpenCall {
  readonly id: string;
  readonly toolName: string;
  hasEnded: boolean;
}

/** Gives calls an id that come without one, the same one in all parts of a call. */
export const missingCallIdsMiddleware = rewriteMiddleware(() => {
  const open: OpenCall[] = [];
  return {
    rewrite(part) {
      switch (part.type) {
        case 'tool-input-start': {
          if (part.id) return part;
          const call = { id: generateCallId(), toolName: part.toolName, hasEnded: false };
          open.push(call);
          return { ...part, id: call.id };
        }
        case 'tool-input-delta': {
          const call = part.id ? undefined : open.findLast(({ hasEnded }) => !hasEnded);
          return call === undefined ? part : { ...part, id: call.id };
        }
        case 'tool-input-end': {
          const call = part.id ? undefined : open.find(({ hasEnded }) => !hasEnded);
          if (call === undefined) return part;
          call.hasEnded = true;
          return { ...part, id: call.id };
        }
        case 'tool-call': {
          if (part.toolCallId) return part;
          const index = open.findIndex(({ toolName }) => toolName === part.toolName);
          const [call] = index < 0 ? [] : open.splice(index, 1);
          return { ...part, toolCallId: call?.id ?? generateCallId() };
        }
        default:
          return part;
      }
    },
  };
});

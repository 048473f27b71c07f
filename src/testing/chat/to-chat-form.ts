import { type AnswerForm, toFailure } from '../answer-form.js';
import type { OutputAnswer } from '../answers.js';
import { type JsonObject, toJsonObjects } from '../json-object.js';
import type { EmulatedResponse } from '../wire.js';
import type { ChatDialect } from './chat-dialect.js';
import { toCompletion } from './to-completion.js';

/** A response in the form of the Chat Completions API. */
export function toChatForm(
  response: EmulatedResponse,
  {
    dialect,
    includeUsage,
    rewriteChunks = chunks => chunks,
  }: { dialect: ChatDialect; includeUsage: boolean; rewriteChunks?: OutputAnswer['chunks'] },
): AnswerForm {
  const completion = toCompletion(response);
  const { id, created, model, finishReason, usage } = completion;
  const common = { id, object: 'chat.completion.chunk', created, model };
  const chunks = rewriteChunks(
    dialect.toChunks(completion, { includeUsage }).map(chunk => ({ ...common, ...chunk })),
  );
  const frames = [...chunks.map(toFrame), 'data: [DONE]\n\n'];
  const lastChunk = chunks.findIndex(isLast);
  return {
    body: {
      ...common,
      object: 'chat.completion',
      choices: [{ index: 0, message: dialect.toMessage(completion), finish_reason: finishReason }],
      ...(usage && { usage }),
    },
    frames,
    openingFrames: 1, // the chunk with the role
    terminalFrames: lastChunk < 0 ? 1 : frames.length - lastChunk,
    malformedFrame: 'data: {"object":"chat.completion.ch\n\n',
    failFrames: fault => [toFrame(dialect.toErrorBody({ ...failure, ...toFailure(fault) }))],
    failBody: fault => dialect.toErrorBody({ ...failure, ...toFailure(fault) }),
  };
}

const failure = { type: 'server_error', param: null };

const toFrame = (data: JsonObject): string => `data: ${JSON.stringify(data)}\n\n`;

const isLast = ({ choices }: JsonObject): boolean =>
  toJsonObjects(choices).some(({ finish_reason: reason }) => typeof reason === 'string');

import { type AnswerForm, type FailingFault, toFailure } from '../answer-form.js';
import type { OutputAnswer } from '../answers.js';
import { toWords } from '../cut-text.js';
import { isJsonObject, type JsonObject } from '../json-object.js';
import type { EmulatedResponse, OutputItem, ResponseUsage } from '../wire.js';
import { toGoogleErrorBody } from './google-error.js';

/** A response in the form of the Gemini API. */
export function toGoogleForm(
  response: EmulatedResponse,
  { model, rewriteChunks = chunks => chunks }: { model: string; rewriteChunks?: OutputAnswer['chunks'] },
): AnswerForm {
  const parts = signFirstCall(response.output.flatMap(toParts));
  const common = {
    ...(response.usage && { usageMetadata: toUsage(response.usage) }),
    modelVersion: model,
    responseId: response.id,
  };
  const toBody = (shown: readonly JsonObject[], finishReason?: string): JsonObject => ({
    candidates: [
      { content: { parts: shown, role: 'model' }, ...(finishReason && { finishReason }), index: 0 },
    ],
    ...common,
  });
  const pieces = parts.length > 0 ? parts.flatMap(toPieces) : [{ text: '' }];
  const chunks = pieces.map((piece, index) =>
    toBody([piece], index === pieces.length - 1 ? toFinishReason(response) : undefined),
  );
  return {
    body: toBody(parts, toFinishReason(response)),
    frames: rewriteChunks(chunks).map(toFrame),
    openingFrames: 0,
    terminalFrames: 1,
    malformedFrame: 'data: {"candidates": [{"cont\r\n\r\n',
    failFrames: fault => [toFrame(toFailBody(fault))],
    failBody: toFailBody,
  };
}

const toFailBody = (fault: FailingFault): JsonObject =>
  toGoogleErrorBody({ code: 500, message: toFailure(fault).message, status: 'INTERNAL' });

const toFrame = (data: JsonObject): string => `data: ${JSON.stringify(data)}\r\n\r\n`;

function toParts(item: OutputItem): JsonObject[] {
  switch (item.type) {
    case 'message':
      return item.content.map(part => ({ text: part.type === 'refusal' ? part.refusal : part.text }));
    case 'reasoning':
      return item.summary.map(({ text }) => ({ text, thought: true }));
    case 'function_call':
      return [{ functionCall: { name: item.name, args: toArguments(item.arguments) } }];
    case 'raw':
      return [];
  }
}

/** Of parallel calls the first is signed, https://ai.google.dev/gemini-api/docs/thought-signatures. */
function signFirstCall(parts: readonly JsonObject[]): JsonObject[] {
  const first = parts.find(part => 'functionCall' in part);
  return parts.map(part => (part === first ? { ...part, thoughtSignature: toSignature(part) } : part));
}

const toSignature = (part: JsonObject): string =>
  Buffer.from(`signed ${JSON.stringify(part.functionCall)}`).toString('base64');

/** Text streams in words; a call comes whole. */
function toPieces(part: JsonObject): JsonObject[] {
  return typeof part.text === 'string' ? toWords(part.text).map(text => ({ ...part, text })) : [part];
}

/** The API has no arguments that are no object. */
function toArguments(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function toFinishReason({ incompleteReason }: EmulatedResponse): string {
  if (incompleteReason === 'max_output_tokens') return 'MAX_TOKENS';
  return incompleteReason === 'content_filter' ? 'SAFETY' : 'STOP';
}

function toUsage(usage: ResponseUsage): JsonObject {
  const thoughts = usage.output_tokens_details?.reasoning_tokens ?? 0;
  const cached = usage.input_tokens_details?.cached_tokens ?? 0;
  return {
    promptTokenCount: usage.input_tokens,
    candidatesTokenCount: usage.output_tokens - thoughts,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    totalTokenCount: usage.total_tokens,
  };
}

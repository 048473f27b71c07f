import * as z from 'zod/v4';
import type { Message, Prompt, ToolCallPart } from '../../core/prompt.js';
import type { Part, ToolCall } from '../../core/part.js';
import { type CoreModel, type PartSource, transformParts, withOpen } from '../../core/source.js';
import { createMiddleware } from '../kit/middleware.js';

/**
 * Carries the thought signatures of tool calls through OpenAI-compatible endpoints. Gemini requires each signature back
 * with its call: `Function call is missing a thought_signature in functionCall parts.`
 *
 * `@ai-sdk/openai-compatible` 1 ignores `extra_content.google.thought_signature` of a call. The middleware copies it to
 * the metadata that `@ai-sdk/google` adds to a call, and back to the field in the next request. A history can therefore
 * continue at either endpoint.
 */
export const thoughtSignaturesMiddleware = createMiddleware({
  wrap: (model: CoreModel) =>
    withOpen(model, async received => {
      const call = { ...received, prompt: withWireSignatures(received.prompt, model) };
      if (!call.isStream) return readSignedBody(await model.open(call));
      return readSignedChunks(await model.open({ ...call, includeRawChunks: true }), {
        keepsRawChunks: call.includeRawChunks === true,
      });
    }),
});

/** Signs the calls of a stream with the signatures in its raw chunks. */
function readSignedChunks(source: PartSource, options: { keepsRawChunks: boolean }): PartSource {
  const signatures = createWireSignatures();
  return transformParts(source, {
    part(part, emit) {
      if (part.type === 'raw') {
        signatures.read(part.rawValue);
        if (!options.keepsRawChunks) return;
      }
      emit(part.type === 'tool-call' ? sign(part, signatures) : part);
    },
  });
}

/** Signs the calls of a complete response with the signatures in its body, which is there after the last part. */
function readSignedBody(source: PartSource): PartSource {
  const parts: Part[] = [];
  return transformParts(source, {
    part: part => void parts.push(part),
    flush(emit) {
      const signatures = createWireSignatures();
      signatures.read(source.response?.body);
      for (const part of parts) emit(part.type === 'tool-call' ? sign(part, signatures) : part);
    },
  });
}

function sign(call: ToolCall, signatures: WireSignatures): ToolCall {
  const thoughtSignature = signatures.take(call);
  const { google, ...others } = call.providerMetadata ?? {};
  if (thoughtSignature === undefined || google?.['thoughtSignature'] !== undefined) return call;
  return { ...call, providerMetadata: { ...others, google: { ...google, thoughtSignature } } };
}

/** The placeholder that Gemini 3 accepts for a missing signature, as `@ai-sdk/google` sends it. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/** Gemini 3 and later. Older models do not require signatures. */
const requiresSignatures = /gemini-(?:[3-9]|\d{2,})(?!\d)/i;

/**
 * Writes the signatures of a prompt's calls into the options that `@ai-sdk/openai-compatible` copies to the call on the
 * wire. Gemini signs only the first of parallel calls. Messages of other models have no signature and get a placeholder.
 */
const withWireSignatures = (prompt: Prompt, model: { modelId: string }): Prompt =>
  prompt.map((message): Message => {
    if (message.role !== 'assistant') return message;
    const calls = message.content.filter(part => part.type === 'tool-call');
    const isSigned = calls.some(call => signatureOf(call) !== undefined);
    const unsigned = isSigned || !requiresSignatures.test(model.modelId) ? undefined : calls[0];
    return {
      ...message,
      content: message.content.map(part =>
        part.type === 'tool-call'
          ? withWireSignature(part, signatureOf(part) ?? (part === unsigned ? NO_SIGNATURE : undefined))
          : part,
      ),
    };
  });

function signatureOf(part: ToolCallPart): string | undefined {
  const signature = part.providerOptions?.['google']?.['thoughtSignature'];
  return typeof signature === 'string' ? signature : undefined;
}

function withWireSignature(call: ToolCallPart, signature: string | undefined): ToolCallPart {
  const { openaiCompatible, ...others } = call.providerOptions ?? {};
  if (signature === undefined || openaiCompatible?.['extra_content'] !== undefined) return call;
  const extra_content = { google: { thought_signature: signature } };
  return {
    ...call,
    providerOptions: { ...others, openaiCompatible: { ...openaiCompatible, extra_content } },
  };
}

const wireCalls = z
  .object({
    tool_calls: z
      .array(
        z.object({
          id: z.string().nullish(),
          function: z.object({ name: z.string().nullish() }).nullish(),
          extra_content: z
            .object({ google: z.object({ thought_signature: z.string().nullish() }).nullish() })
            .nullish(),
        }),
      )
      .nullish(),
  })
  .nullish();

/** The fields of a chat completion, or of one of its chunks, that contain signatures. */
const wireResponse = z.object({ choices: z.array(z.object({ delta: wireCalls, message: wireCalls })) });

interface WireCall {
  readonly id: string;
  readonly toolName: string;
  signature?: string;
}

/** Collects the thought signatures of a response's calls from the raw server data. */
export interface WireSignatures {
  /** Reads a complete response or its next chunk. Ignores data that is not a chat completion. */
  read(response: unknown): void;
  /** Returns the signature of the next call with this id or, if the server sent no id, with this name. */
  take(call: { toolCallId: string; toolName: string }): string | undefined;
}

/** @internal */
export function createWireSignatures(): WireSignatures {
  const calls: WireCall[] = [];
  return {
    read(response) {
      for (const { delta, message } of wireResponse.safeParse(response).data?.choices ?? []) {
        for (const { id, function: tool, extra_content: extra } of (delta ?? message)?.tool_calls ?? []) {
          const known = id ? calls.find(call => call.id === id) : undefined;
          if (known === undefined && tool?.name) calls.push({ id: id ?? '', toolName: tool.name });
          const call = known ?? calls.at(-1);
          const signature = extra?.google?.thought_signature;
          if (call !== undefined && signature) call.signature = signature;
        }
      }
    },
    take({ toolCallId, toolName }) {
      let index = calls.findIndex(call => call.id !== '' && call.id === toolCallId);
      if (index < 0) index = calls.findIndex(call => call.id === '' && call.toolName === toolName);
      return index < 0 ? undefined : calls.splice(index, 1)[0]?.signature;
    },
  };
}

import { APICallError } from '@ai-sdk/provider';
import type { ResponsesRequestBody } from './request-body.js';

/** A refusal that one change of the request heals. */
interface Complaint {
  /** How servers word it. */
  readonly texts: readonly RegExp[];
  readonly mend: (body: ResponsesRequestBody) => ResponsesRequestBody;
}

const COMPLAINTS: readonly Complaint[] = [
  {
    // Replayed reasoning was made for another key, endpoint or model, is not stored, or stands without its item.
    texts: [
      /invalid_encrypted_content/, // openai/codex#8145
      /encrypted content .*could not be verified/i, // openai/openai-agents-python#2063
      /Item with id '?rs_[^']*'? not found/i, // vercel/ai#7543
      /provided without its required 'reasoning' item/i, // teunlao/swift-ai-sdk#8
      /provided without its required following item/i, // vercel/ai#7099
      /Expected an ID that begins with 'rs'/i, // diegosouzapw/OmniRoute#224
    ],
    mend: withoutReasoning,
  },
  {
    // The model or the server knows nothing of encrypted reasoning.
    texts: [
      /Encrypted content is not supported with this model/i, // microsoft/agent-framework#7483
      /unknown type: reasoning\.encrypted_content/i, // CherryHQ/cherry-studio#13144 (Volcengine)
    ],
    mend: withoutEncryptedReasoning,
  },
];

/**
 * The request without what the server refused, where it refused one of the known things; else undefined. To be sent
 * once: a second refusal is the answer.
 */
export function mendRequest(body: ResponsesRequestBody, error: unknown): ResponsesRequestBody | undefined {
  if (!APICallError.isInstance(error) || (error.statusCode !== 400 && error.statusCode !== 404))
    return undefined;
  const told = `${error.message} ${error.responseBody ?? ''}`;
  return COMPLAINTS.find(({ texts }) => texts.some(text => text.test(told)))?.mend(body);
}

/** Without reasoning items, and without the item ids that would ask for them. */
function withoutReasoning(body: ResponsesRequestBody): ResponsesRequestBody {
  return {
    ...body,
    input: body.input.flatMap(item => {
      if (item.type === 'reasoning') return [];
      if (item.type !== 'function_call' || item.id === undefined) return [item];
      const { id, ...withoutId } = item;
      return [withoutId];
    }),
  };
}

function withoutEncryptedReasoning(body: ResponsesRequestBody): ResponsesRequestBody {
  const { include, ...rest } = body;
  const others = include?.filter(value => value !== 'reasoning.encrypted_content') ?? [];
  return others.length > 0 ? { ...rest, include: others } : rest;
}

import { APICallError } from '@ai-sdk/provider';
import { applyCompatibility } from './apply-compatibility.js';
import { type Compatibility, mergeCompatibility } from './compatibility.js';
import { toRefusedField } from './rejected-field.js';
import type { ResponsesRequestBody } from '../wire.js';

/** A refusal that one change of the request heals. */
interface RejectionRule {
  /** How servers word it. */
  readonly texts: readonly RegExp[];
  /** What the endpoint takes instead; what the text names, where it has a group. */
  readonly fallback: Compatibility | ((named: string) => Compatibility | undefined);
  /** Says something of this request alone, so that the next one is sent as it is. */
  readonly isOfRequest?: true;
}

const chatOutputs: Compatibility = { toolOutput: 'string', toolImages: 'user-message' };

/** In the order they are tried: what is surely meant first, then what a text that says little may mean. */
const REJECTION_RULES: readonly RejectionRule[] = [
  {
    // Replayed reasoning was made for another key, endpoint or model, is not stored, or stands without its item.
    texts: [
      /invalid_encrypted_content/, // openai/codex#8145
      /encrypted content .*could not be verified/i, // openai/openai-agents-python#2063
      /Item with id '?rs_[^']*'? not found/i, // vercel/ai#7543
      /provided without its required 'reasoning' item/i, // teunlao/swift-ai-sdk#8, openai/codex#5990
      /provided without its required following item/i, // vercel/ai#7099
      /Expected an ID that begins with 'rs'/i, // diegosouzapw/OmniRoute#224
    ],
    fallback: { reasoning: false },
    isOfRequest: true,
  },
  {
    texts: [/unknown input item type: "reasoning"/], // ollama/ollama, openai/responses.go
    fallback: { reasoning: false },
  },
  {
    // The model or the server knows nothing of encrypted reasoning.
    texts: [
      /Encrypted content is not supported with this model/i, // microsoft/agent-framework#7483
      /unknown type: reasoning\.encrypted_content/i, // CherryHQ/cherry-studio#13144 (Volcengine)
    ],
    fallback: { include: 'unencrypted' },
  },
  {
    texts: [
      /Unsupported parameter: '?([\w.]+)/i, // langchain-ai/open-swe#628; RayBytes/ChatMock#103 (Codex backend)
      /Unknown parameter: '?([\w.]+)/i,
      /Unrecognized request argument supplied: '?([\w.]+)/i, // songquanpeng/one-api#1978 (Azure)
      /Unsupported value: '([\w.]+)' .{0,80}Only the default/i, // langchain-ai/open-swe#628
      /does not support parameter (\w+)/i, // BerriAI/litellm#16265 (xAI)
      /Argument not supported on this model: (\w+)/i, // yym68686/uni-api#105 (xAI)
    ],
    fallback: named => {
      const field = toRefusedField(named);
      return field === undefined ? undefined : { without: [field] };
    },
  },
  {
    texts: [
      /tool_choice was set .{0,40}no tools/i, // OpenHands/OpenHands#7078 (xAI)
      /tool_choice'? is only allowed when '?tools/i, // writer/writer-framework#1013
    ],
    fallback: { without: ['tool_choice'] },
    isOfRequest: true,
  },
  {
    texts: [/instructions and previous_response_id together/i], // 10-X-eng/vibecad#4 (xAI)
    fallback: { instructionsWithPreviousResponse: false },
  },
  {
    texts: [/additionalProperties: property schema 'false' is not supported/i], // vercel/ai#14678 (xAI)
    fallback: { additionalProperties: false },
  },
  {
    texts: [/missing `?input\.status`? parameter/i], // CherryHQ/cherry-studio#18253 (Doubao)
    fallback: { status: true },
  },
  {
    texts: [/Required property 'annotations' is missing/i], // BerriAI/litellm#35213
    fallback: { annotations: true },
  },
  {
    // Tool outputs must be strings, or have no images. The last ones complain of the input as a whole, so they are
    // taken for this only where a tool output is a list.
    texts: [
      /Output of tool call should be 'Input text'/i, // ggml-org/llama.cpp#23380
      /Only text tool_result blocks are supported/i, // lmstudio-ai/lmstudio-bug-tracker#2008
      /Input should be a valid string/i, // anomalyco/opencode#48740
      /cannot unmarshal array into .{0,80}output/i, // Ollama before outputs could be lists
      /invalid_union/, // lmstudio-ai/lmstudio-bug-tracker#2248
      /untagged enum ModelInput/, // router-for-me/CLIProxyAPI#3704 (xAI)
    ],
    fallback: chatOutputs,
  },
  {
    // Replayed items must be written out, with id, type, status and annotations.
    texts: [
      /Invalid Responses API request/i, // openai/codex#12114 (OpenRouter)
      /"path": *\[[^\]]*"(?:id|type|status|annotations)"/, // CherryHQ/cherry-studio#10477 (OpenRouter)
      /ResponseOutputMessageParam/, // openai/codex#12669 (vLLM)
      /Field required: (?:id|status|type|annotations)/i, // vllm-project/vllm#45276
    ],
    fallback: { itemIds: 'required', messageType: true, status: true, annotations: true },
  },
];

/** Statuses that refusals of a request come with. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([400, 404, 422]);

export interface Fallback {
  readonly body: ResponsesRequestBody;
  /** What the body was changed by. */
  readonly compatibility: Compatibility;
  /** Whether the next request of this model will be refused too, unless it is changed in the same way. */
  readonly isLasting: boolean;
}

/**
 * The request changed in the way that a known refusal asks for; `undefined` where the refusal is not known or asks for
 * nothing that the request does not have already. `profile` is what the request was brought into form by.
 */
export function findFallback(
  body: ResponsesRequestBody,
  error: unknown,
  { compatibility: base = {} }: { compatibility?: Compatibility } = {},
): Fallback | undefined {
  if (!APICallError.isInstance(error) || !REFUSALS.has(error.statusCode)) return undefined;
  const told = toPlain(`${error.message} ${error.responseBody ?? ''}`);
  for (const { texts, fallback: remedy, isOfRequest = false } of REJECTION_RULES) {
    for (const text of texts) {
      const match = text.exec(told);
      if (match === null) continue;
      const profile = typeof remedy === 'function' ? remedy(match[1] ?? '') : remedy;
      if (profile === undefined || isInForce(profile, base)) continue;
      const mended = applyCompatibility(body, mergeCompatibility(base, profile));
      if (mended !== body) return { body: mended, compatibility: profile, isLasting: !isOfRequest };
    }
  }
  return undefined;
}

const isInForce = (profile: Compatibility, base: Compatibility): boolean => {
  const points = new Map<string, unknown>(Object.entries(base));
  return Object.entries(profile).every(([point, value]) => points.get(point) === value);
};

/** Gateways hand on errors as strings in strings: the marks of those are taken out. */
const toPlain = (text: string): string => text.replaceAll(/\\+n/g, ' ').replaceAll(/\\+/g, '');

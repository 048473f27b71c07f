import { APICallError } from '@ai-sdk/provider';
import type { ResponsesRequestBody } from '../wire.js';
import { applyCompatibility } from './apply-compatibility.js';
import {
  CHAT_TOOL_OUTPUTS,
  COMPLETE_ITEMS,
  type Compatibility,
  mergeCompatibility,
} from './compatibility.js';

/** A rejection of a request that one change of the request resolves. */
interface RejectionRule {
  /** The wordings of the servers. */
  readonly texts: readonly RegExp[];
  /** The change, or a function that derives it from the first group of the text. */
  readonly fallback: Compatibility | ((named: string) => Compatibility | undefined);
  /** The change applies to this request only; the next one is sent unchanged. */
  readonly isForThisRequestOnly?: true;
}

/** The rules in the order in which they are tried: unambiguous texts first, then texts that may mean several things. */
const REJECTION_RULES: readonly RejectionRule[] = [
  {
    // Replayed reasoning belongs to another key, endpoint or model, is not stored, or lacks the item that it precedes.
    texts: [
      /invalid_encrypted_content/, // openai/codex#8145
      /encrypted content .*could not be verified/i, // openai/openai-agents-python#2063
      /Item with id '?rs_[^']*'? not found/i, // vercel/ai#7543
      /provided without its required 'reasoning' item/i, // teunlao/swift-ai-sdk#8, openai/codex#5990
      /provided without its required following item/i, // vercel/ai#7099
      /Expected an ID that begins with 'rs'/i, // diegosouzapw/OmniRoute#224
    ],
    fallback: { reasoning: false },
    isForThisRequestOnly: true,
  },
  {
    texts: [/unknown input item type: "reasoning"/], // ollama/ollama, openai/responses.go
    fallback: { reasoning: false },
  },
  {
    // The model or the server does not support encrypted reasoning.
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
      const field = toOmittableField(named);
      return field === undefined ? undefined : { without: [field] };
    },
  },
  {
    texts: [
      /tool_choice was set .{0,40}no tools/i, // OpenHands/OpenHands#7078 (xAI)
      /tool_choice'? is only allowed when '?tools/i, // writer/writer-framework#1013
    ],
    fallback: { without: ['tool_choice'] },
    isForThisRequestOnly: true,
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
    // Tool outputs must be strings or contain no images. The last texts reject the entire input, so they apply only
    // if a tool output is a list.
    texts: [
      /Output of tool call should be 'Input text'/i, // ggml-org/llama.cpp#23380
      /Only text tool_result blocks are supported/i, // lmstudio-ai/lmstudio-bug-tracker#2008
      /Input should be a valid string/i, // anomalyco/opencode#48740
      /cannot unmarshal array into .{0,80}output/i, // Ollama before outputs could be lists
      /invalid_union/, // lmstudio-ai/lmstudio-bug-tracker#2248
      /untagged enum ModelInput/, // router-for-me/CLIProxyAPI#3704 (xAI)
    ],
    fallback: CHAT_TOOL_OUTPUTS,
  },
  {
    // Replayed items must be complete, with id, type, status and annotations.
    texts: [
      /Invalid Responses API request/i, // openai/codex#12114 (OpenRouter)
      /"path": *\[[^\]]*"(?:id|type|status|annotations)"/, // CherryHQ/cherry-studio#10477 (OpenRouter)
      /ResponseOutputMessageParam/, // openai/codex#12669 (vLLM)
      /Field required: (?:id|status|type|annotations)/i, // vllm-project/vllm#45276
    ],
    fallback: COMPLETE_ITEMS,
  },
];

/** The statuses of rejections. */
const REJECTION_STATUSES: ReadonlySet<number | undefined> = new Set([400, 404, 422]);

export interface Fallback {
  readonly body: ResponsesRequestBody;
  /** The compatibility that changed the body. */
  readonly compatibility: Compatibility;
  /** True if the next request of this model needs the same change. */
  readonly isLasting: boolean;
}

/**
 * Returns the request with the change that a known rejection requires. Returns undefined if the rejection is unknown or
 * the request already has that change.
 *
 * @param options.compatibility the compatibility that was applied to the request.
 */
export function findFallback(
  body: ResponsesRequestBody,
  error: unknown,
  { compatibility: applied = {} }: { compatibility?: Compatibility } = {},
): Fallback | undefined {
  if (!APICallError.isInstance(error) || !REJECTION_STATUSES.has(error.statusCode)) return undefined;
  const message = withoutEscapes(`${error.message} ${error.responseBody ?? ''}`);
  for (const { texts, fallback, isForThisRequestOnly = false } of REJECTION_RULES) {
    for (const text of texts) {
      const match = text.exec(message);
      if (match === null) continue;
      const compatibility = typeof fallback === 'function' ? fallback(match[1] ?? '') : fallback;
      if (compatibility === undefined || isApplied(compatibility, applied)) continue;
      const changed = applyCompatibility(body, mergeCompatibility(applied, compatibility));
      if (changed !== body) return { body: changed, compatibility, isLasting: !isForThisRequestOnly };
    }
  }
  return undefined;
}

const isApplied = (compatibility: Compatibility, applied: Compatibility): boolean => {
  const settings = new Map<string, unknown>(Object.entries(applied));
  return Object.entries(compatibility).every(([name, value]) => settings.get(name) === value);
};

/** Removes the escapes of nested JSON strings, in which gateways forward errors. */
const withoutEscapes = (text: string): string => text.replaceAll(/\\+n/g, ' ').replaceAll(/\\+/g, '');

/**
 * Request fields that a model does not need. Fields that change the meaning of a request are missing: without
 * `store: false` the server would keep the response, without `text.format` it would have another format.
 */
const OMITTABLE_FIELDS: readonly string[] = [
  'include',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'parallel_tool_calls',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'reasoning.context',
  'reasoning.effort',
  'reasoning.mode',
  'reasoning.summary',
  'safety_identifier',
  'service_tier',
  'temperature',
  'text.verbosity',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
];

/** Returns the field that a rejection names, in any spelling, if the request can be sent without it. */
function toOmittableField(named: string): string | undefined {
  // Servers name fields as their own code does: `reasoningEffort` (xAI), `reasoning_effort`, `reasoning.effort`.
  const flat = named.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`).replaceAll('.', '_');
  return OMITTABLE_FIELDS.find(field => field.replaceAll('.', '_') === flat.replace(/_+$/, ''));
}

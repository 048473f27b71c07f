import { APICallError } from '@ai-sdk/provider';
import { objectOf } from '../../core/shared/json.js';
import { createItemRelations, EFFORTS, type ItemRelations, type ResponsesRequestBody } from '../wire.js';
import { applyCompatibility, hasField } from './apply-compatibility.js';
import {
  CHAT_TOOL_OUTPUTS,
  COMPLETE_ITEMS,
  type Compatibility,
  ENCRYPTED_REASONING,
  mergeCompatibility,
} from './compatibility.js';
import { ENCRYPTED_TEXTS, REFUSED_CONTENT, repairInput, TOOL_FIELD } from './item-repairs.js';
import { RejectionText } from './rejection-text.js';

/** A rejection of a request that one change of the request resolves. */
interface RejectionRule {
  /** The wordings of the servers. */
  readonly texts: readonly RegExp[];
  /** The change, or a function that derives it from the groups of the text. */
  readonly fallback: Compatibility | ((rejection: Rejection) => Compatibility | undefined);
  /** The change applies to this request only; the next one is sent unchanged. */
  readonly isForThisRequestOnly?: true;
  /** The text must begin the sentence of the server, because it may name any field. */
  readonly beginsSentence?: true;
  /** The rule also applies to statuses of server errors, and to errors inside a stream. */
  readonly hasAnyStatus?: true;
}

interface Rejection {
  /** The first group of the text that matched. */
  readonly named: string;
  /** The parameter in the error object. */
  readonly param: string | undefined;
  readonly body: ResponsesRequestBody;
}

/** The rules in the order in which they are tried: unambiguous texts first, then texts that may mean several things. @internal */
export const REJECTION_RULES: readonly RejectionRule[] = [
  {
    // Replayed reasoning belongs to another key, endpoint or model, is not stored, or lacks the item that it precedes.
    texts: [
      ...REFUSED_CONTENT,
      /Item with id '?rs_[^' ]{0,200}'? not found/i, // vercel/ai#7543
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
    texts: [
      /Encrypted content is not supported\.(?! *with)/, // vllm-project/vllm, openai/responses/utils.py
      /item\['content'\] is not an array/, // ggml-org/llama.cpp, for reasoning without a text
    ],
    fallback: { reasoning: 'text' },
  },
  {
    // The model or the server does not support encrypted reasoning.
    texts: [
      /Encrypted content is not supported with this model/i, // microsoft/agent-framework#7483
      /unknown type: reasoning\.encrypted_content/i, // CherryHQ/cherry-studio#13144 (Volcengine)
    ],
    fallback: { without: [ENCRYPTED_REASONING] },
  },
  {
    texts: [/Cannot determine type of 'item'/], // ggml-org/llama.cpp, for messages without a type
    fallback: { messageType: true },
  },
  {
    texts: [
      /Unknown parameter: 'input(?:\[\d+\])?\.type'/i,
      /(?:unknown|unexpected|unrecognized) (?:field|key)s?[^.]{0,40}['"`]type['"`]/i,
    ],
    fallback: { messageType: false },
  },
  {
    // The model reads text only.
    texts: [
      /image input is not supported/i, // ggml-org/llama.cpp, with status 500
      /is not a multimodal model/i, // vLLM
      /At most 0 image\(s\) may be provided/i, // vLLM
      /does not support images?\b/i, // lmstudio-ai/lmstudio-bug-tracker#362, ollama/ollama#17301
      /Vision add-on is not loaded/i, // lmstudio-ai/mlx-engine
      /missing data required for image input/i, // ollama/ollama, model.go
      /No endpoints found that support image input/i, // OpenRouter: nexu-io/nexu#733
      /image_url is only supported by certain models/i, // OpenAI
      /image inputs? (?:is|are) not supported/i,
    ],
    fallback: { images: false },
    hasAnyStatus: true,
  },
  {
    // https://github.com/openai/codex: 'low' is not supported with the 'gpt-5.2-codex' model. Supported values are: 'medium'.
    texts: [
      /Supported values are:? ([^.]{0,500})\..{0,500}reasoning[._]effort/i,
      // huggingface/responses.js, in either order of the fields
      /"path": *\[ *"reasoning", *"effort" *\][^}]*"options": *\[([^\]]*)\]/,
      /"options": *\[([^\]]*)\][^}]*"path": *\[ *"reasoning", *"effort" *\]/,
      /reasoning[._]?effort.{0,120}?(?:supported values are|(?:must|should) be one of|expected one of):? ?([^.]*)/i,
    ],
    fallback: rejection => {
      const efforts = (rejection.named.match(/\w+/g) ?? []).filter(word => EFFORTS.includes(word));
      return efforts.length > 0 ? { efforts } : undefined;
    },
  },
  {
    // An unknown value of `include`.
    texts: [/Invalid value: '([\w.]+)'.*['"`]include(?:\[\d+\])?['"`]/i],
    fallback: rejection => ({ without: [`include.${rejection.named}`] }),
  },
  {
    texts: [/must be verified to generate reasoning summaries/i], // continuedev/continue#12031 (OpenAI)
    fallback: { without: ['reasoning.summary'] },
  },
  {
    texts: [
      /Unsupported parameter: '?([\w.]+)/i, // langchain-ai/open-swe#628; RayBytes/ChatMock#103 (Codex backend)
      /Unknown parameter: '?([\w.[\]]+)/i,
      /Unrecognized request argument supplied: '?([\w.]+)/i, // songquanpeng/one-api#1978 (Azure)
      /Unsupported value: '([\w.]+)' .{0,80}Only the default/i, // langchain-ai/open-swe#628
      /Unsupported value: .{0,160}"param": *"(text\.verbosity)"/i, // the verbosity of gpt-5.2-codex is fixed
      /does not support parameter (\w+)/i, // BerriAI/litellm#16265 (xAI)
      /Argument not supported on this model: (\w+)/i, // yym68686/uni-api#105 (xAI)
    ],
    fallback(rejection) {
      const field = toOmittableField(rejection.named, rejection.body);
      const isNamed =
        rejection.param === undefined || toOmittableField(rejection.param, rejection.body) === field;
      return field === undefined || !isNamed ? undefined : { without: [field] };
    },
    beginsSentence: true,
  },
  {
    // Without the tool, the others remain usable.
    texts: [/Invalid (?:schema|parameters) (?:for|of|in) (?:the )?(?:function|tool):? '?([\w-]+)/i],
    fallback: rejection => ({ without: [`${TOOL_FIELD}${rejection.named}`] }),
    beginsSentence: true,
  },
  {
    texts: [
      /tool_choice was set .{0,40}no tools/i, // OpenHands/OpenHands#7078 (xAI)
      /tool_choice'? is only allowed when '?tools/i, // writer/writer-framework#1013
    ],
    // Next to tools, the choice restricts them.
    fallback: ({ body: { tools = [] } }) => (tools.length === 0 ? { without: ['tool_choice'] } : undefined),
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
    texts: [
      /Output of tool call should be 'Input text'/i, // ggml-org/llama.cpp#23380, before 0.7
      /\boutput['"`\]]* must be a string/i,
    ],
    fallback: CHAT_TOOL_OUTPUTS,
    hasAnyStatus: true,
  },
  {
    // Tool outputs must be strings or contain no images. The last texts reject the entire input, so they apply only
    // if a tool output is a list.
    texts: [
      /Only text tool_result blocks are supported/i, // lmstudio-ai/lmstudio-bug-tracker#2008
      /Input should be a valid string/i, // anomalyco/opencode#48740
      /cannot unmarshal array into .{0,80}output/i, // Ollama before outputs could be lists
      /invalid_union/, // lmstudio-ai/lmstudio-bug-tracker#2248
      /untagged enum ModelInput/, // router-for-me/CLIProxyAPI#3704 (xAI)
    ],
    fallback: CHAT_TOOL_OUTPUTS,
  },
  {
    // Some endpoints of OpenRouter only reason: earendil-works/pi#4316. Another effort must still be sent.
    texts: [
      /(?:reasoning|thinking) is (?:mandatory|required)/i,
      /(?:reasoning|thinking) (?:cannot|can't|can not|must not) be (?:disabled|turned off)/i,
    ],
    fallback: rejection =>
      rejection.body.reasoning?.effort === 'none' ? { without: ['reasoning.effort'] } : undefined,
    isForThisRequestOnly: true,
  },
  {
    // Whatever is wrong with it: can1357/oh-my-pi#11928. The texts above that name it are about the server.
    texts: ENCRYPTED_TEXTS,
    fallback: { reasoning: false },
    isForThisRequestOnly: true,
  },
  {
    texts: [/include.{0,80}encrypted_content/i, /reasoning\.encrypted_content/],
    fallback: { without: [ENCRYPTED_REASONING] },
    isForThisRequestOnly: true,
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

/**
 * Returns the field that a rejection names as unknown, if the request has it and is not sent without it: leaving it out could
 * change what the model may do, or what the server keeps.
 */
export function findKeptField(
  body: ResponsesRequestBody,
  error: APICallError,
  rejection: RejectionText = new RejectionText(error, body),
): string | undefined {
  if (!REJECTION_STATUSES.has(error.statusCode)) return undefined;
  return KEPT_FIELDS.find(
    field => hasField(body, field) && UNKNOWN_FIELD.some(text => rejection.match(text)?.[1] === field),
  );
}

/** Wordings that name a field which the server does not accept, at all or with a value. */
const UNKNOWN_FIELD: readonly RegExp[] = [
  /(?:unsupported|unknown|unrecognized|unexpected|unpermitted|invalid|extra|disallowed) (?:request )?(?:parameter|argument|field|key|property|input|value)s?(?: supplied| name)?:? '?([\w.]+)/i,
  /(?:parameter|argument|field|key|property)s? '?([\w.]+?)'? (?:is|are) (?:not (?:supported|allowed|permitted|accepted|recognized)|unsupported|unknown|unexpected|invalid)/i,
  /(?:does not|doesn't|cannot|can't) (?:support|accept|allow|use) (?:the )?(?:parameter |argument |field |option )?'?([\w.]+)/i,
  /'([\w.]+)'? (?:is|are) (?:not (?:supported|allowed|permitted|accepted|recognized|a valid \w+)|unsupported|unknown|unexpected)/i,
  /\b(store) (?:is not|must be|should be|cannot be|is unsupported)/i,
  /extra inputs are not permitted.{0,80}'(store|max_tool_calls|tool_choice|moderation)'/i,
  /'(store|max_tool_calls|tool_choice|moderation)'.{0,80}extra inputs are not permitted/i,
];

const KEPT_FIELDS = ['store', 'max_tool_calls', 'tool_choice', 'moderation', 'tools'];

const REJECTION_STATUSES: ReadonlySet<number | undefined> = new Set([400, 404, 422]);

export interface Fallback {
  readonly body: ResponsesRequestBody;
  /** The compatibility that changed the body. Undefined if an item was replaced. */
  readonly compatibility?: Compatibility;
  /** True if the next request of this model needs the same change, and may be changed because of this one. */
  readonly isLasting: boolean;
  /** True if the next request of the same turn does not need it. */
  readonly isForThisRequestOnly: boolean;
}

/**
 * Fields that limit a request or protect its users. Another request never lacks them because of a rejection: an application
 * leaves them out with `compatibility.without`.
 */
const PROTECTED = /^(?:max_output_tokens|parallel_tool_calls|safety_identifier|user|tools\..*)$/;

const isProtected = (compatibility: Compatibility): boolean =>
  (compatibility.without ?? []).some(field => PROTECTED.test(field));

/**
 * Returns the request with the change that a known rejection requires. Returns undefined if the rejection is unknown or
 * the request already has that change. Texts count only where they are the server's own.
 *
 * @param options.compatibility the compatibility that was applied to the request.
 */
export function findFallback(
  body: ResponsesRequestBody,
  error: unknown,
  {
    compatibility: applied = {},
    relations = createItemRelations(),
    rejection = APICallError.isInstance(error) ? new RejectionText(error, body) : undefined,
  }: { compatibility?: Compatibility; relations?: ItemRelations; rejection?: RejectionText | undefined } = {},
): Fallback | undefined {
  if (!APICallError.isInstance(error) || rejection === undefined) return undefined;
  const isRejection = REJECTION_STATUSES.has(error.statusCode);
  const { param } = rejection;
  for (const rule of REJECTION_RULES) {
    const { fallback, isForThisRequestOnly = false } = rule;
    if (!isRejection && rule.hasAnyStatus !== true) continue;
    for (const text of rule.texts) {
      const match = rejection.match(text);
      if (match === undefined || (rule.beginsSentence && !rejection.isAtBeginning(match))) continue;
      const named = match[1] ?? '';
      const compatibility = typeof fallback === 'function' ? fallback({ named, param, body }) : fallback;
      if (compatibility === undefined || isApplied(compatibility, applied)) continue;
      const changed = applyCompatibility(body, mergeCompatibility(applied, compatibility));
      const isLasting = !isForThisRequestOnly && !isProtected(compatibility);
      if (changed !== body) return { body: changed, compatibility, isLasting, isForThisRequestOnly };
    }
  }
  const input = isRejection ? repairInput(body, rejection, relations) : undefined;
  return (
    input && {
      body: applyCompatibility({ ...body, input }, applied),
      isLasting: false,
      isForThisRequestOnly: true,
    }
  );
}

const isApplied = (compatibility: Compatibility, applied: Compatibility): boolean => {
  const settings = new Map<string, unknown>(Object.entries(applied));
  return Object.entries(compatibility).every(([name, value]) => settings.get(name) === value);
};

/**
 * Request fields that a model does not need. Fields that change the meaning of a request are missing: without
 * `store: false` the server would keep the response, without `text.format` it would have another format. Fields that
 * restrict the model or its tools are missing as well: `tools`, `tool_choice`, `max_tool_calls`, `moderation`.
 */
const OMITTABLE_FIELDS: readonly string[] = (
  'context_management image include input.async input.caller input.content.prompt_cache_breakpoint ' +
  'input.namespace input.phase max_output_tokens metadata parallel_tool_calls prompt_cache_key ' +
  'prompt_cache_options prompt_cache_options.comparison_response_id prompt_cache_options.mode ' +
  'prompt_cache_options.ttl prompt_cache_retention reasoning reasoning.context reasoning.effort ' +
  'reasoning.mode reasoning.summary safety_identifier service_tier stream_options ' +
  'stream_options.include_obfuscation temperature text.verbosity top_logprobs top_p truncation user'
).split(' ');

/** Returns the field that a rejection names, in any spelling, if the request can be sent without it. */
function toOmittableField(named: string, body: ResponsesRequestBody): string | undefined {
  // Servers name fields as their own code does: `reasoningEffort` (xAI), `reasoning_effort`, `reasoning.effort`.
  const flat = named
    .replaceAll(/\[\d+\]/g, '')
    .replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
    .replaceAll('.', '_')
    .replace(/_{1,9}$/, '');
  const found = OMITTABLE_FIELDS.find(field => field.replaceAll('.', '_') === flat);
  // A request that only fills the cache would generate an answer, at its price.
  const isPrewarm = objectOf(body.prompt_cache_options)?.prewarm === true;
  return found === 'prompt_cache_options' && isPrewarm ? undefined : found;
}

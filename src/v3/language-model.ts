import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
  LanguageModelV2Content,
  LanguageModelV2FinishReason,
  LanguageModelV2StreamPart,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import { toSerializable } from '../provider/provider.js';
import { type HostVersion, withHost } from '../parts/call-marks.js';
import type { ModelUsage } from '../parts/usage.js';
import { asJson } from '../shared/json.js';
import { toV2Options } from './call-options.js';
import { isApprovalCall, toHostedRequest, toLoopRequest } from './approvals.js';
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolApprovalRequest,
  LanguageModelV3ToolCall,
  LanguageModelV3ToolResult,
  LanguageModelV3Usage,
  LanguageModelV3Warning,
} from './specification.js';

/**
 * Converts any version 2 model to version 3, the native version of `ai@6`, which `ai@7` accepts too. This avoids their
 * compatibility warning and the errors of `wrapLanguageModel` in `ai@6`, which mislabels version 2 models. All calls of a
 * tool loop are included, also calls of tools that the host did not declare.
 *
 * @example
 * ```ts
 * const model = toLanguageModelV3(withToolLoop(mistral('mistral-large-latest'), { tools }));
 * ```
 */
export function toLanguageModelV3(model: LanguageModelV2): LanguageModelV3 {
  return toSerializable<LanguageModelV3>({
    specificationVersion: 'v3',
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },

    async doGenerate(callOptions) {
      const call = prepareCall(callOptions, 'v3');
      return toV3Result(await model.doGenerate(call.options), call);
    },

    async doStream(callOptions) {
      const call = prepareCall(callOptions, 'v3');
      const result = await model.doStream(call.options);
      return { ...result, stream: convertStream(result.stream, createPartConverter(call)) };
    },
  });
}

/** A call of a later version, for the model of version 2 and for the conversion of its response. */
interface PreparedCall {
  readonly options: LanguageModelV2CallOptions;
  /** Warnings about content that version 2 cannot express. */
  readonly warnings: readonly LanguageModelV3Warning[];
  readonly isDeclared: IsDeclared;
}

/** Returns true for tools that the host declared. Provider-executed calls of other tools must be marked `dynamic`. */
type IsDeclared = (toolName: string) => boolean;

/** Converts the options of a call to version 2. */
export function prepareCall(
  callOptions: LanguageModelV3CallOptions,
  host: Exclude<HostVersion, 'v2'>,
): PreparedCall {
  const { options, warnings } = toV2Options(callOptions);
  const names = new Set(callOptions.tools?.map(({ name }) => name));
  return { options: withHost(options, host), warnings, isDeclared: toolName => names.has(toolName) };
}

/** Converts a complete response. */
export function toV3Result(
  result: Awaited<ReturnType<LanguageModelV2['doGenerate']>>,
  { warnings, isDeclared }: PreparedCall,
): LanguageModelV3GenerateResult {
  return {
    ...result,
    content: result.content.flatMap(part => toV3Content(part, isDeclared)),
    finishReason: toV3FinishReason(result.finishReason, result.providerMetadata),
    usage: toV3Usage(result.usage),
    warnings: [...warnings, ...result.warnings.map(toV3Warning)],
  };
}

/** Converts the parts of a stream. A part becomes any number of parts. Cancelling the result cancels the source. */
export const convertStream = <From, To>(
  stream: ReadableStream<From>,
  convert: (part: From) => readonly To[],
): ReadableStream<To> =>
  stream.pipeThrough(
    new TransformStream<From, To>({
      transform(part, controller) {
        for (const converted of convert(part)) controller.enqueue(converted);
      },
    }),
  );

/** Converts the parts of one stream. A part becomes zero, one or two parts. */
export function createPartConverter({
  warnings,
  isDeclared,
}: PreparedCall): (part: LanguageModelV2StreamPart) => LanguageModelV3StreamPart[] {
  const approvalCalls = new Set<string>();
  return part => {
    switch (part.type) {
      case 'stream-start':
        return [{ ...part, warnings: [...warnings, ...part.warnings.map(toV3Warning)] }];
      case 'tool-input-start':
        if (isApprovalCall(part, isDeclared)) approvalCalls.add(part.id);
        return approvalCalls.has(part.id) ? [] : [toV3Part(part, isDeclared)];
      case 'tool-input-delta':
      case 'tool-input-end':
        // The complete input follows with the approval request.
        return approvalCalls.has(part.id) ? [] : [part];
      case 'tool-call':
        return toV3Call(part, isDeclared);
      default:
        return [toV3Part(part, isDeclared)];
    }
  };
}

function toV3Part(
  part: Exclude<LanguageModelV2StreamPart, { type: 'stream-start' | 'tool-call' }>,
  isDeclared: IsDeclared,
): LanguageModelV3StreamPart {
  switch (part.type) {
    case 'tool-input-start':
      return { ...part, ...toDynamic(part, isDeclared) };
    case 'tool-result':
      return toV3ToolResult(part, isDeclared);
    case 'finish':
      return {
        ...part,
        finishReason: toV3FinishReason(part.finishReason, part.providerMetadata),
        usage: toV3Usage(part.usage),
      };
    default:
      return part;
  }
}

/** Converts one part of a complete response. An approval request becomes two parts. */
function toV3Content(part: LanguageModelV2Content, isDeclared: IsDeclared): LanguageModelV3Content[] {
  if (part.type === 'tool-call') return toV3Call(part, isDeclared);
  return [part.type === 'tool-result' ? toV3ToolResult(part, isDeclared) : part];
}

type ContentOf<Type> = Extract<LanguageModelV2Content, { type: Type }>;

/** Converts a call. A call that needs an approval is followed by the request for it. */
const toV3Call = (
  call: ContentOf<'tool-call'>,
  isDeclared: IsDeclared,
): (LanguageModelV3ToolCall | LanguageModelV3ToolApprovalRequest)[] =>
  isApprovalCall(call, isDeclared)
    ? toHostedRequest(call)
    : [{ ...call, ...toDynamic(call, isDeclared) }, ...toLoopRequest(call)];

function toV3ToolResult(
  { providerExecuted, result, ...rest }: ContentOf<'tool-result'>,
  isDeclared: IsDeclared,
): LanguageModelV3ToolResult {
  return {
    ...rest,
    result: asJson(result) ?? '',
    // Results in a model's response belong to tools that the provider ran.
    ...toDynamic({ toolName: rest.toolName, providerExecuted: true }, isDeclared),
  };
}

const toDynamic = (
  { toolName, providerExecuted }: { toolName: string; providerExecuted?: boolean },
  isDeclared: IsDeclared,
): { dynamic?: true } => (providerExecuted === true && !isDeclared(toolName) ? { dynamic: true } : {});

function toV3FinishReason(
  finishReason: LanguageModelV2FinishReason,
  providerMetadata: SharedV2ProviderMetadata | undefined,
): LanguageModelV3FinishReason {
  const { rawFinishReason, incompleteReason } = providerMetadata?.kelivo ?? {};
  const raw = rawFinishReason ?? incompleteReason;
  return {
    unified: finishReason === 'unknown' ? 'other' : finishReason,
    raw: typeof raw === 'string' ? raw : undefined,
  };
}

function toV3Usage({
  inputTokens,
  outputTokens,
  cachedInputTokens,
  cacheWriteInputTokens,
  reasoningTokens,
  raw,
}: ModelUsage): LanguageModelV3Usage {
  return {
    inputTokens: {
      total: inputTokens,
      noCache: subtract(subtract(inputTokens, cachedInputTokens), cacheWriteInputTokens ?? 0),
      cacheRead: cachedInputTokens,
      cacheWrite: cacheWriteInputTokens,
    },
    outputTokens: {
      total: outputTokens,
      text: subtract(outputTokens, reasoningTokens),
      reasoning: reasoningTokens,
    },
    ...(raw !== undefined && { raw }),
  };
}

const subtract = (total: number | undefined, part: number | undefined): number | undefined =>
  total === undefined || part === undefined ? undefined : total - part;

/** Warnings that a model reports in a later version are unchanged. */
function toV3Warning(warning: LanguageModelV2CallWarning): LanguageModelV3Warning {
  switch (warning.type) {
    case 'unsupported-setting':
      return toUnsupported(String(warning.setting), warning.details);
    case 'unsupported-tool':
      return toUnsupported(`tool ${warning.tool.name}`, warning.details);
    default:
      return warning;
  }
}

const toUnsupported = (feature: string, details: string | undefined): LanguageModelV3Warning => ({
  type: 'unsupported',
  feature,
  ...(details !== undefined && { details }),
});

import type {
  LanguageModelV2,
  LanguageModelV2CallWarning,
  LanguageModelV2Content,
  LanguageModelV2FinishReason,
  LanguageModelV2StreamPart,
  LanguageModelV2Usage,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import { withV3Host } from '../parts/call-marks.js';
import { asJson } from '../shared/json.js';
import { toV2Options } from './call-options.js';
import { isApprovalCall, toHostedRequest, toLoopRequest } from './approvals.js';
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolApprovalRequest,
  LanguageModelV3ToolCall,
  LanguageModelV3ToolResult,
  LanguageModelV3Usage,
  LanguageModelV3Warning,
} from './specification.js';

/**
 * Converts any version 2 model to version 3, the native version of `ai` 6 and 7. This avoids their compatibility warning
 * and the errors of `wrapLanguageModel` in `ai@6`, which mislabels version 2 models. All calls of a tool loop are included,
 * also calls of tools that the host did not declare.
 *
 * @example
 * ```ts
 * const model = toLanguageModelV3(withToolLoop(mistral('mistral-large-latest'), { tools }));
 * ```
 */
export function toLanguageModelV3(model: LanguageModelV2): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },

    async doGenerate(callOptions) {
      const { options, warnings } = toV2Options(callOptions);
      const isDeclared = toIsDeclared(callOptions);
      const result = await model.doGenerate(withV3Host(options));
      return {
        ...result,
        content: result.content.flatMap(part => toV3Content(part, isDeclared)),
        finishReason: toV3FinishReason(result.finishReason, result.providerMetadata),
        usage: toV3Usage(result.usage),
        warnings: [...warnings, ...result.warnings.map(toV3Warning)],
      };
    },

    async doStream(callOptions) {
      const { options, warnings } = toV2Options(callOptions);
      const convert = createPartConverter(toIsDeclared(callOptions));
      const result = await model.doStream(withV3Host(options));
      const stream = result.stream.pipeThrough(
        new TransformStream({
          transform(part, controller) {
            for (const converted of convert(part)) {
              controller.enqueue(
                converted.type === 'stream-start'
                  ? { ...converted, warnings: [...warnings, ...converted.warnings] }
                  : converted,
              );
            }
          },
        }),
      );
      return { ...result, stream };
    },
  };
}

function toIsDeclared({ tools = [] }: LanguageModelV3CallOptions): (toolName: string) => boolean {
  const names = new Set(tools.map(({ name }) => name));
  return toolName => names.has(toolName);
}

/** Returns true for tools that the host declared. Provider-executed calls of other tools must be marked `dynamic`. */
type IsDeclared = (toolName: string) => boolean;

/** Converts the parts of one stream. A part becomes zero, one or two parts. */
function createPartConverter(
  isDeclared: IsDeclared,
): (part: LanguageModelV2StreamPart) => LanguageModelV3StreamPart[] {
  const approvalCalls = new Set<string>();
  return part => {
    switch (part.type) {
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
  part: Exclude<LanguageModelV2StreamPart, { type: 'tool-call' }>,
  isDeclared: IsDeclared,
): LanguageModelV3StreamPart {
  switch (part.type) {
    case 'stream-start':
      return { ...part, warnings: part.warnings.map(toV3Warning) };
    case 'tool-input-start':
      return { ...part, ...toDynamic(part, isDeclared) };
    case 'tool-result':
      return toV3Result(part, isDeclared);
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
  return [part.type === 'tool-result' ? toV3Result(part, isDeclared) : part];
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

function toV3Result(
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
  const raw = providerMetadata?.kelivo?.incompleteReason;
  return {
    unified: finishReason === 'unknown' ? 'other' : finishReason,
    raw: typeof raw === 'string' ? raw : undefined,
  };
}

function toV3Usage({
  inputTokens,
  outputTokens,
  cachedInputTokens,
  reasoningTokens,
}: LanguageModelV2Usage): LanguageModelV3Usage {
  return {
    inputTokens: {
      total: inputTokens,
      noCache: subtract(inputTokens, cachedInputTokens),
      cacheRead: cachedInputTokens,
      // Version 2 does not report it.
      cacheWrite: undefined,
    },
    outputTokens: {
      total: outputTokens,
      text: subtract(outputTokens, reasoningTokens),
      reasoning: reasoningTokens,
    },
  };
}

const subtract = (total: number | undefined, part: number | undefined): number | undefined =>
  total === undefined || part === undefined ? undefined : total - part;

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

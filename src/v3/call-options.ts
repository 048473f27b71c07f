import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { withApprovalResponses } from '../parts/call-marks.js';
import { toV2Output } from '../parts/v2-output.js';
import { objectOf, stringOf } from '../shared/json.js';
import { withApprovalTool, withV2Approvals } from './approvals.js';
import { fromCustomPart } from './custom-parts.js';
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3PromptPart,
  LanguageModelV3Tool,
  LanguageModelV3Warning,
} from './specification.js';

/**
 * Converts the call options of `ai` 6 and 7 to version 2. Content that version 2 cannot express is unchanged if a model
 * may support it (a file id). Other content is removed with a warning.
 */
export function toV2Options(options: LanguageModelV3CallOptions): {
  options: LanguageModelV2CallOptions;
  warnings: LanguageModelV3Warning[];
} {
  const { prompt, tools, ...rest } = options;
  const removed = new Set<string>();
  const approvals = withV2Approvals(prompt, tools);
  const messages = approvals.prompt.map(message =>
    toV2Message(message, { remove: type => void removed.add(type) }),
  );
  const converted: unknown = {
    ...rest,
    // A tool message without content contained only approval responses.
    prompt: messages.filter(({ role, content }) => role !== 'tool' || content.length > 0),
    ...(tools !== undefined && { tools: withApprovalTool(tools).map(toV2Tool) }),
  };
  return {
    // The part types of version 3 are open, because `ai` 6 and 7 differ. A model checks the parts that it reads.
    options: withApprovalResponses(converted as LanguageModelV2CallOptions, approvals.responses),
    warnings: [...removed].map(type => ({
      type: 'other',
      message: `Prompt content of type "${type}" is not supported and was not sent.`,
    })),
  };
}

/** `ai@5` uses the name `provider-defined`. */
const toV2Tool = (tool: LanguageModelV3Tool) =>
  tool.type === 'provider' ? { ...tool, type: 'provider-defined' as const } : tool;

/** Types of parts that version 2 does not have. */
const UNSUPPORTED_PARTS: ReadonlySet<string> = new Set([
  'tool-approval-request',
  'tool-approval-response',
  'reasoning-file',
]);

function toV2Message(
  message: LanguageModelV3Message,
  { remove }: { remove: (type: string) => void },
): LanguageModelV3Message {
  const { content } = message;
  if (typeof content === 'string') return message;
  return {
    ...message,
    content: content.flatMap((part: LanguageModelV3PromptPart) => {
      if (UNSUPPORTED_PARTS.has(part.type)) {
        remove(part.type);
        return [];
      }
      switch (part.type) {
        case 'tool-result':
          return { ...part, output: toV2Output(part.output) };
        case 'file':
          return toV2File(part);
        case 'custom': {
          const { kind, providerOptions } = part;
          const carried = fromCustomPart({ kind: stringOf(kind), metadata: objectOf(providerOptions) });
          return { type: 'reasoning', text: '', providerOptions: carried };
        }
        default:
          return part;
      }
    }),
  };
}

/** Converts the `data` of a file, which has a separate type in `ai@7`. */
function toV2File(part: LanguageModelV3PromptPart): LanguageModelV3PromptPart {
  const { mediaType } = part;
  const { type, data, url, text } =
    part.data instanceof URL || part.data instanceof Uint8Array ? {} : (objectOf(part.data) ?? {});
  // `ai@5` requires a full media type, where `ai@7` accepts "image".
  const file =
    typeof mediaType === 'string' && !mediaType.includes('/')
      ? { ...part, mediaType: `${mediaType}/*` }
      : part;
  switch (type) {
    case 'text':
      return { type: 'text', text, providerOptions: part.providerOptions };
    case 'data':
      return { ...file, data };
    case 'url':
      return { ...file, data: new URL(String(url)) };
    default:
      return file;
  }
}

import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Prompt,
  SharedV2ProviderOptions,
} from '@ai-sdk/provider';
import { toV2Output } from '../parts/v2-output.js';
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3Tool,
  LanguageModelV3Warning,
} from './specification.js';
import { withApprovalTool, withV2Approvals } from './mcp-approvals.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The options of a call by `ai` 6 or 7 as a model of version 2 takes them. What has no form there stays as it is if a
 * model may know it (a file's id), and is left out with a warning if it would only be stumbled over.
 */
export function toV2Options(options: LanguageModelV3CallOptions): {
  options: LanguageModelV2CallOptions;
  warnings: LanguageModelV3Warning[];
} {
  const { prompt, tools, providerOptions, ...rest } = options;
  const unknown = new Set<string>();
  const messages = withV2Approvals(prompt).map(message =>
    toV2Message(message, { skip: type => void unknown.add(type) }),
  );
  return {
    options: {
      ...rest,
      // A tool message may have had nothing but answers to approval requests.
      prompt: messages.filter(
        ({ role, content }) => role !== 'tool' || content.length > 0,
      ) as LanguageModelV2Prompt,
      ...(providerOptions !== undefined && { providerOptions: providerOptions as SharedV2ProviderOptions }),
      ...(tools !== undefined && {
        tools: withApprovalTool(tools).map(toV2Tool) as LanguageModelV2CallOptions['tools'],
      }),
    },
    warnings: [...unknown].map(type => ({
      type: 'other',
      message: `Content of type "${type}" in the prompt is not known and not sent.`,
    })),
  };
}

/** `ai` 5 calls it `provider-defined`. */
const toV2Tool = (tool: LanguageModelV3Tool) =>
  tool.type === 'provider' ? { ...tool, type: 'provider-defined' as const } : tool;

/** Parts that version 2 does not have. */
const UNKNOWN_PARTS: ReadonlySet<string> = new Set([
  'tool-approval-request',
  'tool-approval-response',
  'custom',
  'reasoning-file',
]);

function toV2Message(
  message: LanguageModelV3Message,
  { skip }: { skip: (type: string) => void },
): LanguageModelV3Message {
  const { content } = message;
  if (typeof content === 'string') return message;
  return {
    ...message,
    content: content.flatMap(part => {
      if (UNKNOWN_PARTS.has(part.type)) return skip(part.type) ?? [];
      const { output }: Fields = part as { type: string } & Fields;
      if (part.type === 'tool-result') return { ...part, output: toV2Output(output) };
      return part.type === 'file' ? toV2File(part as { type: string } & Fields) : part;
    }),
  };
}

/** `ai` 7 says of a file's data what it is. */
function toV2File(part: { type: string } & Fields): { type: string } & Fields {
  const { type, data, url, text }: Fields =
    part.data instanceof URL || part.data instanceof Uint8Array ? {} : Object(part.data);
  const { mediaType } = part;
  // "image" alone is no media type to `ai` 5.
  const named =
    typeof mediaType === 'string' && !mediaType.includes('/')
      ? { ...part, mediaType: `${mediaType}/*` }
      : part;
  switch (type) {
    case 'text':
      return { type: 'text', text, providerOptions: part.providerOptions };
    case 'data':
      return { ...named, data };
    case 'url':
      return { ...named, data: new URL(String(url)) };
    default:
      return named;
  }
}

import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Message,
  LanguageModelV2Prompt,
} from '@ai-sdk/provider';
import { isPlainObject, objectOf, type PlainObject, stringOf, tryParseJson } from '../shared/json.js';
import { isApprovalTool } from './approvals.js';
import { toCustomPart } from './custom-parts.js';

type Version = 'v3' | 'v4';
type Part = Exclude<LanguageModelV2Message['content'][number], string>;

/** Converts the options of a call from version 2 to a later version. */
export function toLaterOptions(options: LanguageModelV2CallOptions, version: Version): PlainObject {
  const { prompt, tools, ...rest } = options;
  const approvals = findApprovalCalls(prompt);
  return {
    ...rest,
    prompt: prompt.map(message =>
      typeof message.content === 'string'
        ? message
        : { ...message, content: message.content.map(part => toLaterPart(part, { version, approvals })) },
    ),
    ...(tools !== undefined && {
      tools: tools
        .filter(tool => tool.type === 'function' || !isApprovalTool({ id: tool.id }))
        .map(tool => (tool.type === 'function' ? tool : { ...tool, type: 'provider' })),
    }),
  };
}

/** Returns the ids of the calls that express approval requests of hosted servers. */
const findApprovalCalls = (prompt: LanguageModelV2Prompt): ReadonlySet<string> =>
  new Set(
    prompt.flatMap(({ role, content }) =>
      role === 'assistant'
        ? content.flatMap(part =>
            part.type === 'tool-call' && isApprovalTool({ name: part.toolName }) ? [part.toolCallId] : [],
          )
        : [],
    ),
  );

function toLaterPart(
  part: Part,
  { version, approvals }: { version: Version; approvals: ReadonlySet<string> },
): PlainObject {
  switch (part.type) {
    case 'file':
      return version === 'v4' ? { ...part, data: toTaggedData(part.data) } : { ...part };
    case 'reasoning': {
      const custom = version === 'v4' && part.text === '' ? toCustomPart(part.providerOptions) : undefined;
      if (custom === undefined) return { ...part };
      const { providerMetadata, ...rest } = custom;
      return { ...rest, providerOptions: providerMetadata };
    }
    case 'tool-call':
      return approvals.has(part.toolCallId) ? toHostedCall(part) : { ...part };
    case 'tool-result':
      return approvals.has(part.toolCallId)
        ? toApprovalResponse(part)
        : { ...part, output: toLaterOutput(part.output, version) };
    default:
      return { ...part };
  }
}

/** Returns the call of a hosted server that an approval request is about. Its id is that of the request. */
function toHostedCall(part: Extract<Part, { type: 'tool-call' }>): PlainObject {
  const { name, arguments: args } =
    objectOf(typeof part.input === 'string' ? tryParseJson(part.input) : part.input) ?? {};
  return {
    ...part,
    toolName: `mcp.${stringOf(name)}`,
    input: typeof args === 'string' ? (tryParseJson(args) ?? args) : (args ?? {}),
    providerExecuted: true,
    // The official provider assigns the result to this call.
    providerOptions: {
      ...part.providerOptions,
      openai: { ...part.providerOptions?.openai, approvalRequestId: part.toolCallId },
    },
  };
}

/** Everything but an explicit approval is a denial. */
function toApprovalResponse({ toolCallId, output }: Extract<Part, { type: 'tool-result' }>): PlainObject {
  const { approve, reason } = objectOf(objectOf(output)?.value) ?? {};
  return {
    type: 'tool-approval-response',
    approvalId: toolCallId,
    approved: approve === true,
    ...(typeof reason === 'string' && { reason }),
  };
}

/** Tags the data of a file. A reference of a later version has a tag already. */
function toTaggedData(data: unknown): unknown {
  if (data instanceof URL) return { type: 'url', url: data };
  return isPlainObject(data) && !(data instanceof Uint8Array) ? data : { type: 'data', data };
}

/** Converts the media of an output. See `toV2Output`. */
export function toLaterOutput(output: unknown, version: Version): unknown {
  const { type, value } = objectOf(output) ?? {};
  if (type !== 'content' || !Array.isArray(value)) return output;
  return { ...objectOf(output), value: value.map(item => toLaterItem(item, version)) };
}

function toLaterItem(item: unknown, version: Version): unknown {
  const { type, data, ...rest } = objectOf(item) ?? {};
  if (type !== 'media') return version === 'v4' ? toFileItem(item) : item;
  if (version === 'v4') return { type: 'file', ...rest, data: toTaggedData(data) };
  return { type: stringOf(rest.mediaType).startsWith('image/') ? 'image-data' : 'file-data', ...rest, data };
}

/** Converts the media of version 3 that have no form in version 2. */
function toFileItem(item: unknown): unknown {
  const { type, url, fileId, mediaType, filename, providerOptions } = objectOf(item) ?? {};
  const file = {
    type: 'file',
    mediaType: mediaType ?? (stringOf(type).startsWith('image') ? 'image/*' : 'application/octet-stream'),
    ...(filename !== undefined && { filename }),
    ...(providerOptions !== undefined && { providerOptions }),
  };
  switch (type) {
    case 'file-url':
    case 'image-url':
      return { ...file, data: { type: 'url', url: new URL(stringOf(url)) } };
    case 'file-id':
    case 'image-file-id': {
      const reference = typeof fileId === 'string' ? { openai: fileId } : fileId;
      return { ...file, data: { type: 'reference', reference } };
    }
    default:
      return item;
  }
}

import type { JSONObject, JSONValue, LanguageModelV2ToolResultOutput } from '@ai-sdk/provider';
import type { ToolOutput } from '../tools/tool-source.js';

type ContentItem = Extract<LanguageModelV2ToolResultOutput, { type: 'content' }>['value'][number];
type Fields = Readonly<Record<string, unknown>>;

/**
 * Hosts keep the result of a provider-executed tool as bare JSON. One in the form of an MCP result,
 * `{ content: [...], isError? }`, becomes text or content again, so that the model is shown an image as an
 * image and not as base64 text. Any other output is returned as it is.
 */
export function unwrapMcpOutput(output: LanguageModelV2ToolResultOutput): LanguageModelV2ToolResultOutput {
  if (output.type !== 'json' && output.type !== 'error-json') return output;
  const value = parsed(output.value);
  if (!isFields(value) || !Array.isArray(value.content) || value.content.length === 0) return output;

  const items: ContentItem[] = [];
  for (const block of value.content) {
    const item = isFields(block) ? toContentItem(block) : undefined;
    if (item === undefined) return output;
    items.push(item);
  }
  const texts = items.flatMap(item => (item.type === 'text' ? [item.text] : []));
  if (texts.length < items.length) return { type: 'content', value: items };
  const failed = output.type === 'error-json' || value.isError === true;
  return { type: failed ? 'error-text' : 'text', value: texts.join('\n') };
}

/** `ai` 6 and 7 hand the JSON of a failed result back as a string. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('{')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value; // an error text that happens to begin with a brace
  }
}

function toContentItem(block: Fields): ContentItem | undefined {
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? { type: 'text', text: block.text } : undefined;
    case 'image':
    case 'audio':
      return toMedia(block.data, block.mimeType);
    case 'resource':
      return isFields(block.resource) ? toResource(block.resource) : undefined;
    case 'resource_link':
      return { type: 'text', text: JSON.stringify(block) };
    default:
      return undefined;
  }
}

function toResource({ text, blob, mimeType = 'application/octet-stream' }: Fields): ContentItem | undefined {
  return typeof text === 'string' ? { type: 'text', text } : toMedia(blob, mimeType);
}

function toMedia(data: unknown, mediaType: unknown): ContentItem | undefined {
  return typeof data === 'string' && typeof mediaType === 'string'
    ? { type: 'media', data, mediaType }
    : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * An output as the JSON value that hosts keep and show. Content of several parts takes MCP's own form, which chat
 * applications know how to render, and which becomes content again when the history comes back.
 */
export function toResultValue(output: ToolOutput): NonNullable<JSONValue> {
  switch (output.type) {
    case 'content':
      return {
        content: output.value.map((part): JSONObject => {
          if (part.type === 'text') return { type: 'text', text: part.text };
          const { mediaType, data } = part;
          return { type: mediaType.startsWith('audio/') ? 'audio' : 'image', data, mimeType: mediaType };
        }),
      };
    default:
      return output.value ?? '';
  }
}

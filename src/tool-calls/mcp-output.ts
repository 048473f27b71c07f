import type { JSONObject, JSONValue, LanguageModelV2ToolResultOutput } from '@ai-sdk/provider';
import { isPlainObject, type PlainObject, tryParseJson } from '../shared/json.js';

type ContentItem = Extract<LanguageModelV2ToolResultOutput, { type: 'content' }>['value'][number];

/**
 * Restores the output of a provider-executed tool, which hosts keep as plain JSON. An MCP result,
 * `{ content: [...], isError? }`, becomes text or content again, so that the model receives an image as an image and not
 * as base64 text. Any other output is returned as it is.
 */
export function unwrapMcpOutput(output: LanguageModelV2ToolResultOutput): LanguageModelV2ToolResultOutput {
  if (output.type !== 'json' && output.type !== 'error-json') return output;
  const value = parsed(output.value);
  if (!isPlainObject(value) || !Array.isArray(value.content) || value.content.length === 0) return output;

  const items: ContentItem[] = [];
  for (const block of value.content) {
    const item = isPlainObject(block) ? toContentItem(block) : undefined;
    if (item === undefined) return output;
    items.push(item);
  }
  const texts = items.flatMap(item => (item.type === 'text' ? [item.text] : []));
  if (texts.length < items.length) return { type: 'content', value: items };
  const failed = output.type === 'error-json' || value.isError === true;
  return { type: failed ? 'error-text' : 'text', value: texts.join('\n') };
}

/** `ai` 6 and 7 return the JSON of a failed result as a string. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('{')) return value;
  return tryParseJson(value) ?? value;
}

function toContentItem(block: PlainObject): ContentItem | undefined {
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? { type: 'text', text: block.text } : undefined;
    case 'image':
    case 'audio':
      return toMedia(block.data, block.mimeType);
    case 'resource':
      return isPlainObject(block.resource) ? toResource(block.resource) : undefined;
    case 'resource_link':
      return { type: 'text', text: JSON.stringify(block) };
    default:
      return undefined;
  }
}

function toResource({
  text,
  blob,
  mimeType = 'application/octet-stream',
}: PlainObject): ContentItem | undefined {
  return typeof text === 'string' ? { type: 'text', text } : toMedia(blob, mimeType);
}

function toMedia(data: unknown, mediaType: unknown): ContentItem | undefined {
  return typeof data === 'string' && typeof mediaType === 'string'
    ? { type: 'media', data, mediaType }
    : undefined;
}

/**
 * Converts an output to the JSON value that hosts keep and display. Content with several parts becomes an MCP result,
 * which chat applications can render, and which `unwrapMcpOutput` converts back.
 */
export function toResultValue(output: LanguageModelV2ToolResultOutput): NonNullable<JSONValue> {
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

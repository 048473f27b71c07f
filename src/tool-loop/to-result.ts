import type { JSONObject, JSONValue } from '@ai-sdk/provider';
import type { ToolOutput } from '../tools/tool-source.js';

/**
 * An output as the JSON value that hosts keep and show. Content of several parts takes MCP's own form, which chat
 * applications know how to render, and which becomes content again when the history comes back.
 */
export function toResult(output: ToolOutput): NonNullable<JSONValue> {
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

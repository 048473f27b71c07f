import { isJsonObject, type JsonObject, toJsonObjects } from './json-object.js';

/** The text of a message or a tool output; what is no text is named: "an image (image/png)". */
export function describeContent(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  return toJsonObjects(content).map(describePart).filter(Boolean).join(', ');
}

/** The text parts alone. */
export function toText(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  return toJsonObjects(content)
    .map(part => (typeof part.text === 'string' ? part.text.trim() : ''))
    .filter(Boolean)
    .join(' ');
}

/**
 * Whether a tool output tells of a failure. The API has no field for that, so the words decide: an output
 * that begins with "Error", says that the tool failed, or is JSON with an `error`.
 */
export function isFailure(output: unknown): boolean {
  const text = toText(output);
  if (
    /^(mcp )?error\b|^unknown tool\b|^(the )?(tool|call)\b.{0,100}\b(failed|timed out|refused|unknown)\b/i.test(
      text,
    )
  ) {
    return true;
  }
  const json = parseJson(text);
  return isJsonObject(json) && (Boolean(json.error) || json.isError === true);
}

function describePart(part: JsonObject): string {
  if (typeof part.text === 'string') return part.text.trim();
  const mediaType = /^data:([\w.+/-]+)/.exec(String(part.image_url ?? part.file_data ?? ''))?.[1];
  const detail = mediaType ?? part.filename ?? part.image_url ?? part.file_url ?? part.file_id;
  if (part.type === 'input_image') return `an image (${String(detail)})`;
  if (part.type === 'input_file') return `a file (${String(detail)})`;
  return '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Prose, most of the time.
  }
}

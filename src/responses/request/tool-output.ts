import type { OutputContent, ToolResultOutput, ToolResultPart } from '../../core/prompt.js';
import { isArchive, toFilename } from '../../tool-calls/mcp-output.js';
import type { FunctionCallOutput, InputContent } from '../wire.js';
import { findReferenceIssue, toFileContent } from './files.js';
import { readPartOptions, toCacheBreakpoint } from './provider-options.js';

export interface ToolOutputOptions {
  /** Names of the tools whose outputs the API reads as JSON. */
  readonly jsonTools: ReadonlySet<string>;
  /** Names under which the ids of uploaded files are known. */
  readonly fileProviders: readonly string[];
  readonly warn: (message: string) => void;
}

/** Converts a tool result to the `output` of a `function_call_output`. */
export function toToolOutput(part: ToolResultPart, options: ToolOutputOptions): FunctionCallOutput['output'] {
  const { output, toolName } = part;
  const breakpoint = readPartOptions(part).promptCacheBreakpoint;
  const content =
    output.type === 'content'
      ? toContent(output.value, options)
      : toText(output, { isJson: options.jsonTools.has(toolName) });
  if (breakpoint === undefined) return content;
  const items = typeof content === 'string' ? [{ type: 'input_text' as const, text: content }] : content;
  return items.map((item, index) =>
    index === items.length - 1 ? { ...item, ...toCacheBreakpoint(breakpoint) } : item,
  );
}

function toText(
  output: Exclude<ToolResultOutput, { type: 'content' }>,
  { isJson }: { isJson: boolean },
): string {
  const text =
    output.type === 'execution-denied'
      ? output.reason || 'The user did not allow this tool call.'
      : (output.type === 'text' || output.type === 'error-text') && typeof output.value === 'string'
        ? output.value
        : undefined;
  if (text === undefined) return JSON.stringify('value' in output ? output.value : undefined) ?? '';
  if (!isJson) return text;
  return JSON.stringify(output.type === 'error-text' ? { error: text } : text);
}

function toContent(content: readonly OutputContent[], options: ToolOutputOptions): string | InputContent[] {
  const items = content.flatMap(item => toContentItem(item, options) ?? []);
  // The API accepts an empty text but rejects an empty list.
  return items.length === 0 ? '' : items;
}

function toContentItem(
  item: OutputContent,
  { fileProviders, warn }: ToolOutputOptions,
): InputContent | undefined {
  if (item.type === 'text') return { type: 'input_text', text: String(item.text) };
  if (item.type !== 'file') {
    warn(`Tool output of type "${item.type}" is not supported and not sent.`);
    return undefined;
  }
  // Files of MCP resources have their address.
  const { data, mediaType, uri, filename = toFilename(uri) }: typeof item & { readonly uri?: string } = item;
  // The API rejects archives, which would end the turn after the tool has run.
  const content = isArchive(mediaType)
    ? undefined
    : toFileContent(data, {
        mediaType,
        filename,
        imageDetail: readPartOptions(item).imageDetail,
        defaultName: () => 'data',
        providers: fileProviders,
      });
  if (content !== undefined) return content;
  // The call has been executed: the model is informed about the omission and the turn continues.
  const description = `${mediaType || item.type} content`;
  const reason =
    findReferenceIssue(data, fileProviders) ?? 'The Responses API accepts text, images and files.';
  warn(`Tool output with ${description} is not sent. ${reason}`);
  return { type: 'input_text', text: `[${description} omitted: it cannot be shown to the model]` };
}

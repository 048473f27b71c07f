import type { ToolUIPart } from 'ai';

/* Helpers that `ai` has, too. Importing them from there would load its code with the first page. */

export const isToolUIPart = (part: { readonly type: string }): part is ToolUIPart =>
  part.type.startsWith('tool-');

export const getToolName = ({ type }: Pick<ToolUIPart, 'type'>): string => type.slice('tool-'.length);

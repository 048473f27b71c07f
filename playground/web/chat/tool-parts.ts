import type { ToolUIPart } from 'ai';

/* What the chat needs of `ai`, whose code loads with the first response. */

export const isToolUIPart = (part: { readonly type: string }): part is ToolUIPart =>
  part.type.startsWith('tool-');

export const getToolName = ({ type }: Pick<ToolUIPart, 'type'>): string => type.slice('tool-'.length);

import type { LanguageModelV2Prompt } from '@ai-sdk/provider';

/** The prompt without examples of calls in its system messages. Others are left as they are. */
export const withoutCallExamples = (prompt: LanguageModelV2Prompt): LanguageModelV2Prompt =>
  prompt.map(message =>
    message.role === 'system' ? { ...message, content: clean(message.content) } : message,
  );

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';

function clean(system: string): string {
  // It tells the model how to call, and whoever sent it reads the calls.
  if (system.includes('<tools>')) return system;
  const cleaned = withoutBlocks(system).replace(/\[tool_call:[^\]\n]*\]/g, '');
  if (cleaned === system) return system;
  // What stood alone on its lines leaves none behind.
  return cleaned
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function withoutBlocks(text: string): string {
  let kept = '';
  let at = 0;
  for (;;) {
    const open = text.indexOf(OPEN, at);
    const close = open < 0 ? -1 : text.indexOf(CLOSE, open);
    if (close < 0) return kept + text.slice(at);
    kept += text.slice(at, open);
    at = close + CLOSE.length;
  }
}

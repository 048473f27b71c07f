/** Syntaxes in which tools, calls and results can be written into the prompt. */
export const toolPromptNames = [
  'hermes',
  'qwen-xml',
  'claude',
  'command-r',
  'deepseek',
  'dsml',
  'gemma4',
  'glm',
  'granite',
  'harmony',
  'kimi',
  'kimi-k3',
  'lfm2',
  'llama',
  'minimax',
  'minimax-m3',
  'mistral',
  'olmo3',
  'pythonic',
  'seed-oss',
  'tool-request',
] as const;

/** The name of a syntax. */
export type ToolPromptName = (typeof toolPromptNames)[number];

/** A syntax, or `auto` for the one of the model's family. */
export type ToolPrompting = ToolPromptName | 'auto';

import type { ReportedError } from '../shared/reported-error.js';

/* Errors of conversations that are too long for the model. Another model, or a shorter conversation, can help. */

/** Codes and types of such errors. */
const CODES: ReadonlySet<string | undefined> = new Set([
  'context_length_exceeded', // OpenAI, and most servers that follow it
  'context_window_exceeded',
  'exceed_context_size_error', // ggml-org/llama.cpp, tools/server
  'model_max_prompt_tokens_exceeded', // GitHub Copilot
  '1261', // z.ai: https://docs.z.ai/api-reference/api-code
]);

/** The texts of servers. */
const TEXTS: readonly RegExp[] = [
  /context_(?:length|window)_?exceeded|exceed_context_size/i,
  // OpenAI: "maximum context length is", "exceeds the context window"; DeepSeek, OpenRouter, Mistral and vLLM follow it.
  /maximum context (?:length|window|size)|exceed\w{0,3} (?:the |its |this )?(?:\w{1,40}(?:'s)? )?(?:maximum )?context/i,
  /(?:longer|larger|greater|more) than the (?:model's |maximum )?(?:context|model length)/i, // LM Studio, SGLang, vLLM
  /context length is only|maximum input length of/i, // vLLM
  /context (?:length|window|size|limit) (?:was |is |has been )?(?:exceed|reached|overflow|too)/i, // MiniMax, llama.cpp
  /reached context length|context the overflows|context overflow/i, // LM Studio
  /(?:prompt|input|conversation) (?:is|was) too (?:long|large)/i, // Anthropic, Amazon Bedrock, Fireworks
  /prompt tokens? (?:is |are )?too (?:long|many)/i, // Baidu
  /input length and [`'"]?max_tokens[`'"]? exceed/i, // Anthropic
  /input token count .{0,40}exceeds/i, // Google
  /prompt token count .{0,40}exceeds/i, // GitHub Copilot
  /prompt exceeds max(?:imum)? length/i, // z.ai
  /range of input length should be/i, // QwenLM/qwen-code#98 (DashScope)
  /maximum prompt length is/i, // xAI
  /reduce the length of (?:the |your )?(?:messages|prompt|input|conversation)/i, // Groq, Cerebras, OpenAI
  /exceeded model token limit/i, // Moonshot
  /input length .{0,40}exceeds the (?:maximum|limit|context)/i, // Volcengine, Ollama
  /inputs?[`'"]? (?:tokens )?(?:\+|plus) [`'"]?max_(?:new_)?tokens[`'"]? must be/i, // Hugging Face TGI, Together
  /prompt_tokens.{0,40}must be less than max_seq_len/i, // SiliconFlow
  /number of tokens in the prompt .{0,40}(?:exceed|cannot)/i, // Cohere
  /(?:inputs|prompt) must have less than \d+ tokens/i, // Hugging Face TGI
];

/** Texts that mean a conversation unless they name the output. */
const UNSPECIFIC =
  /too many (?:input |prompt )?tokens|maximum (?:number of )?(?:allowed )?(?:input |prompt )?tokens/i;

const ABOUT_OUTPUT = /output|completion|max_(?:new_)?tokens|generat/i;

/** Texts about limits of a period, in which the words above occur, too. */
const ABOUT_PERIOD =
  /\bper (?:second|minute|min|hour|day|month)\b|\b[TR]P[MD]\b|rate[ _-]?limit|quota|please wait/i;

/** Returns true if a server rejected a request because its conversation is too long for the model. */
export function isContextOverflow(error: Partial<ReportedError>): boolean {
  if (CODES.has(error.code) || CODES.has(error.type)) return true;
  const text = [error.code, error.type, error.message ?? ''].join(' ');
  if (ABOUT_PERIOD.test(text)) return false;
  return TEXTS.some(known => known.test(text)) || (UNSPECIFIC.test(text) && !ABOUT_OUTPUT.test(text));
}

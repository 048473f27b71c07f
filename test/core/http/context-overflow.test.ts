import { expect, it } from 'vitest';
import { isContextOverflow } from '../../../src/core/http/context-overflow.js';
import { isRetryable, statusOfCode } from '../../../src/core/http/retry.js';
import { reasonOf } from '../../../src/models/fallback-reasons.js';

it.each([
  ['OpenAI', 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
  [
    'OpenAI',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
  ],
  ['Anthropic', 'prompt is too long: 213462 tokens > 200000 maximum'],
  ['Anthropic', 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'],
  ['Google', 'The input token count (1048600) exceeds the maximum number of tokens allowed (1048575).'],
  ['llama.cpp', 'the request exceeds the available context size, try increasing it'],
  ['vLLM', 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.'],
  [
    'vLLM',
    "You passed 7000 input tokens and requested 2000 output tokens. However, the model's context length is only 8192 tokens.",
  ],
  ['Ollama', 'the input length exceeds the context length'],
  ['LM Studio', 'The number of tokens to keep from the initial prompt is greater than the context length.'],
  [
    'LM Studio',
    'Reached context length of 4096 tokens with model m, which does not support mid-generation context overflow',
  ],
  ['DashScope', '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]'], // QwenLM/qwen-code#98
  ['z.ai', 'Prompt exceeds max length'],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 200000 tokens."],
  ['Groq', 'Please reduce the length of the messages or completion.'],
  ['Moonshot', 'Invalid request: Your request exceeded model token limit: 131072'], // patriceckhart/zot#117
  [
    'Mistral',
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
  ],
  ['Amazon Bedrock', 'Input is too long for requested model.'],
  ['Hugging Face', 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9000'],
  ['MiniMax', 'invalid params, context window exceeds limit'],
  ['SGLang', "The input (9000 tokens) is longer than the model's context length (8192 tokens)."],
  ['SiliconFlow', 'length of prompt_tokens (40000) must be less than max_seq_len (32768).'],
  ['Volcengine', 'Input length 130000 exceeds the maximum length 98304'],
])('reads the text of %s: %s', (_, message) => {
  expect(isContextOverflow({ message })).toBe(true);
  expect(statusOfCode({ message })).toBe(400);
  expect(isRetryable({ status: 500, message })).toBe(false);
  expect(reasonOf({ error: { message } })).toBe('context-overflow');
});

it.each([
  { code: 'context_length_exceeded' },
  { type: 'exceed_context_size_error' },
  { code: '1261', message: 'Prompt too long' },
])('reads %j', fields => {
  expect(isContextOverflow(fields)).toBe(true);
});

it.each([
  'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.',
  'Request too large for model m on tokens per minute (TPM): Limit 6000, please reduce the length of the messages.',
  'Too many tokens, please wait before trying again.',
  'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
  'Range of max_tokens should be [1, 8192]',
  'max_output_tokens exceeds the maximum tokens of this model',
  "Invalid 'tools': array too long. Expected an array with maximum length 128.",
  "Invalid 'metadata.a': string too long. Expected a string with maximum length 512.",
  'The requested image is too large.',
])('does not read another limit: %s', message => {
  expect(isContextOverflow({ message })).toBe(false);
});

import type { ApiError } from '../api-error.js';

const refuse =
  (type: string, code: string | null) =>
  (message: string): ApiError => ({ status: 400, message, type, param: null, code });

// The types and codes the Mistral API was seen to answer with.
export const invalidOrder = refuse('invalid_request_message_order', '3230');
export const invalidAssistant = refuse('invalid_request_assistant_message', '3240');
export const invalidCall = refuse('invalid_function_call', '3280');
export const invalidRequest = refuse('invalid_request_error', null);

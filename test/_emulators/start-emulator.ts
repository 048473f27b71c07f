import {
  type ResponsesEmulator,
  type ResponsesEmulatorOptions,
  startEmulator,
} from '../../src/testing/emulator.js';
import { estimateTokens, toPromptText } from '../../src/testing/model/response.js';
import { type ApiError, badRequest } from '../../src/testing/protocol/wire.js';
import type { ResponsesRequest } from '../../src/testing/protocol/request.js';
import type { RequestRules } from '../../src/testing/protocol/scripts.js';
import { chatRoute } from './chat.js';
import { googleRoute } from './google.js';
import { addHostedItems } from './hosted-turns.js';
import {
  type MistralRules,
  toMistralMessages,
  validateMistral,
  withMistralCallIds,
} from './mistral-rules.js';
import { type ToolCallFormat, writeToolCalls } from './text-tool-calls.js';

/** Options of the emulator, and of the extensions that only the tests of this package need. */
export interface MultiApiEmulatorOptions extends Omit<ResponsesEmulatorOptions, 'rules' | 'rewriteOutput'> {
  /** Rules that requests are validated against: for all models, or rules of Mistral per model id. */
  readonly rules?: RequestRules | MistralRules | ((modelId: string) => MistralRules | undefined);
  /** Makes the model write its tool calls as text, as on a server without a tool call parser. */
  readonly toolCallFormat?: ToolCallFormat | ((modelId: string) => ToolCallFormat | undefined);
  /** Maximum number of tokens of a prompt, estimated at four characters each. @default no limit */
  readonly contextWindow?: number;
  /** Encodings of request bodies that the server accepts. Others are rejected with the status 415. @default none */
  readonly requestEncodings?: readonly 'gzip'[];
}

/** Starts the Responses emulator with the Chat Completions API, the Gemini API, hosted tools and rules of Mistral. */
export function startMultiApiEmulator({
  rules = 'openai',
  toolCallFormat,
  contextWindow,
  requestEncodings,
  ...options
}: MultiApiEmulatorOptions = {}): Promise<ResponsesEmulator> {
  const mistralOf = (modelId: string): MistralRules | undefined => {
    if (typeof rules === 'function') return rules(modelId);
    return rules === 'mistral' || rules === 'mistral-v3' ? rules : undefined;
  };
  const formatOf = typeof toolCallFormat === 'function' ? toolCallFormat : () => toolCallFormat;
  const isMistral = typeof rules === 'function' || rules === 'mistral' || rules === 'mistral-v3';

  return startEmulator(
    {
      ...options,
      rules: isMistral ? 'openai' : rules,
      rewriteOutput(items, { model }) {
        const format = formatOf(model);
        const written = format === undefined ? items : writeToolCalls(items, format);
        return mistralOf(model) === undefined ? written : withMistralCallIds(written);
      },
    },
    {
      routes: [googleRoute, chatRoute(mistralOf)],
      encodings: requestEncodings,
      check: request =>
        checkMistral(request, mistralOf(request.model)) ?? checkLength(request, contextWindow),
      extendRules: addHostedItems,
    },
  );
}

/** Applies Mistral's validator to the conversation, as vLLM does. */
function checkMistral(
  { items, body }: ResponsesRequest,
  rules: MistralRules | undefined,
): ApiError | undefined {
  const error = rules && validateMistral(toMistralMessages(items, body), { rules });
  return error && { ...error, type: 'BadRequestError', code: 400 };
}

function checkLength(request: ResponsesRequest, contextWindow = Infinity): ApiError | undefined {
  if (estimateTokens(toPromptText(request)) <= contextWindow) return undefined;
  return badRequest(
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    { param: 'input', code: 'context_length_exceeded' },
  );
}

import type {
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
  LanguageModelV2Content,
} from '@ai-sdk/provider';
import { createKelivoResponsesProvider } from '../../src/index.js';
import type { Sample } from './_declared-types.js';

/** One call, as the server and the caller see it. */
export interface Call {
  /** Body and headers of the request. Undefined if the call was refused. */
  readonly request: { readonly body: Record<string, unknown>; readonly headers: Headers } | undefined;
  readonly content: readonly LanguageModelV2Content[];
  readonly warnings: readonly LanguageModelV2CallWarning[];
  readonly error: unknown;
}

export type CallOptions = Omit<Partial<LanguageModelV2CallOptions>, 'prompt' | 'tools'> & {
  /** Parts that later versions of the model interface have are allowed. */
  readonly prompt?: unknown;
  readonly tools?: unknown;
};

/** Calls a model whose server answers with the given output items. */
export async function callModel(
  options: CallOptions,
  {
    modelId = 'gpt-5',
    output = [],
    stream = false,
    failure,
  }: { modelId?: string | undefined; output?: readonly unknown[]; stream?: boolean; failure?: unknown } = {},
): Promise<Call> {
  let request: Call['request'];
  const provider = createKelivoResponsesProvider({
    apiKey: 'key',
    fetch: async (_url, init) => {
      request = { body: JSON.parse(String(init?.body)), headers: new Headers(init?.headers) };
      const status = failure === undefined ? 'completed' : 'failed';
      return Response.json({
        id: 'resp_1',
        object: 'response',
        status,
        model: modelId,
        output,
        error: failure,
      });
    },
  });
  const prompt = options.prompt ?? [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
  const model = provider.responses(modelId);
  const callOptions = { ...options, prompt } as LanguageModelV2CallOptions;
  try {
    if (stream) {
      await (await model.doStream(callOptions)).stream.cancel();
      return { request, content: [], warnings: [], error: undefined };
    }
    const result = await model.doGenerate(callOptions);
    return { request, content: result.content, warnings: result.warnings, error: undefined };
  } catch (error) {
    return { request, content: [], warnings: [], error };
  }
}

/** Returns true if a warning or the error of a call contains a name, in any spelling. */
export function isNamed({ warnings, error }: Pick<Call, 'warnings' | 'error'>, name: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const texts = [
    ...warnings.map(warning => JSON.stringify(warning)),
    error instanceof Error ? error.message : '',
  ];
  return texts.some(text => plain(text).includes(plain(name)));
}

/** Returns the same value with the names that the AI SDK uses for its properties. */
export function toCamelCase(value: Sample): Sample {
  if (Array.isArray(value)) return value.map(toCamelCase);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      toCamelCase(item),
    ]),
  );
}

/** Returns the assistant message that a host keeps of a response. */
export function toAssistantMessage(content: readonly LanguageModelV2Content[]): unknown {
  return {
    role: 'assistant',
    content: content.flatMap((part): object[] => {
      const providerOptions =
        'providerMetadata' in part && part.providerMetadata !== undefined
          ? { providerOptions: part.providerMetadata }
          : {};
      switch (part.type) {
        case 'text':
        case 'reasoning':
          return [{ type: part.type, text: part.text, ...providerOptions }];
        case 'tool-call': {
          const { toolCallId, toolName, providerExecuted } = part;
          const input: unknown = JSON.parse(part.input);
          return [{ type: 'tool-call', toolCallId, toolName, input, providerExecuted, ...providerOptions }];
        }
        case 'tool-result': {
          const { toolCallId, toolName, result } = part;
          return [
            {
              type: 'tool-result',
              toolCallId,
              toolName,
              output: { type: 'json', value: result },
              ...providerOptions,
            },
          ];
        }
        default:
          return [];
      }
    }),
  };
}

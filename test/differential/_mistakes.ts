import { jsonSchema, tool, type ModelMessage } from 'ai7';
import { z } from 'zod';

/** The servers at which mistakes are made. */
export interface Servers {
  /** Accepts one key. */
  readonly emulator: string;
  /** Serves chat completions only, with the errors of FastAPI. */
  readonly chat: string;
  /** Answers every request with a page. */
  readonly page: string;
  /** Answers with the error page of a web server. */
  readonly missingPage: string;
  /** Redirects to a sign-in page of another origin. */
  readonly redirect: string;
  /** Lists its models, and rejects others. */
  readonly fewModels: string;
  /** Reports that the credit is used up. */
  readonly quota: string;
  /** Reports that the prompt is too long. */
  readonly tooLong: string;
  /** Ends a stream and a document in the middle. */
  readonly truncated: string;
  /** Sends a certificate that no authority has signed. */
  readonly selfSigned: string;
  /** Nothing listens there. */
  readonly closed: string;
}

/** A mistake of an application, made with both providers. */
export interface Mistake {
  readonly title: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** @default 'gpt-5' */
  readonly model?: unknown;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Reads the response as a stream. */
  readonly isStreamed?: boolean;
  /** The server. @default emulator */
  readonly at?: keyof Servers;
  /** Changes the base URL of the server. */
  readonly baseURL?: (baseURL: string) => string;
  /** What a message has to contain: the cause, the setting, or the next step. */
  readonly needs: readonly RegExp[];
}

/** The call works in spite of the mistake, without a warning. */
export const WORKS = /^works$/;

const weather = {
  get_weather: tool({ inputSchema: z.object({ city: z.string() }), execute: () => 'sunny' }),
};
const file = (mediaType: string): ModelMessage[] => [
  { role: 'user', content: [{ type: 'file', mediaType, data: new Uint8Array([1, 2, 3]) }] },
];
const call = { toolCallId: 'call_1', toolName: 'get_weather' };

export const MISTAKES: readonly Mistake[] = [
  // Keys
  {
    title: 'no API key',
    settings: { apiKey: undefined, baseURL: 'https://api.openai.com/v1' },
    needs: [/apiKey/, /OPENAI_API_KEY/],
  },
  { title: 'a wrong API key', settings: { apiKey: 'wrong' }, needs: [/Incorrect API key/] },
  { title: 'an empty API key', settings: { apiKey: '' }, needs: [/apiKey/] },
  {
    title: 'a copied API key with a line break',
    settings: { apiKey: 'sk-test\nkey' },
    needs: [/key|header/i, /line/],
  },
  {
    title: 'an API key in typographic quotes',
    settings: { apiKey: '“sk-test-key”' },
    needs: [/header/i, /Latin-1/],
  },
  { title: 'an API key that ends with a line break', settings: { apiKey: 'sk-test-key\n' }, needs: [WORKS] },
  // Addresses
  { title: 'a base URL without `/v1`', baseURL: url => url.replace(/\/v1$/, ''), needs: [WORKS] },
  { title: 'the endpoint as base URL', baseURL: url => `${url}/responses`, needs: [WORKS] },
  {
    title: 'a base URL without `http://`',
    baseURL: url => url.replace('http://', ''),
    needs: [/baseURL/, /http:\/\//],
  },
  { title: 'a base URL in quotes', baseURL: url => `"${url}"`, needs: [/baseURL/, /http/] },
  { title: 'a server of chat completions', at: 'chat', needs: [/baseURL/, /no Responses API/] },
  { title: 'the same, streamed', at: 'chat', isStreamed: true, needs: [/baseURL/, /no Responses API/] },
  { title: 'the address of a web page', at: 'page', needs: [/baseURL|page/, /127\.0\.0\.1/] },
  { title: 'a web server without the path', at: 'missingPage', needs: [/baseURL/, /no Responses API/] },
  { title: 'a sign-in page in between', at: 'redirect', needs: [/redirect/, /baseURL/] },
  { title: 'nothing listens', at: 'closed', needs: [/ECONNREFUSED|refused/, /127\.0\.0\.1/, /baseURL/] },
  {
    title: 'a misspelt host',
    baseURL: () => 'http://llm.invalid/v1',
    needs: [/ENOTFOUND|EAI_AGAIN/, /llm\.invalid/, /baseURL/],
  },
  {
    title: '`https` for a server without it',
    baseURL: url => url.replace('http:', 'https:'),
    needs: [/http:\/\//],
  },
  {
    title: 'a certificate that no authority has signed',
    at: 'selfSigned',
    needs: [/certificate/, /NODE_EXTRA_CA_CERTS/],
  },
  // Names
  { title: 'a misspelt setting', settings: { baseUrl: 'http://127.0.0.1:1' }, needs: [/baseURL/] },
  {
    title: 'a misspelt option',
    options: { providerOptions: { openai: { reasoningEfort: 'low' } } },
    needs: [/reasoningEfort/],
  },
  {
    title: 'an option of the wrong type',
    options: { providerOptions: { openai: { parallelToolCalls: 'yes' } } },
    needs: [/parallelToolCalls/, /boolean/],
  },
  {
    title: 'an effort that does not exist',
    options: { providerOptions: { openai: { reasoningEffort: 'hgh' } } },
    needs: [/hgh/],
  },
  {
    title: 'a misspelt model',
    at: 'fewModels',
    model: 'gpt-5.1-mnii',
    needs: [/gpt-5\.1-mnii/, /Did you mean "gpt-5\.1-mini"/],
  },
  { title: 'a model id from an unset variable', model: undefined, needs: [/model/, /undefined/] },
  {
    title: 'an unknown previous response',
    options: { providerOptions: { openai: { previousResponseId: 'resp_1' } } },
    needs: [/resp_1/, /store/, /without `previousResponseId`/],
  },
  // Tools and schemas
  {
    title: 'a tool name with a space',
    options: { tools: { 'get weather': weather.get_weather } },
    needs: [WORKS],
  },
  {
    title: 'tool parameters that are no object',
    options: { tools: { get_weather: tool({ inputSchema: z.string(), execute: () => 'sunny' }) } },
    needs: [/get_weather/, /object/],
  },
  {
    title: 'tool parameters with an array without `items`',
    options: {
      tools: {
        get_weather: tool({
          inputSchema: jsonSchema({ type: 'object', properties: { cities: { type: 'array' } } }),
          execute: () => 'sunny',
        }),
      },
    },
    needs: [WORKS],
  },
  // Prompts
  {
    title: 'a tool result whose call was removed',
    options: {
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'tool',
          content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'sunny' } }],
        },
      ],
    },
    needs: [WORKS],
  },
  { title: 'an audio file', options: { messages: file('audio/wav') }, needs: [/audio/] },
  { title: 'a Word document', options: { messages: file('application/msword') }, needs: [WORKS] },
  {
    title: 'a prompt that is too long',
    at: 'tooLong',
    needs: [/context window/, /adjust your input|Send less/],
  },
  { title: 'a temperature for a reasoning model', options: { temperature: 0 }, needs: [/temperature/] },
  {
    title: 'a header with Cyrillic letters',
    settings: { headers: { 'x-title': 'Приложение' } },
    needs: [/x-title/i, /Latin-1/],
  },
  // Servers
  { title: 'no credit', at: 'quota', needs: [/quota/, /billing/, /not retryable/] },
  {
    title: 'a stream that a proxy ends',
    at: 'truncated',
    isStreamed: true,
    needs: [/response\.completed|ended|broke/],
  },
  { title: 'a document that a proxy ends', at: 'truncated', needs: [/JSON|broke/] },
];

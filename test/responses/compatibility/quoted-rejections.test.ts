import { APICallError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { ModelMemories } from '../../../src/responses/compatibility/model-memory.js';
import { REJECTION_RULES } from '../../../src/responses/compatibility/rejection-rules.js';
import { RejectionText } from '../../../src/responses/compatibility/rejection-text.js';
import { sendWithFallbacks } from '../../../src/responses/compatibility/send-with-fallbacks.js';
import type { ResponsesRequestBody } from '../../../src/responses/wire.js';

/* Rejections that quote what the caller or another server wrote. None of them may change the requests of others. */

type Body = ResponsesRequestBody & Record<string, unknown>;

/** A request that every rule would change. */
const createBody = (first: string, changes: object = {}): Body =>
  ({
    model: 'gpt-5',
    stream: true,
    store: false,
    instructions: 'Be brief.',
    previous_response_id: 'resp_1',
    temperature: 0.5,
    top_p: 1,
    max_output_tokens: 100,
    safety_identifier: 'user-1',
    user: 'user-1',
    parallel_tool_calls: false,
    include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    reasoning: { effort: 'low', summary: 'auto' },
    text: { verbosity: 'low' },
    metadata: { team: 'blue' },
    tools: [
      {
        type: 'function',
        name: 'pay',
        parameters: { type: 'object', properties: {}, additionalProperties: false },
      },
    ],
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: first }] },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'pay', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'call_1',
        output: [{ type: 'input_image', image_url: 'https://example.com/a.png' }],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Paid.' }] },
    ],
    ...changes,
  }) as unknown as Body;

/** The words of servers, at least one for each text of each rule. */
const WORDS = [
  'invalid_encrypted_content',
  'The encrypted content for item rs_1 could not be verified.',
  "Item with id 'rs_1' not found.",
  "Item 'fc_1' was provided without its required 'reasoning' item: 'rs_1'.",
  "Item 'rs_1' was provided without its required following item.",
  "Expected an ID that begins with 'rs'.",
  'unknown input item type: "reasoning"',
  'Encrypted content is not supported.',
  "item['content'] is not an array",
  'Encrypted content is not supported with this model',
  'unknown type: reasoning.encrypted_content',
  "Cannot determine type of 'item'",
  "Unknown parameter: 'input[1].type'",
  "unexpected field 'type'",
  'image input is not supported',
  'gpt-5 is not a multimodal model',
  'At most 0 image(s) may be provided',
  'does not support images',
  'Vision add-on is not loaded',
  'missing data required for image input',
  'No endpoints found that support image input',
  'image_url is only supported by certain models',
  'image inputs are not supported',
  "Supported values are: 'medium'. reasoning.effort",
  'reasoning_effort must be one of `medium`, `high`',
  "Invalid value: 'reasoning.encrypted_content'. Supported values are: 'x'. 'include[0]'",
  'must be verified to generate reasoning summaries',
  'Unsupported parameter: max_output_tokens',
  'Unknown parameter: safety_identifier',
  'Unrecognized request argument supplied: user',
  "Unsupported value: 'temperature' does not support 0.5. Only the default",
  'does not support parameter temperature',
  'Argument not supported on this model: top_p',
  "Invalid schema for function 'pay'",
  'tool_choice was set but no tools',
  'tool_choice is only allowed when tools',
  'instructions and previous_response_id together',
  "additionalProperties: property schema 'false' is not supported",
  'missing `input.status` parameter',
  "Required property 'annotations' is missing",
  "Output of tool call should be 'Input text'",
  'output must be a string',
  'Only text tool_result blocks are supported',
  'Input should be a valid string',
  'cannot unmarshal array into field output',
  'invalid_union',
  'untagged enum ModelInput',
  'Invalid Responses API request',
  'ResponseOutputMessageParam',
  'Field required: id',
  'reasoning is mandatory',
  'thinking cannot be disabled',
  'encrypted reasoning is wrong',
  'reasoning cannot be encrypted',
  'include: encrypted_content',
];

/** Texts of fields, which are no sentences. */
const FIELDS: readonly object[] = [
  { path: ['reasoning', 'effort'], options: ['medium'] },
  { options: ['medium'], path: ['reasoning', 'effort'] },
  { path: ['input', 1, 'id'] },
  { message: "Unsupported value: 'low' is not supported.", param: 'text.verbosity' },
];

interface Attack {
  /** Returns the changes of the request. */
  readonly input?: (words: string) => object;
  readonly message: (words: string) => string;
}

const slug = (words: string): string => words.replaceAll(/[^\w]+/g, '_');

const ATTACKS: Readonly<Record<string, Attack>> = {
  'the text of the user': {
    input: words => ({ metadata: { note: words } }),
    message: words => `Invalid request. Received: ${words}`,
  },
  'the text of the user, shortened': {
    input: words => ({ metadata: { note: `Please repeat: ${words} and so on, at length.` } }),
    message: words => `The request is blocked: ${words} and`,
  },
  'the text of the user, as the whole message': {
    input: words => ({ instructions: words }),
    message: words => words,
  },
  'the id of an item': {
    input: words => ({
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] },
        { type: 'item_reference', id: `msg_${slug(words)}` },
      ],
    }),
    message: words => `Item with id 'msg_${slug(words)}' not found.`,
  },
  'a URL': {
    input: words => ({ metadata: { url: `https://evil.example/?q=${encodeURIComponent(words)}` } }),
    message: words => `Error while downloading https://evil.example/?q=${words}`,
  },
  'JSON in arguments': {
    input: words => ({ metadata: { json: JSON.stringify({ deep: [{ text: words }] }) } }),
    message: words => `Could not parse the value ${words}.`,
  },
  'a line of another server': {
    message: words => `Error while downloading a file: 404, message='${words}', url='https://evil.example/'`,
  },
  'a line of another server, in double quotes': {
    message: words => `Upstream returned "${words.replaceAll('"', '')}" for the file.`,
  },
};

const errorOf = (message: string): APICallError =>
  new APICallError({
    message,
    url: 'https://api.example/v1/responses',
    requestBodyValues: {},
    statusCode: 400,
    responseBody: JSON.stringify({
      error: { message, type: 'invalid_request_error', param: null, code: null },
    }),
  });

/** Sends the same attack in two conversations. Returns what it has changed for others. */
async function learnedFrom(createError: () => APICallError, changes: object): Promise<unknown> {
  const memory = new ModelMemories().of('gpt-5');
  for (const first of ['Hello.', 'Good evening.']) {
    let isRejected = false;
    const post = async (): Promise<unknown> => {
      if (isRejected) return {};
      isRejected = true;
      throw createError();
    };
    await sendWithFallbacks(createBody(first, changes), { post, compatibility: () => ({}) }, memory).catch(
      () => {},
    );
  }
  return memory.learned;
}

const isQuoted = (words: string): boolean => words.includes("'");

describe('the words of a rejection', () => {
  it('have a sample for each text of each rule', () => {
    const samples = [
      ...WORDS.map(errorOf),
      ...FIELDS.map(fields =>
        Object.assign(errorOf('Bad'), { responseBody: JSON.stringify({ error: fields }) }),
      ),
    ].map(error => new RejectionText(error, createBody('Hello.')));
    const missing = REJECTION_RULES.flatMap(({ texts }) => texts).filter(
      text => !samples.some(sample => sample.match(text) !== undefined),
    );
    expect(missing).toEqual([]);
  });

  it('change the requests of others only after two conversations', async () => {
    const error = () => errorOf("Unsupported parameter: 'temperature' is not supported with this model.");
    const memory = new ModelMemories().of('gpt-5');
    memory.learn({ without: ['temperature'] }, { conversation: 'a', quotes: [] });
    memory.learn({ without: ['temperature'] }, { conversation: 'a', quotes: [] });
    expect(memory.learned).toBeUndefined();
    expect(await learnedFrom(error, {})).toEqual({ without: ['temperature'] });
  });

  it('change nothing after two conversations that share what they quote', () => {
    const memory = new ModelMemories().of('gpt-5');
    for (const conversation of ['a', 'b'])
      memory.learn({ images: false }, { conversation, quotes: ['same'] });
    expect(memory.learned).toBeUndefined();
  });

  it.each(['max_output_tokens', 'safety_identifier', 'user', 'parallel_tool_calls', 'tools'])(
    'never make %s disappear from the requests of others',
    async field => {
      const message =
        field === 'tools' ? "Invalid schema for function 'pay'" : `Unsupported parameter: '${field}'`;
      expect(await learnedFrom(() => errorOf(message), {})).toBeUndefined();
    },
  );
});

describe.each(Object.entries(ATTACKS))('words in %s', (name, { input, message }) => {
  it.each(WORDS)('change nothing for others: %s', async words => {
    // A quotation mark ends the line of another server: what follows is its own.
    const quoted = name.startsWith('a line') && isQuoted(words) ? words.replaceAll("'", '') : words;
    const changes = input?.(quoted) ?? {};
    expect(await learnedFrom(() => errorOf(message(quoted)), changes)).toBeUndefined();
  });
});

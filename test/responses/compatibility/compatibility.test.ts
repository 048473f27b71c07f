import { expect, it } from 'vitest';
import { applyCompatibility } from '../../../src/responses/compatibility/apply-compatibility.js';
import {
  type Compatibility,
  mergeCompatibility,
} from '../../../src/responses/compatibility/compatibility.js';
import {
  compatibilityByHost,
  compatibilityByName,
  knownServerNames,
} from '../../../src/responses/compatibility/compatibility.js';
import type { FunctionCallOutput, InputItem, ResponsesRequestBody } from '../../../src/responses/wire.js';

const question: InputItem = { role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
const reasoning: InputItem = { type: 'reasoning', id: 'rs_1', encrypted_content: 'secret', summary: [] };
const call: InputItem = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' };
const output: InputItem = { type: 'function_call_output', call_id: 'call_1', output: 'a cat' };
const answer: InputItem = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'A cat.' }],
};
const image = { type: 'input_image' as const, image_url: 'data:image/png;base64,AAAA' };

const bodyOf = (input: InputItem[], fields: Partial<ResponsesRequestBody> = {}): ResponsesRequestBody => ({
  model: 'gpt-5',
  store: false,
  input,
  ...fields,
});
const apply = (compatibility: Compatibility, input: InputItem[], fields?: Partial<ResponsesRequestBody>) =>
  applyCompatibility(bodyOf(input, fields), compatibility);

const outputOf = (content: FunctionCallOutput['output'], callId = 'call_1'): InputItem => ({
  type: 'function_call_output',
  call_id: callId,
  output: content,
});

it.each<[string, Compatibility, unknown[]]>([
  [
    'ids on the items of the model and on outputs',
    { itemIds: 'required' },
    [
      question,
      reasoning,
      { ...call, id: 'fc_input_2' },
      { ...output, id: 'fc_input_3' },
      { ...answer, id: 'msg_input_4' },
    ],
  ],
  [
    'the type of messages',
    { messageType: true },
    [{ type: 'message', ...question }, reasoning, call, output, { type: 'message', ...answer }],
  ],
  [
    'the status of the items of the model',
    { status: true },
    [
      question,
      { ...reasoning, status: 'completed' },
      { ...call, status: 'completed' },
      output,
      { ...answer, status: 'completed' },
    ],
  ],
  [
    'annotations',
    { annotations: true },
    [
      question,
      reasoning,
      call,
      output,
      { ...answer, content: [{ type: 'output_text', text: 'A cat.', annotations: [] }] },
    ],
  ],
  ['no reasoning', { reasoning: false }, [question, call, output, answer]],
])('sends %s', (_what, compatibility, expected) => {
  expect(apply(compatibility, [question, reasoning, call, output, answer]).input).toEqual(expected);
});

it('generates the same ids when the conversation continues', () => {
  const first = apply({ itemIds: 'required' }, [question, call, output]).input;
  const second = apply({ itemIds: 'required' }, [question, call, output, answer, question]).input;
  expect(second.slice(0, 3)).toEqual(first);
});

it('generates no id for items that have one, and no empty or repeated id', () => {
  const { input } = apply({ itemIds: 'required' }, [
    { ...call, id: 'fc_input_2' },
    { ...call, id: '' },
    call,
    { ...call, id: 'fc_input_2' },
  ]);
  const ids = input.map(item => 'id' in item && item.id);
  expect(ids).toEqual(['fc_input_2', 'fc_input_1', 'fc_input_2_', 'fc_input_3']);
});

it('removes the ids that require reasoning together with the reasoning', () => {
  const { input } = apply({ reasoning: false }, [
    question,
    { ...call, id: 'fc_1' },
    output,
    { ...answer, id: 'msg_1' },
  ]);
  expect(input).toEqual([question, call, output, answer]);
});

it('joins the texts of a tool output that must be a string, and replaces a file with a notice', () => {
  const content = outputOf([
    { type: 'input_text', text: 'one' },
    { type: 'input_file', filename: 'two.pdf', file_data: 'data:application/pdf;base64,AAAA' },
    image,
  ]);
  expect(apply({ toolOutput: 'string' }, [call, content]).input[1]).toEqual(
    outputOf(
      'one\n[file two.pdf omitted: this server accepts text only]\n[image omitted: this server accepts text only]',
    ),
  );
});

it('moves images after the last of parallel outputs, each with the name of its tool', () => {
  const second: InputItem = { ...call, call_id: 'call_2', name: 'draw' } as InputItem;
  const compatibility: Compatibility = { toolOutput: 'string', toolImages: 'user-message' };
  const { input } = apply(compatibility, [
    question,
    call,
    second,
    outputOf([{ type: 'input_text', text: 'seen' }, image]),
    outputOf([image], 'call_2'),
    answer,
  ]);
  expect(input.slice(3)).toEqual([
    outputOf('seen\n[image: shown in the next message]'),
    outputOf('[image: shown in the next message]', 'call_2'),
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'Images in the output of the tool look:' },
        image,
        { type: 'input_text', text: 'Images in the output of the tool draw:' },
        image,
      ],
    },
    answer,
  ]);
});

it('moves the images of the last output to the end and keeps a list of texts', () => {
  const { input } = apply({ toolImages: 'user-message' }, [
    call,
    outputOf([{ type: 'input_text', text: 'seen' }, image]),
  ]);
  expect(input[1]).toMatchObject({ output: [{ text: 'seen' }, { type: 'input_text' }] });
  expect(input[2]).toMatchObject({ role: 'user', content: [{ type: 'input_text' }, image] });
});

it('sends a notice instead of an image that the server rejects', () => {
  const { input } = apply({ toolImages: 'text' }, [call, outputOf([image])]);
  expect(input).toEqual([
    call,
    outputOf([{ type: 'input_text', text: '[image omitted: this server accepts text only]' }]),
  ]);
});

it.each<[Compatibility, string[] | undefined]>([
  [{}, ['reasoning.encrypted_content', 'file_search_call.results']],
  [{ without: ['include.reasoning.encrypted_content'] }, ['file_search_call.results']],
  [{ without: ['include'] }, undefined],
])('with %j requests %j', (compatibility, expected) => {
  const include = ['reasoning.encrypted_content', 'file_search_call.results'];
  expect(apply(compatibility, [question], { include }).include).toEqual(expected);
});

it('removes fields, and their parent if it is empty afterwards', () => {
  const body = apply({ without: ['temperature', 'text.verbosity', 'reasoning.effort'] }, [question], {
    temperature: 0,
    text: { verbosity: 'low' },
    reasoning: { effort: 'low', summary: 'auto' },
  });
  expect(body).toEqual(bodyOf([question], { reasoning: { summary: 'auto' } }));
});

it('removes `additionalProperties: false` from tool schemas, but not from a property with the name of a keyword', () => {
  const tool = (parameters: object) => ({ type: 'function', name: 'save', strict: false, parameters });
  const closed = {
    type: 'object',
    properties: {
      properties: { type: 'object', properties: {}, additionalProperties: false },
      additionalProperties: false,
      size: { enum: [{ additionalProperties: false }] },
    },
    additionalProperties: false,
  };
  const { tools } = apply({ additionalProperties: false }, [question], { tools: [tool(closed)] });
  expect(tools).toEqual([
    tool({
      type: 'object',
      properties: {
        properties: { type: 'object', properties: {} },
        additionalProperties: false,
        size: { enum: [{ additionalProperties: false }] },
      },
    }),
  ]);
});

it('sends instructions as a system message if they cannot be combined with a previous response', () => {
  const compatibility: Compatibility = { instructionsWithPreviousResponse: false };
  const body = apply(compatibility, [question], {
    instructions: 'Be brief.',
    previous_response_id: 'resp_1',
  });
  expect(body.input).toEqual([{ type: 'message', role: 'system', content: 'Be brief.' }, question]);
  expect(body).not.toHaveProperty('instructions');
  expect(apply(compatibility, [question], { instructions: 'Be brief.' }).instructions).toBe('Be brief.');
});

it.each(knownServerNames)('returns the same request if it already has the format of %s', name => {
  const compatibility = compatibilityByName(name);
  const body = bodyOf([question, reasoning, call, outputOf([image]), answer], {
    include: ['reasoning.encrypted_content'],
  });
  const formed = applyCompatibility(body, compatibility);
  expect(applyCompatibility(formed, compatibility)).toBe(formed);
});

it.each([
  ['api.openai.com', undefined],
  ['127.0.0.1', undefined],
  ['openrouter.ai.evil.test', undefined],
  ['openrouter.ai', compatibilityByName('openrouter')],
  ['api.x.ai', compatibilityByName('xai')],
  ['ark.cn-beijing.volces.com', compatibilityByName('volcengine')],
  ['router.huggingface.co', compatibilityByName('huggingface')],
])('uses the compatibility of %s', (host, compatibility) => {
  expect(compatibilityByHost(host)).toEqual(compatibility);
});

it('merges compatibilities and keeps all omitted fields', () => {
  const base: Compatibility = { status: true, reasoning: 'text', without: ['user', 'metadata'] };
  expect(mergeCompatibility(base, { reasoning: true, without: ['user', 'store'] })).toEqual({
    status: true,
    reasoning: true,
    without: ['user', 'metadata', 'store'],
  });
  expect(mergeCompatibility({}, { status: true })).toEqual({ status: true });
});

const plain: InputItem = {
  type: 'reasoning',
  id: 'rs_2',
  summary: [],
  content: [{ type: 'reasoning_text', text: 'A cat has whiskers.' }],
};

it('sends reasoning in the form that the server accepts', () => {
  const both = { ...reasoning, content: [{ type: 'reasoning_text' as const, text: 'Whiskers.' }] };
  const named: InputItem = { ...answer, id: 'msg_1' };
  expect(apply({}, [question, plain, both, named]).input).toEqual([question, reasoning, named]);
  expect(apply({}, [question, plain, named], { store: true }).input).toEqual([
    question,
    { type: 'reasoning', id: 'rs_2', summary: [] },
    named,
  ]);
  const { encrypted_content: _, ...text } = both;
  expect(apply({ reasoning: 'text' }, [question, reasoning, plain, both, answer]).input).toEqual([
    question,
    plain,
    text,
    answer,
  ]);
  expect(apply({ reasoning: false }, [question, plain, both, answer]).input).toEqual([question, answer]);
});

it('sends no reasoning with an id in front of a message without one', () => {
  const { id: _, ...unnamed } = reasoning;
  const stored: InputItem = { type: 'reasoning', id: 'rs_3', summary: [] };
  const named: InputItem = { ...answer, id: 'msg_1' };
  for (const store of [true, false]) {
    expect(apply({}, [question, reasoning, answer], { store }).input).toEqual([question, unnamed, answer]);
    for (const items of [
      [question, reasoning, call],
      [question, reasoning, named],
    ])
      expect(apply({}, items, { store }).input).toEqual(items);
  }
  // Only the message that lost its reasoning loses its id.
  const input = [question, stored, answer, question, stored, named];
  expect(apply({}, input, { store: true }).input).toEqual([question, answer, question, stored, named]);
  expect(apply({ itemIds: 'required' }, [question, reasoning, answer], { store: true }).input).toEqual([
    question,
    reasoning,
    { ...answer, id: 'msg_input_2' },
  ]);
});

it('adds and removes the type of messages', () => {
  const untyped: InputItem = { role: 'assistant', content: [{ type: 'output_text', text: 'A cat.' }] };
  expect(apply({}, [question, answer]).input).toEqual([question, answer]);
  expect(apply({ messageType: false }, [question, answer]).input).toEqual([question, untyped]);
  expect(apply({ messageType: true }, [question, answer]).input).toEqual([
    { type: 'message', ...question },
    answer,
  ]);
});

it('sends instructions as a system message to servers without the role of developers', () => {
  const developer: InputItem = { role: 'developer', content: 'Be brief.' };
  expect(apply(compatibilityByName('huggingface'), [developer, question]).input).toEqual([
    { role: 'system', content: 'Be brief.' },
    question,
  ]);
  expect(apply({}, [developer, question]).input).toEqual([developer, question]);
});

it('replaces all images with texts for models that read text only', () => {
  const notice = { type: 'input_text', text: '[image omitted: this model accepts text only]' };
  const text = { type: 'input_text' as const, text: 'Who?' };
  const items: InputItem[] = [{ role: 'user', content: [text, image] }, call, outputOf([text, image])];
  const user = { role: 'user', content: [text, notice] };
  expect(apply({ images: false }, items).input).toEqual([user, call, { ...output, output: [text, notice] }]);
  expect(apply({ images: false, toolOutput: 'string' }, items).input).toEqual([
    user,
    call,
    { ...output, output: `Who?\n${notice.text}` },
  ]);
});

it.each([
  ['xhigh', ['none', 'low', 'medium', 'high'], 'high'],
  ['minimal', ['none', 'low'], 'low'],
  ['none', ['low', 'high'], 'low'],
  ['medium', ['low', 'high'], 'low'],
  ['low', ['low'], 'low'],
  ['turbo', ['low'], 'turbo'],
])('replaces the effort %s, if only %j are accepted, with %s', (effort, efforts, sent) => {
  expect(apply({ efforts }, [question], { reasoning: { effort, summary: 'auto' } }).reasoning).toEqual({
    effort: sent,
    summary: 'auto',
  });
});

it('omits fields of items and values of lists', () => {
  const body = apply(
    { without: ['input.phase', 'include.message.output_text.logprobs', 'prompt_cache_options.ttl'] },
    [question, { type: 'message', role: 'assistant', content: [], phase: 'commentary' }],
    { include: ['message.output_text.logprobs'], prompt_cache_options: { ttl: '12h' } },
  );
  expect(body).toEqual(bodyOf([question, { type: 'message', role: 'assistant', content: [] }]));
});

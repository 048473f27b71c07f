import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EVENT_HANDLERS } from '../../src/responses/stream/event-handlers.js';
import { type CallOptions, callModel, isNamed, toAssistantMessage, toCamelCase } from './_calls.js';
import { CONVERSATIONS } from './_conversations.js';
import { readDeclaredTypes, type Sample } from './_declared-types.js';
import { IGNORED_EVENTS } from './_ignored-events.js';
import { NOT_SUPPORTED } from './_not-supported.js';

const argumentsOf = (factory: string): string => `Args<typeof official.openai.tools.${factory}>`;

/** The tools of the official provider: its factories by the id of the tool. */
const FACTORIES = {
  'openai.apply_patch': 'applyPatch',
  'openai.code_interpreter': 'codeInterpreter',
  'openai.computer': 'computer',
  'openai.custom': 'customTool',
  'openai.file_search': 'fileSearch',
  'openai.image_generation': 'imageGeneration',
  'openai.local_shell': 'localShell',
  'openai.mcp': 'mcp',
  'openai.programmatic_tool_calling': 'programmaticToolCalling',
  'openai.shell': 'shell',
  'openai.tool_search': 'toolSearch',
  'openai.web_search': 'webSearch',
  'openai.web_search_preview': 'webSearchPreview',
} as const;

const types = readDeclaredTypes({
  ProviderOptions: 'official.OpenAILanguageModelResponsesOptions',
  SystemOptions: 'official.OpenAIResponsesSystemMessageOptions',
  ToolResultOptions: 'official.OpenAIResponsesToolResultOptions',
  FunctionOptions: 'official.OpenAIToolOptions',
  Factories: 'typeof official.openai.tools',
  Request: 'responses.ResponseCreateParamsBase',
  InputItem: 'responses.ResponseInputItem',
  OutputItem: 'responses.ResponseOutputItem',
  StreamEvent: 'responses.ResponseStreamEvent',
  Tool: 'responses.Tool',
  Includable: 'responses.ResponseIncludable',
  ErrorCode: "responses.ResponseError['code']",
  ...Object.fromEntries(Object.values(FACTORIES).map(factory => [factory, argumentsOf(factory)])),
});

const json = (value: unknown): string => JSON.stringify(value);
const listed = (section: keyof typeof NOT_SUPPORTED, name: string): boolean =>
  Object.hasOwn(NOT_SUPPORTED[section], name);

/** A call in which every option can have an effect. */
const functionTool = { type: 'function', name: 'sample', inputSchema: { type: 'object', properties: {} } };
const webSearch = { type: 'provider-defined', id: 'openai.web_search', name: 'web_search', args: {} };
const baseCall: CallOptions = {
  tools: [functionTool, webSearch],
  responseFormat: {
    type: 'json',
    schema: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
  temperature: 0.5,
  prompt: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [{ type: 'text', text: 'hi' }],
    },
  ],
};
const audio = { role: 'user', content: [{ type: 'file', data: 'AA==', mediaType: 'audio/x-sample' }] };

/** Calls for options that need special content. */
const CALL_FOR: Readonly<Record<string, CallOptions>> = {
  passThroughUnsupportedFiles: { ...baseCall, prompt: [audio] },
  // The first schema of the base call is strict by default.
  textFormat: { ...baseCall, responseFormat: undefined },
};

/** Samples that the declared type does not describe. */
const SAMPLES_FOR: Readonly<Record<string, readonly Sample[]>> = {
  textFormat: [{ type: 'json_schema', name: 'answer', schema: { type: 'object', properties: {} } }],
  metadata: [{ customer: 'sample' }],
};

const MODELS = ['gpt-6-sol', 'gpt-5', 'sample-model'];

/** Returns true if an option changes the request of some model, or if a warning or error names it. */
async function hasEffect(base: CallOptions, changed: CallOptions, name: string): Promise<boolean> {
  for (const modelId of MODELS) {
    const [before, after] = await Promise.all([
      callModel(base, { modelId }),
      callModel(changed, { modelId }),
    ]);
    // Unknown options are named, too, which helps against typing errors. It is no support.
    const named = { ...after, warnings: after.warnings.filter(warning => !isUnknownOption(warning)) };
    if (isNamed(named, name) && !isNamed(before, name)) return true;
    if (after.error === undefined && json(before.request?.body) !== json(after.request?.body)) return true;
    if (before.error !== undefined && after.error === undefined) return true;
  }
  return false;
}

const isUnknownOption = (warning: object): boolean => /unknown|not known/i.test(json(warning));

describe('options of the official provider', () => {
  it.each([...types.propertiesOf('ProviderOptions')])(
    '%s is sent or refused by name',
    async (name, declared) => {
      const samples = SAMPLES_FOR[name] ?? declared;
      expect(samples.length).toBeGreaterThan(0);
      const base = CALL_FOR[name] ?? baseCall;
      const effects = await Promise.all(
        samples.map(value =>
          hasEffect(base, { ...base, providerOptions: { openai: { [name]: value } } } as CallOptions, name),
        ),
      );
      // One of the two values of a boolean is the default. Every other value has an effect.
      const isBoolean = samples.every(value => typeof value === 'boolean');
      const without = samples.filter((_, index) => !effects[index]);
      if (listed('provider options', name)) expect(without).toHaveLength(samples.length);
      else if (isBoolean) expect(without.length).toBeLessThan(samples.length);
      else expect(without.filter(value => !isDefault(name, value))).toEqual([]);
    },
  );
});

/** Values that are also sent without the option. */
const isDefault = (name: string, value: Sample): boolean =>
  (name === 'logprobs' && value === false) ||
  (name === 'systemMessageMode' && (value === 'developer' || value === 'system')) ||
  (name === 'include' && json(value) === json(['reasoning.encrypted_content']));

describe('options of messages of the official provider', () => {
  const user = { role: 'user', content: [{ type: 'text', text: 'hi' }] };

  it.each([...types.propertiesOf('SystemOptions')])(
    '%s of a system message is sent',
    async (name, samples) => {
      for (const value of samples) {
        const prompt = [
          { role: 'system', content: '', providerOptions: { openai: { [name]: value } } },
          user,
        ];
        const { request, error } = await callModel({ prompt }, { modelId: 'gpt-6-sol' });
        expect(error).toBeUndefined();
        const [first] = request?.body.input as Record<string, unknown>[];
        expect(first?.type).toBe(name === 'additionalTools' ? 'additional_tools' : 'configuration_update');
      }
    },
  );

  it.each([...types.propertiesOf('ToolResultOptions')])(
    '%s of a tool result is sent',
    async (name, samples) => {
      for (const value of samples) {
        const { request, error } = await callModel(
          {
            tools: [functionTool],
            prompt: [
              user,
              {
                role: 'assistant',
                content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'sample', input: {} }],
              },
              {
                role: 'tool',
                content: [
                  {
                    type: 'tool-result',
                    toolCallId: 'call_1',
                    toolName: 'sample',
                    output: { type: 'text', value: 'ok' },
                    providerOptions: { openai: { [name]: value } },
                  },
                ],
              },
            ],
          },
          { modelId: 'gpt-6-sol' },
        );
        expect(error).toBeUndefined();
        const input = request?.body.input as Record<string, unknown>[];
        expect(input.at(-1)?.type).toBe('additional_tools');
      }
    },
  );
});

describe('options of function tools of the official provider', () => {
  it.each([...types.propertiesOf('FunctionOptions')])(
    '%s is sent or refused by name',
    async (name, samples) => {
      const effects = await Promise.all(
        samples.map(value => {
          const tool = { ...functionTool, providerOptions: { openai: { [name]: value } } };
          return hasEffect(baseCall, { ...baseCall, tools: [tool, webSearch] }, name);
        }),
      );
      const isBoolean = samples.every(value => typeof value === 'boolean');
      if (isBoolean) expect(effects).toContain(true);
      else expect(effects).not.toContain(false);
    },
  );
});

it('knows every hosted tool of the official provider', () => {
  const factories = [...types.propertiesOf('Factories').keys()];
  expect(factories.toSorted()).toEqual(Object.values(FACTORIES).toSorted());
});

/** Options that every tool of the AI SDK has, whoever defines it. */
const COMMON_OPTIONS: ReadonlySet<string> = new Set(types.propertiesOf('localShell').keys());

const toolOptions = Object.entries(FACTORIES).flatMap(([id, factory]) =>
  [...types.propertiesOf(factory)]
    .filter(([name]) => factory === 'localShell' || !COMMON_OPTIONS.has(name))
    .filter(([name, samples]) => samples.length > 0 && !COMMON_OPTIONS.has(name))
    .map(([name, samples]) => ({ id, name, samples })),
);

describe('tool options of the official provider', () => {
  it.each(toolOptions)('$id: $name is sent or refused by name', async ({ id, name, samples }) => {
    const key = `${id} ${name}`;
    const declare = (args: Record<string, Sample>): CallOptions => ({
      tools: [{ type: 'provider-defined', id, name: 'declared', args }],
    });
    for (const value of samples) {
      const effect =
        DEFAULT_TOOL_OPTIONS.has(`${key} ${json(value)}`) ||
        (await hasEffect(declare({}), declare({ [name]: value }), name));
      expect(`${json(value)}: ${String(effect)}`).toBe(
        `${json(value)}: ${String(!listed('tool options', key))}`,
      );
    }
  });
});

/** Values that are also sent without the option. */
const DEFAULT_TOOL_OPTIONS: ReadonlySet<string> = new Set(['openai.mcp requireApproval "never"']);

const apiTools = [...types.membersOf('Tool')].filter(([type]) => type !== 'function' && type !== 'namespace');

describe('hosted tools of the API', () => {
  it.each(apiTools)('%s: every field can be sent', async (type, properties) => {
    const id = `openai.${type.replace('computer_use_preview', 'computer_use')}`;
    const missing: string[] = [];
    for (const [field, samples] of properties) {
      // The name of a custom tool is the one under which the host declares it.
      if (field === 'type' || field === 'name' || listed('tool options', `${type} ${field}`)) continue;
      const [name] = Object.keys(toCamelCase({ [field]: true }));
      for (const value of samples) {
        const args = { [String(name)]: toCamelCase(value) };
        const { request, error } = await callModel({
          tools: [{ type: 'provider-defined', id, name: 'declared', args }],
        });
        const [tool = {}] = (request?.body.tools ?? []) as Record<string, unknown>[];
        if (tool.type !== type) missing.push(`type: ${json(tool.type)}`);
        if (error !== undefined || !containsAll(tool[field], value)) missing.push(`${field}: ${json(value)}`);
      }
    }
    expect(missing).toEqual([]);
  });
});

it.each(['web_search_2025_08_26', 'web_search_preview_2025_03_11'])(
  'calls of %s have the name of its declaration, and their sources are requested',
  async type => {
    const { request, content } = await callModel(
      { tools: [{ type: 'provider-defined', id: `openai.${type}`, name: 'find', args: {} }] },
      { output: [{ type: 'web_search_call', ...ITEM_FIELDS.web_search_call }] },
    );
    expect(request?.body.include).toContain('web_search_call.action.sources');
    expect(content.map(part => ('toolName' in part ? part.toolName : part.type))).toEqual(['find', 'find']);
  },
);

/** Returns true if a value has all names and literals of a sample. */
function containsAll(value: unknown, sample: Sample): boolean {
  if (Array.isArray(sample))
    return Array.isArray(value) && sample.every((item, index) => containsAll(value[index], item));
  if (typeof sample !== 'object') return value === sample;
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(sample).every(([name, item]) =>
      containsAll((value as Record<string, unknown>)[name], item),
    )
  );
}

it('has an option for every parameter of a request', async () => {
  const sent = new Set<string>();
  const calls: [CallOptions, string?][] = [
    [
      { ...baseCall, maxOutputTokens: 9, temperature: 1, topP: 1, toolChoice: { type: 'required' } },
      'sample-model',
    ],
    ...[...types.propertiesOf('ProviderOptions')].flatMap(([name, samples]) =>
      (SAMPLES_FOR[name] ?? samples).map((value): [CallOptions] => [
        { ...(CALL_FOR[name] ?? baseCall), providerOptions: { openai: { [name]: value } } } as CallOptions,
      ]),
    ),
    [{ ...baseCall, providerOptions: { kelivo: { background: true } } }],
    ...[...types.propertiesOf('Request')].flatMap(([field, samples]) => {
      const [name = ''] = Object.keys(toCamelCase({ [field]: true }));
      const openai = { [name]: toCamelCase(samples[0] ?? 'sample') };
      return [[{ ...baseCall, providerOptions: { openai } } as CallOptions] as [CallOptions]];
    }),
  ];
  for (const [options, modelId] of calls) {
    const { request } = await callModel(options, { modelId, stream: true });
    for (const name of Object.keys(request?.body ?? {})) sent.add(name);
  }
  const missing = [...types.propertiesOf('Request').keys()].filter(name => !sent.has(name));
  expect(missing.toSorted()).toEqual(Object.keys(NOT_SUPPORTED['request parameters']).toSorted());
});

/** A complete item of a type, as the server sends it. */
function toItem(type: string, properties: ReadonlyMap<string, readonly Sample[]>): Record<string, Sample> {
  const item = Object.fromEntries(
    [...properties].flatMap(([name, [first]]) => (first === undefined ? [] : [[name, first] as const])),
  );
  return {
    ...item,
    type,
    ...('id' in item && { id: ID }),
    ...('call_id' in item && { call_id: 'call_1' }),
    ...ITEM_FIELDS[type],
  };
}

const ID = 'item_1';

/** Fields whose values the types do not describe. */
const ITEM_FIELDS: Readonly<Record<string, Record<string, Sample>>> = {
  message: {
    role: 'assistant',
    content: [{ type: 'output_text', text: 'sample', annotations: [] }],
    status: 'completed',
  },
  function_call: { name: 'sample', arguments: '{}', status: 'completed' },
  custom_tool_call: { name: 'custom', input: 'sample' },
  code_interpreter_call: { status: 'completed', id: 'ci_1' },
  file_search_call: { status: 'completed', id: 'fs_1' },
  web_search_call: {
    status: 'completed',
    id: 'ws_1',
    action: { type: 'search', query: 'x', queries: ['x'] },
  },
  image_generation_call: { status: 'completed', id: 'ig_1', result: 'AA==' },
  mcp_call: { id: 'mcp_1', status: 'completed', arguments: '{}' },
  tool_search_call: { status: 'completed' },
  shell_call: { status: 'completed' },
};

const outputItems = [...types.membersOf('OutputItem')].map(
  ([type, properties]) => [type, toItem(type, properties)] as const,
);

const declaredTools = [
  functionTool,
  ...Object.keys(FACTORIES).map(id => ({
    type: 'provider-defined',
    id,
    name: id.replace('openai.', ''),
    args: { vectorStoreIds: ['vs_1'], serverLabel: 'docs', serverUrl: 'https://mcp.example.com/mcp' },
  })),
];

/** Lets a server send an item and a message, lets the host answer its call, and returns the next request. */
async function replay(item: unknown, { store }: { store: boolean }) {
  const end = { type: 'message', id: 'msg_2', ...ITEM_FIELDS.message };
  const first = await callModel({ tools: declaredTools }, { output: [item, end] });
  expect(first.error).toBeUndefined();
  const user = { role: 'user', content: [{ type: 'text', text: 'go on' }] };
  const calls = first.content.filter(part => part.type === 'tool-call' && part.providerExecuted !== true);
  const results = {
    role: 'tool',
    content: calls.map(call => ({
      ...call,
      type: 'tool-result',
      output: { type: 'json', value: SCREENSHOT },
    })),
  };
  const prompt = [user, toAssistantMessage(first.content), ...(calls.length > 0 ? [results] : []), user];
  const second = await callModel({ tools: declaredTools, prompt, providerOptions: { openai: { store } } });
  expect(second.error).toBeUndefined();
  const input = (second.request?.body.input ?? []) as Record<string, unknown>[];
  return { first, second, input };
}

/** A result that every tool of the host can express. */
const SCREENSHOT = { output: { type: 'computer_screenshot', imageUrl: 'data:image/png;base64,AA==' } };

describe('output items', () => {
  it.each(outputItems)('%s goes back to the server or is named', async (type, item) => {
    for (const store of [false, true]) {
      const { second, input } = await replay(item, { store });
      const isSent = input.some(
        sent =>
          sent.type === type ||
          (sent.type === 'item_reference' && sent.id === item.id) ||
          (type === 'message' && sent.role === 'assistant'),
      );
      const isReported = isNamed(second, type.replace(/_(?:call|output)$/, ''));
      const where = `${type}, store ${String(store)}: `;
      expect(`${where}${String(isSent || isReported)}`).toBe(
        `${where}${String(!listed('output items', type))}`,
      );
    }
  });

  it.each(outputItems.filter(([type]) => type !== 'function_call'))(
    '%s is no call that the host does not know',
    async (_type, item) => {
      const { content } = await callModel({}, { output: [item] });
      const calls = content.filter(part => part.type === 'tool-call');
      expect(calls.filter(({ providerExecuted }) => providerExecuted !== true)).toEqual([]);
    },
  );
});

it('sends every input item', async () => {
  const sent = new Set<string>();
  const add = (input: unknown): void => {
    for (const item of input as Record<string, unknown>[]) sent.add(String(item.type ?? 'message'));
  };
  for (const [, item] of outputItems) {
    for (const store of [false, true]) add((await replay(item, { store })).input);
  }
  for (const options of Object.values(CONVERSATIONS)) {
    const { request, error } = await callModel(options, { modelId: 'gpt-6-sol' });
    expect(error).toBeUndefined();
    add(request?.body.input ?? []);
  }
  const missing = [...types.membersOf('InputItem').keys()].filter(type => !sent.has(type));
  expect(missing.toSorted()).toEqual(Object.keys(NOT_SUPPORTED['input items']).toSorted());
});

it('handles every event of a stream with new content', () => {
  const events = [...types.membersOf('StreamEvent').keys()];
  const unhandled = events.filter(type => !EVENT_HANDLERS.has(type) && !IGNORED_EVENTS.includes(type));
  expect(unhandled.toSorted()).toEqual(Object.keys(NOT_SUPPORTED['stream events']).toSorted());
});

it('accepts every value of include', async () => {
  for (const value of types.literalsOf('Includable')) {
    const { request } = await callModel({ providerOptions: { openai: { include: [value] } } });
    expect(request?.body.include).toContain(value);
  }
});

/** Codes after which the same request may succeed. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  'server_error',
  'rate_limit_exceeded',
  'vector_store_timeout',
]);

it.each(types.literalsOf('ErrorCode'))('classifies the error %s', async code => {
  const { error } = await callModel({}, { failure: { code, message: 'sample' } });
  expect(error).toMatchObject({ statusCode: expect.any(Number), isRetryable: RETRYABLE_CODES.has(code) });
});

const guide = new URL('../differential/README.md', import.meta.url);
const START = '<!-- not supported: written by test/parity/parity.test.ts with UPDATE_TABLE=1 -->';
const END = '<!-- end of not supported -->';

it('lists in the guide what is not supported', () => {
  const rows = Object.entries(NOT_SUPPORTED).flatMap(([section, entries]) =>
    Object.entries(entries).map(([name, reason]) => `| ${section} | \`${name}\` | ${String(reason)} |`),
  );
  const table = ['| kind | name | reason |', '| --- | --- | --- |', ...rows].join('\n');
  const text = readFileSync(guide, 'utf8');
  const [before, rest = ''] = text.split(START);
  const [current = '', after] = rest.split(END);
  if (process.env.UPDATE_TABLE === '1') {
    writeFileSync(guide, `${before}${START}\n\n${table}\n\n${END}${after}`);
    return;
  }
  expect(current.trim()).toBe(table);
});

import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { InvalidArgumentError, type JSONSchema7 } from '@ai-sdk/provider';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readProviderOptions } from '../../../src/responses/request/read-options.js';
import { build, user } from './_build.js';

const withOpenai = (openai: Record<string, unknown>, kelivo?: Record<string, unknown>) =>
  ({ providerOptions: { openai, ...(kelivo && { kelivo }) } }) as Partial<LanguageModelV2CallOptions>;

describe('the defaults of a request', () => {
  it('stores nothing and requests encrypted reasoning for every model name', () => {
    for (const modelId of ['gpt-5', 'openai/gpt-5', 'qwen3:8b']) {
      expect(build({}, { modelId }).body).toEqual({
        model: modelId,
        store: false,
        include: ['reasoning.encrypted_content'],
        input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
      });
    }
  });

  it('requests no encrypted reasoning from models that are known to reject it', () => {
    for (const modelId of ['gpt-4o', 'openai/gpt-4.1-mini', 'gpt-5-chat-latest']) {
      expect(build({}, { modelId }).body).not.toHaveProperty('include');
    }
  });

  it('requests a stream only for a streaming call', () => {
    expect(build({}, { stream: true }).body.stream).toBe(true);
    expect(build().body).not.toHaveProperty('stream');
  });

  it('requests no encrypted reasoning if the server stores it', () => {
    const { body } = build({}, { store: true });
    expect(body.store).toBe(true);
    expect(body).not.toHaveProperty('include');
  });

  it('lets a call set `store`, with `kelivo` taking precedence over `openai`', () => {
    expect(build(withOpenai({ store: true })).body.store).toBe(true);
    expect(build(withOpenai({ store: true }, { store: false })).body.store).toBe(false);
    expect(build(withOpenai({ store: null }), { store: true }).body.store).toBe(true);
  });
});

describe('provider options', () => {
  it.each([
    ['conversation', 'conv_1', { conversation: 'conv_1' }],
    ['instructions', 'Be brief.', { instructions: 'Be brief.' }],
    ['maxToolCalls', 3, { max_tool_calls: 3 }],
    ['metadata', { a: 'b' }, { metadata: { a: 'b' } }],
    ['parallelToolCalls', false, { parallel_tool_calls: false }],
    ['previousResponseId', 'resp_1', { previous_response_id: 'resp_1' }],
    ['promptCacheKey', 'k', { prompt_cache_key: 'k' }],
    [
      'promptCacheOptions',
      { mode: 'explicit', ttl: '30m' },
      { prompt_cache_options: { mode: 'explicit', ttl: '30m' } },
    ],
    [
      'promptCacheOptions',
      { ttl: '12h', prewarm: true, comparisonResponseId: 'resp_0' },
      { prompt_cache_options: { ttl: '12h', prewarm: true, comparison_response_id: 'resp_0' } },
    ],
    [
      'contextManagement',
      [{ type: 'compaction', compactThreshold: 9 }],
      { context_management: [{ type: 'compaction', compact_threshold: 9 }] },
    ],
    [
      'prompt',
      { id: 'p', version: '2', variables: { a: 'b' } },
      { prompt: { id: 'p', variables: { a: 'b' } } },
    ],
    ['moderation', { model: 'm', policy: { input: { mode: 'block' } } }, { moderation: { model: 'm' } }],
    ['image', { contextCompression: 'disabled' }, { image: { context_compression: 'disabled' } }],
    ['accessPrograms', { cyber: 'standard' }, { access_programs: { cyber: 'standard' } }],
    [
      'multiAgent',
      { enabled: true, maxConcurrentSubagents: 2 },
      { multi_agent: { enabled: true, max_concurrent_subagents: 2 } },
    ],
    ['textFormat', { type: 'text' }, { text: { format: { type: 'text' } } }],
    ['promptCacheRetention', '24h', { prompt_cache_retention: '24h' }],
    ['reasoningEffort', 'high', { reasoning: { effort: 'high' } }],
    ['reasoningSummary', 'auto', { reasoning: { summary: 'auto' } }],
    ['reasoningMode', 'pro', { reasoning: { mode: 'pro' } }],
    ['reasoningContext', 'all_turns', { reasoning: { context: 'all_turns' } }],
    ['safetyIdentifier', 's', { safety_identifier: 's' }],
    ['serviceTier', 'flex', { service_tier: 'flex' }],
    ['textVerbosity', 'low', { text: { verbosity: 'low' } }],
    ['truncation', 'auto', { truncation: 'auto' }],
    ['user', 'u', { user: 'u' }],
    ['logprobs', true, { top_logprobs: 20 }],
    ['logprobs', 5, { top_logprobs: 5 }],
  ])('sends %s', (key, value, expected) => {
    const { body, warnings } = build(withOpenai({ [key]: value }));
    expect(body).toMatchObject(expected);
    expect(warnings).toEqual([]);
  });

  it('reads the same keys from `kelivo`, which take precedence', () => {
    const { body } = build(withOpenai({ user: 'a', instructions: 'x' }, { user: 'b' }));
    expect(body).toMatchObject({ user: 'b', instructions: 'x' });
  });

  it("keeps the caller's includes and adds its own", () => {
    const { body } = build(withOpenai({ include: ['file_search_call.results'], logprobs: true }));
    expect(body.include).toEqual([
      'file_search_call.results',
      'message.output_text.logprobs',
      'reasoning.encrypted_content',
    ]);
  });

  it.each([
    ['serviceTier', 'hyperfast', { service_tier: 'hyperfast' }],
    ['serviceTier', 'ultrafast', { service_tier: 'ultrafast' }],
    ['promptCacheOptions', { ttl: '7d', mode: 'new' }, { prompt_cache_options: { ttl: '7d', mode: 'new' } }],
    ['promptCacheRetention', '7d', { prompt_cache_retention: '7d' }],
    ['reasoningEffort', 'extreme', { reasoning: { effort: 'extreme' } }],
    ['reasoningMode', 'new', { reasoning: { mode: 'new' } }],
    ['include', ['something.new'], { include: ['something.new', 'reasoning.encrypted_content'] }],
    ['textVerbosity', 'extreme', { text: { verbosity: 'extreme' } }],
    ['truncation', 'new', { truncation: 'new' }],
  ])('sends a value of %s that the API added later', (key, value, expected) => {
    const { body, warnings } = build(withOpenai({ [key]: value }));
    expect(body).toMatchObject(expected);
    expect(warnings).toEqual([]);
  });

  it('places a compaction trigger at the end of the input', () => {
    const { body } = build(withOpenai({ compactionTrigger: true, reasoningEffortUpdate: 'none' }), {
      modelId: 'gpt-6-sol',
    });
    expect(body.input.map(({ type }) => type)).toEqual([
      'configuration_update',
      'message',
      'compaction_trigger',
    ]);
  });

  it('sends stream options with a stream only', () => {
    const options = withOpenai({ streamOptions: { includeObfuscation: false } });
    expect(build(options, { stream: true }).body).toMatchObject({
      stream_options: { include_obfuscation: false },
    });
    expect(build(options).body).not.toHaveProperty('stream_options');
  });

  it('does not include the sources of web searches on request', () => {
    const tools = [
      { type: 'provider-defined' as const, id: 'openai.web_search' as const, name: 'web_search', args: {} },
    ];
    const options = withOpenai({ includeWebSearchSources: false });
    expect(build({ ...options, tools }).body.include).toEqual(['reasoning.encrypted_content']);
  });

  it('lets a call set the role of system messages', () => {
    const prompt: LanguageModelV2CallOptions['prompt'] = [{ role: 'system', content: 's' }, user('hi')];
    for (const role of ['system', 'developer'] as const) {
      const options = { ...withOpenai({ systemMessageMode: role }), prompt };
      expect(build(options, { systemMessageMode: 'remove' }).body.input[0]).toMatchObject({ role });
    }
  });

  it('treats a model as a reasoning model on request', () => {
    const options = { ...withOpenai({ forceReasoning: true }), temperature: 1 };
    const { body, warnings } = build(
      { ...options, prompt: [{ role: 'system', content: 's' }, user('hi')] },
      { modelId: 'stealth' },
    );
    expect(body.input[0]).toMatchObject({ role: 'developer' });
    expect(body).not.toHaveProperty('temperature');
    expect(warnings).toMatchObject([{ setting: 'temperature' }]);
    const off = { ...withOpenai({ forceReasoning: false, reasoningEffort: 'low' }), temperature: 1 };
    expect(build(off).body).toMatchObject({ temperature: 1 });
    expect(build(off).body).not.toHaveProperty('reasoning');
  });

  it('sends audio only on request', () => {
    const prompt: LanguageModelV2CallOptions['prompt'] = [
      { role: 'user', content: [{ type: 'file', data: 'AAEC', mediaType: 'audio/wav' }] },
    ];
    expect(() => build({ prompt })).toThrow('passThroughUnsupportedFiles');
    expect(build({ ...withOpenai({ passThroughUnsupportedFiles: true }), prompt }).body.input).toMatchObject([
      { content: [{ type: 'input_file', file_data: 'data:audio/wav;base64,AAEC' }] },
    ]);
  });

  it('uses the format of the option in place of that of the call', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'object', propertyNames: { pattern: 'a' } } },
    };
    const { body, warnings } = build({
      ...withOpenai({ textFormat: { type: 'json_schema', name: 'own', schema } }),
      responseFormat: { type: 'json' },
    });
    expect(body.text).toEqual({
      format: {
        type: 'json_schema',
        name: 'own',
        schema: { ...schema, properties: { a: { type: 'object' } } },
      },
    });
    expect(warnings).toMatchObject([{ message: expect.stringContaining('propertyNames') }]);
    expect(() => build(withOpenai({ textFormat: { type: 'json_schema' } }))).toThrow('textFormat');
  });

  it('reads the namespace `azure` for Azure only, as a whole', () => {
    const options = {
      providerOptions: {
        azure: { user: 'a' },
        openai: { instructions: 'o' },
        kelivo: { metadata: { k: '1' } },
      },
    };
    const { body } = build(options, { official: 'azure' });
    expect(body).toMatchObject({ user: 'a', metadata: { k: '1' } });
    expect(body).not.toHaveProperty('instructions');
    expect(build(options).body).toMatchObject({ instructions: 'o' });
    const { azure: _, ...withoutAzure } = options.providerOptions;
    expect(build({ providerOptions: withoutAzure }, { official: 'azure' }).body).toMatchObject({
      instructions: 'o',
    });
    expect(() => build({ providerOptions: { azure: { user: 1 } } }, { official: 'azure' })).toThrow(
      '`providerOptions.azure.user`',
    );
  });

  it('warns about unknown keys inside of options', () => {
    const { warnings } = build(
      withOpenai({ promptCacheOptions: { prewarn: true }, contextManagement: [{ type: 'x', limit: 1 }] }),
    );
    expect(warnings.map(warning => 'message' in warning && warning.message)).toEqual([
      expect.stringContaining('`providerOptions.openai.promptCacheOptions.prewarn` is unknown'),
      expect.stringContaining('`providerOptions.openai.contextManagement.limit` is unknown'),
    ]);
    expect(warnings[0]).toMatchObject({ message: expect.stringContaining('Did you mean `prewarm`?') });
  });

  it('adds the request fields of the option `body` of `kelivo`', () => {
    const body = { top_k: 4, user: undefined };
    expect(build(withOpenai({}, { body })).extraFields).toEqual(body);
    expect(build(withOpenai({ body })).extraFields).toEqual({});
    expect(build(withOpenai({ body })).warnings).toHaveLength(1);
  });

  it.each([
    ['input', 'the messages of the call'],
    ['stream', '`streamText` or `generateText`'],
    ['store', 'the option `store`'],
    ['previous_response_id', 'the option `previousResponseId`'],
    ['conversation', 'the option `conversation`'],
    ['tool_choice', '`toolChoice` or the option `allowedTools`'],
  ])('refuses %s in `body`', (field, instead) => {
    expect(() => build(withOpenai({}, { body: { [field]: true } }))).toThrow(
      `Invalid value for \`providerOptions.kelivo.body.${field}\`. Expected ${instead} instead`,
    );
  });

  it('refuses a `body` that is no object', () => {
    expect(() => build(withOpenai({}, { body: 'top_k' }))).toThrow('`providerOptions.kelivo.body`');
  });

  it('ignores unknown keys and null', () => {
    const { body } = build(withOpenai({ unknown: 1, user: null }, { executors: () => {} }));
    expect(Object.keys(body).sort()).toEqual(['include', 'input', 'model', 'store']);
  });

  it.each([
    [{ serviceTier: 1 }, 'providerOptions.openai.serviceTier', '1'],
    [{ store: 'no' }, 'providerOptions.openai.store', '"no"'],
    [{ logprobs: 21 }, 'providerOptions.openai.logprobs', '21'],
    [{ promptCacheOptions: { ttl: 1 } }, 'providerOptions.openai.promptCacheOptions.ttl', '1'],
    [{ include: [1] }, 'providerOptions.openai.include.0', '1'],
  ])('reports the invalid value in %j', (openai, argument, got) => {
    const attempt = () => build(withOpenai(openai));
    expect(attempt).toThrow(InvalidArgumentError);
    expect(attempt).toThrow(`Invalid value for \`${argument}\`.`);
    expect(attempt).toThrow(`got ${got}.`);
  });

  it('are read from accessors of a class', () => {
    class Options {
      get reasoningEffort() {
        return 'low';
      }
    }
    expect(build({ providerOptions: { openai: new Options() } }).body.reasoning).toMatchObject({
      effort: 'low',
    });
  });

  it('are those of the object alone, whatever its prototype has got', () => {
    const { prototype } = Object;
    Object.defineProperty(prototype, 'polluted', {
      value: 'x',
      enumerable: true,
      configurable: true,
      writable: true,
    });
    onTestFinished(() => void Reflect.deleteProperty(prototype, 'polluted'));
    expect(build(withOpenai({ reasoningEffort: 'low' })).body.reasoning).toMatchObject({ effort: 'low' });
    const settings = Object.create({ store: true }) as Parameters<typeof readProviderOptions>[1];
    expect(readProviderOptions({ providerOptions: {}, own: {} }, settings)).not.toHaveProperty('store');
  });

  it('reports the namespace of the invalid value', () => {
    expect(() => build(withOpenai({}, { user: 1 }))).toThrow('`providerOptions.kelivo.user`');
  });

  it('warns about a conversation with a previous response and sends both', () => {
    const { body, warnings } = build(withOpenai({ conversation: 'c', previousResponseId: 'r' }));
    expect(body).toMatchObject({ conversation: 'c', previous_response_id: 'r' });
    expect(warnings).toEqual([
      {
        type: 'unsupported-setting',
        setting: 'conversation',
        details: 'conversation and previousResponseId cannot be used together',
      },
    ]);
  });
});

describe('settings of the AI SDK', () => {
  it('are sent if the API supports them', () => {
    const { body } = build({ maxOutputTokens: 9, temperature: 0.1, topP: 0.2 }, { modelId: 'gpt-4o' });
    expect(body).toMatchObject({ max_output_tokens: 9, temperature: 0.1, top_p: 0.2 });
  });

  it('cause a warning if the API does not support them', () => {
    const { warnings } = build({
      topK: 1,
      seed: 2,
      presencePenalty: 0,
      frequencyPenalty: 0,
      stopSequences: ['x'],
    });
    expect(warnings).toEqual(
      ['topK', 'seed', 'presencePenalty', 'frequencyPenalty', 'stopSequences'].map(setting => ({
        type: 'unsupported-setting',
        setting,
      })),
    );
  });

  it.each(['gpt-5', 'openai/gpt-5', 'us.openai.gpt-5:free', 'o3-mini', 'codex-mini-latest', 'ft:gpt-5:org'])(
    'omit sampling for the reasoning model %s',
    modelId => {
      const { body, warnings } = build({ temperature: 1, topP: 1 }, { modelId });
      expect(body).not.toHaveProperty('temperature');
      expect(body).not.toHaveProperty('top_p');
      expect(warnings.map(warning => 'details' in warning && warning.details)).toEqual([
        'temperature is not supported for reasoning models',
        'topP is not supported for reasoning models',
      ]);
    },
  );

  it.each(['gpt-4.1', 'gpt-5-chat-latest', 'gpt-oss-120b', 'deepseek-v3.1', 'my-deployment'])(
    'keep sampling for %s',
    modelId => {
      expect(build({ temperature: 0.5 }, { modelId }).body.temperature).toBe(0.5);
    },
  );

  it('keep sampling for a model with reasoning turned off', () => {
    const options = { ...withOpenai({ reasoningEffort: 'none' }), temperature: 0.5 };
    expect(build(options, { modelId: 'gpt-5.1' }).body.temperature).toBe(0.5);
    expect(build(options, { modelId: 'gpt-5' }).body).not.toHaveProperty('temperature');
  });

  it('send the effort to unknown models but not to those that are known to reject it', () => {
    const options = withOpenai({ reasoningEffort: 'low', reasoningSummary: 'auto' });
    expect(build(options, { modelId: 'my-deployment' }).body.reasoning).toEqual({
      effort: 'low',
      summary: 'auto',
    });
    const refused = build(options, { modelId: 'azure/gpt-4o' });
    expect(refused.body).not.toHaveProperty('reasoning');
    expect(refused.warnings).toHaveLength(2);
    expect(refused.warnings[0]).toMatchObject({
      setting: 'reasoningEffort',
      details: 'reasoningEffort is not supported for non-reasoning models',
    });
  });

  it("use the host's `reasoning` as effort unless the provider option is set", () => {
    const reasoning = (value: string, openai = {}) =>
      build({ ...withOpenai(openai), reasoning: value } as Partial<LanguageModelV2CallOptions>).body
        .reasoning;
    expect(reasoning('high')).toMatchObject({ effort: 'high' });
    expect(reasoning('high', { reasoningEffort: 'low' })).toMatchObject({ effort: 'low' });
    expect(reasoning('provider-default')).toBeUndefined();
  });

  it.each([
    ['gpt-5', 'xhigh', 'high'],
    ['gpt-5', 'none', 'minimal'],
    ['openai/gpt-5-mini-2025-08-07', 'max', 'high'],
    ['gpt-5.1', 'minimal', 'low'],
    ['gpt-5.4', 'max', 'xhigh'],
    ['gpt-5.6-sol', 'minimal', 'low'],
    ['gpt-6-luna', 'none', 'none'],
    ['gpt-6.1-sol', 'none', 'low'],
    ['gpt-5-pro', 'xhigh', 'xhigh'],
    ['gpt-5.1-codex', 'xhigh', 'xhigh'],
    ['o3', 'xhigh', 'xhigh'],
    ['my-deployment', 'xhigh', 'xhigh'],
  ])('map the effort for %s: %s becomes %s', (modelId, requested, effort) => {
    const fromOption = build(withOpenai({ reasoningEffort: requested }), { modelId });
    const fromHost = build({ reasoning: requested } as Partial<LanguageModelV2CallOptions>, { modelId });
    for (const { body } of [fromOption, fromHost]) expect(body.reasoning?.effort).toBe(effort);
    const text = `"${requested}" is not directly supported by this model. mapped to effort "${effort}".`;
    expect(fromOption.warnings).toEqual(
      effort === requested ? [] : [{ type: 'other', message: `reasoningEffort ${text}` }],
    );
    expect(fromHost.warnings).toEqual(
      effort === requested ? [] : [{ type: 'other', message: `reasoning ${text}` }],
    );
  });

  it('request a summary together with an effort, unless the call says otherwise', () => {
    const summaryOf = (openai: Record<string, unknown>, modelId = 'gpt-5') =>
      build(withOpenai(openai), { modelId }).body.reasoning?.summary;
    expect(summaryOf({ reasoningEffort: 'low' })).toBe('detailed');
    expect(summaryOf({ reasoningEffort: 'low', reasoningSummary: 'auto' })).toBe('auto');
    expect(summaryOf({ reasoningEffort: 'low', reasoningSummary: null })).toBeUndefined();
    expect(summaryOf({ reasoningEffort: 'none' }, 'gpt-5.1')).toBeUndefined();
    expect(summaryOf({ reasoningEffort: 'low' }, 'qwen3')).toBeUndefined();
    expect(summaryOf({})).toBeUndefined();
  });

  it('depend on the effort that the conversation ends with', () => {
    const options = { ...withOpenai({ reasoningEffortUpdate: 'none', logprobs: 2 }), temperature: 1 };
    expect(build(options, { modelId: 'gpt-6-sol' })).toMatchObject({
      body: { temperature: 1, top_logprobs: 2 },
      warnings: [],
    });
    expect(build(options, { modelId: 'gpt-6.1-sol' }).body).not.toHaveProperty('temperature');
  });

  it('omit log probabilities for GPT-6 only', () => {
    expect(build(withOpenai({ logprobs: 2 }), { modelId: 'gpt-5' }).body.top_logprobs).toBe(2);
    expect(build(withOpenai({ logprobs: 2 }), { modelId: 'gpt-6-sol' }).body).not.toHaveProperty(
      'top_logprobs',
    );
  });

  it('send a service tier to models with unknown names', () => {
    for (const serviceTier of ['flex', 'priority', 'fast']) {
      const { body, warnings } = build(withOpenai({ serviceTier }), { modelId: 'my-deployment' });
      expect(body.service_tier).toBe(serviceTier);
      expect(warnings).toEqual([]);
    }
    expect(build(withOpenai({ serviceTier: 'fast' }), { modelId: 'gpt-5-nano' }).warnings).toHaveLength(1);
  });

  it("know Azure's name of GPT-3.5", () => {
    const options = { ...withOpenai({ reasoningEffort: 'low' }), temperature: 1 };
    const { body } = build(options, { modelId: 'gpt-35-turbo' });
    expect(body.temperature).toBe(1);
    expect(body).not.toHaveProperty('reasoning');
  });

  it('restrict GPT-6 to its list of efforts and its cache settings', () => {
    const { body, warnings } = build(
      withOpenai({ reasoningEffort: 'minimal', promptCacheRetention: '24h', logprobs: 3 }),
      { modelId: 'gpt-6-astra' },
    );
    expect(body).toEqual({
      model: 'gpt-6-astra',
      store: false,
      include: ['reasoning.encrypted_content'],
      input: expect.anything(),
      reasoning: { effort: 'low', summary: 'detailed' },
    });
    expect(warnings).toMatchObject([
      {
        type: 'other',
        message: 'reasoningEffort "minimal" is not directly supported by this model. mapped to effort "low".',
      },
      { setting: 'promptCacheRetention' },
      { setting: 'logprobs' },
    ]);
  });

  it('omit a service tier that the model does not support', () => {
    const { body, warnings } = build(withOpenai({ serviceTier: 'flex' }), { modelId: 'gpt-4o' });
    expect(body).not.toHaveProperty('service_tier');
    expect(warnings).toMatchObject([{ setting: 'serviceTier' }]);
    expect(build(withOpenai({ serviceTier: 'priority' }), { modelId: 'gpt-5-nano' }).warnings).toHaveLength(
      1,
    );
    expect(build(withOpenai({ serviceTier: 'priority' }), { modelId: 'gpt-4o' }).warnings).toHaveLength(0);
  });
});

describe('a change of effort within a conversation', () => {
  const update = { type: 'configuration_update', reasoning: { effort: 'low' } };
  const system = {
    role: 'system',
    content: '',
    providerOptions: { openai: { reasoningEffortUpdate: 'low' } },
  };

  it('comes first in the input', () => {
    const { body } = build(withOpenai({ reasoningEffortUpdate: 'low' }), { modelId: 'gpt-6-sol' });
    expect(body.input[0]).toEqual(update);
  });

  it('keeps its position in the history', () => {
    const prompt = [user('a'), system, user('b')] as LanguageModelV2CallOptions['prompt'];
    expect(build({ prompt }, { modelId: 'gpt-6-sol' }).body.input[1]).toEqual(update);
    expect(() => build({ prompt })).toThrow('only supported by GPT-6');
  });

  it('is rejected next to another', () => {
    const prompt = [system, user('b')] as LanguageModelV2CallOptions['prompt'];
    const options = { ...withOpenai({ reasoningEffortUpdate: 'high' }), prompt };
    expect(() => build(options, { modelId: 'gpt-6-sol' })).toThrow(
      'Configuration updates cannot be consecutive',
    );
  });

  it('may turn reasoning off, if the model can', () => {
    const none = { ...system, providerOptions: { openai: { reasoningEffortUpdate: 'none' } } };
    const prompt = [user('a'), none, user('b')] as LanguageModelV2CallOptions['prompt'];
    expect(build({ prompt }, { modelId: 'gpt-6-sol' }).body.input[1]).toEqual({
      type: 'configuration_update',
      reasoning: { effort: 'none' },
    });
    expect(() => build({ prompt }, { modelId: 'gpt-6-astra' })).toThrow('only supports the following');
  });

  it('is refused together with automatic compaction', () => {
    const prompt = [user('a'), system, user('b')] as LanguageModelV2CallOptions['prompt'];
    const options = withOpenai({ contextManagement: [{ type: 'compaction', compactThreshold: 9 }] });
    expect(() => build({ ...options, prompt }, { modelId: 'gpt-6-sol' })).toThrow('automatic compaction');
  });

  it('is omitted with a warning for models that do not support it', () => {
    const { body, warnings } = build(withOpenai({ reasoningEffortUpdate: 'low' }));
    expect(body.input).toHaveLength(1);
    expect(warnings).toMatchObject([{ setting: 'reasoningEffortUpdate' }]);
  });
});

describe('the format of the response', () => {
  const closed = {
    type: 'object' as const,
    properties: { city: { type: 'string' as const } },
    required: ['city'],
    additionalProperties: false,
  };

  it('follows a schema, strictly if the schema allows it', () => {
    const { body, warnings } = build({ responseFormat: { type: 'json', schema: closed } });
    expect(body.text).toEqual({
      format: { type: 'json_schema', strict: true, name: 'response', schema: closed },
    });
    expect(warnings).toEqual([]);
  });

  it('is not strict, with a warning, if the API would reject the schema', () => {
    const schema = { ...closed, required: [] };
    const responseFormat = { type: 'json' as const, schema, name: 'n', description: 'd' };
    const { body, warnings } = build({ responseFormat });
    expect(body.text).toEqual({
      format: { type: 'json_schema', strict: false, name: 'n', description: 'd', schema },
    });
    expect(warnings).toMatchObject([{ message: expect.stringContaining('`city` of the root is optional') }]);
  });

  it('is as strict as the call requests', () => {
    for (const strictJsonSchema of [true, false]) {
      for (const schema of [closed, { ...closed, required: [] }]) {
        const { body, warnings } = build({
          ...withOpenai({ strictJsonSchema }),
          responseFormat: { type: 'json', schema },
        });
        expect(body.text?.format?.strict).toBe(strictJsonSchema);
        expect(warnings).toEqual([]);
      }
    }
  });

  it.each([
    [{}, {}],
    [{ type: 'object' }, {}],
    [
      { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} },
      { additionalProperties: {} },
    ],
  ] as const)('is any object for the schema %j, without a warning', (schema, rest) => {
    const { body, warnings } = build({ responseFormat: { type: 'json', schema: { ...schema } } });
    expect(body.text?.format).toEqual({
      type: 'json_schema',
      strict: false,
      name: 'response',
      schema: { type: 'object', properties: {}, ...rest },
    });
    expect(warnings).toEqual([]);
  });

  it('warns about records of strings, and about alternatives at the top level', () => {
    const record = { type: 'object' as const, additionalProperties: { type: 'string' as const } };
    const messages = (schema: JSONSchema7) =>
      build({ responseFormat: { type: 'json', schema } }).warnings.map(warning => JSON.stringify(warning));
    expect(messages(record)).toEqual([expect.stringContaining('the root allows additional properties')]);
    expect(messages({ anyOf: [closed, record] })).toEqual([
      expect.stringContaining('the root allows additional properties'),
      expect.stringMatching(/top level of JSON schemas.*Affected: the response\./),
    ]);
  });

  it('is any JSON without a schema, together with the verbosity', () => {
    const responseFormat = { type: 'json' as const };
    expect(build({ ...withOpenai({ textVerbosity: 'high' }), responseFormat }).body.text).toEqual({
      format: { type: 'json_object' },
      verbosity: 'high',
    });
  });

  it('is omitted for plain text', () => {
    expect(build({ responseFormat: { type: 'text' } }).body).not.toHaveProperty('text');
  });
});

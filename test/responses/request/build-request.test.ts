import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { InvalidArgumentError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
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
        input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
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

  it('ignores unknown keys and null', () => {
    const { body } = build(withOpenai({ unknown: 1, user: null }, { executors: () => {} }));
    expect(Object.keys(body).sort()).toEqual(['include', 'input', 'model', 'store']);
  });

  it.each([
    [{ serviceTier: 'fast' }, 'providerOptions.openai.serviceTier', '"fast"'],
    [{ store: 'no' }, 'providerOptions.openai.store', '"no"'],
    [{ logprobs: 21 }, 'providerOptions.openai.logprobs', '21'],
    [{ promptCacheOptions: { ttl: '1h' } }, 'providerOptions.openai.promptCacheOptions.ttl', '"1h"'],
    [{ include: [1] }, 'providerOptions.openai.include.0', '1'],
  ])('reports the invalid value in %j', (openai, argument, got) => {
    const attempt = () => build(withOpenai(openai));
    expect(attempt).toThrow(InvalidArgumentError);
    expect(attempt).toThrow(`Invalid value for \`${argument}\`.`);
    expect(attempt).toThrow(`got ${got}.`);
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
    expect(reasoning('high')).toEqual({ effort: 'high' });
    expect(reasoning('high', { reasoningEffort: 'low' })).toEqual({ effort: 'low' });
    expect(reasoning('provider-default')).toBeUndefined();
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
    });
    expect(warnings.map(warning => 'setting' in warning && warning.setting).sort()).toEqual([
      'logprobs',
      'promptCacheRetention',
      'reasoningEffort',
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
    expect(() => build(options, { modelId: 'gpt-6-sol' })).toThrow('Adjacent reasoning effort');
  });

  it('is omitted with a warning for models that do not support it', () => {
    const { body, warnings } = build(withOpenai({ reasoningEffortUpdate: 'low' }));
    expect(body.input).toHaveLength(1);
    expect(warnings).toMatchObject([{ setting: 'reasoningEffortUpdate' }]);
  });
});

describe('the format of the response', () => {
  it('follows a schema, strictly only on request', () => {
    const schema = { type: 'object' as const, properties: {} };
    const responseFormat = { type: 'json' as const, schema };
    expect(build({ responseFormat }).body.text).toEqual({
      format: { type: 'json_schema', strict: false, name: 'response', schema },
    });
    const named = { ...responseFormat, name: 'n', description: 'd' };
    expect(build({ ...withOpenai({ strictJsonSchema: true }), responseFormat: named }).body.text).toEqual({
      format: { type: 'json_schema', strict: true, name: 'n', description: 'd', schema },
    });
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

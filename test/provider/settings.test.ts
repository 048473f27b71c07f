import { describe, expect, it } from 'vitest';
import { KelivoError } from '../../src/core/shared/errors.js';
import { validateSettings } from '../../src/provider/settings.js';

const WRONG: readonly [settings: unknown, message: RegExp][] = [
  [{ apikey: 'sk-secret' }, /^Unknown setting `apikey` in the provider settings\. Did you mean `apiKey`\?$/],
  [{ colour: 'red' }, /^Unknown setting `colour` in the provider settings\. Valid names: name, .*\bapiKey, /],
  [
    { timeouts: { totl: 5 } },
    /^Unknown setting `totl` in `timeouts` of the provider settings\. Did you mean `total`\?$/,
  ],
  [{ timeouts: { colour: 5 } }, /^Unknown .* Valid names: connect, idle, tool, tools, total, unread\.$/],
  [
    { toolLoop: { maxRoundz: 5 } },
    /^Unknown setting `maxRoundz` in `toolLoop` of .*\. Did you mean `maxRounds`\?$/,
  ],
  [
    { toolLoop: { retry: { maxretries: 5 } } },
    /^Unknown setting `maxretries` in `toolLoop\.retry` of .*\. Did you mean `maxRetries`\?$/,
  ],
  [
    { webSocket: { keepAliv: 5 } },
    /^Unknown setting `keepAliv` in `webSocket` of .*\. Did you mean `keepAlive`\?$/,
  ],
  [
    { transport: 'on' },
    /^Invalid `transport` .*: Invalid option: expected one of "http"\|"websocket", got a string\.$/,
  ],
  [
    { models: { 'qwen*': { heders: {} } } },
    /^Unknown setting `heders` in `models\.qwen\*` of .*\. Did you mean `headers`\?$/,
  ],
  [
    { models: { x: { compatibility: { toolOutputs: 'any' } } } },
    /^Unknown setting `toolOutputs` in `models\.x\.compatibility` of .*\. Did you mean `toolOutput`\?$/,
  ],
  [
    { compatibility: { statuz: true } },
    /^Unknown setting `statuz` in `compatibility` of .*\. Did you mean `status`\?$/,
  ],
  [
    { mcpServers: {}, mcp: { startupTimout: 5 } },
    /^Unknown setting `startupTimout` in the setting `mcp`\. Did you mean `startupTimeout`\?$/,
  ],
  [{ apiKey: 7 }, /^Invalid `apiKey` of the provider settings: expected .*string.* or a function, got 7\.$/],
  [{ baseURL: ['x'] }, /^Invalid `baseURL` of the provider settings: .*expected string.*, got an array\.$/],
  [
    { headers: 'none' },
    /^Invalid `headers` .*: expected an object of strings or a function, got a string\.$/,
  ],
  [{ fetch: {} }, /^Invalid `fetch` .*: expected a function, got an object\.$/],
  [{ store: 'yes' }, /^Invalid `store` .*expected boolean.*, got a string\.$/],
  [{ systemMessageMode: 'user' }, /^Invalid `systemMessageMode` .*"auto"\|"system"\|"developer"\|"remove"/],
  [{ missingReasoning: null }, /^Invalid `missingReasoning` .*, got null\.$/],
  [{ timeouts: { idle: 0 } }, /^Invalid `timeouts\.idle` of the provider settings: .*>0.*, got 0\.$/],
  [{ timeouts: { connect: '5s' } }, /^Invalid `timeouts\.connect` .*expected number.*, got a string\.$/],
  [
    { tools: [true] },
    /^Invalid `tools` .*: expected tools by name, a source of tools, or a list of both, got an array\.$/,
  ],
  [
    { mcpServers: {}, mcp: { onElicitation: true } },
    /^Invalid `onElicitation` of the setting `mcp`: expected a function, got true\.$/,
  ],
  [{ mcp: {} }, /^Expected `mcpServers` to be an object of servers with the setting `mcp`, got nothing\.$/],
  [{ mcpServers: true }, /^Invalid `mcpServers` .*: expected an object, got true\.$/],
  [{ toolLoop: true }, /^Invalid `toolLoop` of the provider settings/],
  ['sk-secret', /^Invalid value for the provider settings: .*expected object.*, got a string\.$/],
  [
    { name: 'openai.responses' },
    /^Expected `name` not to end in "\.responses", got "openai\.responses": .*Choose another name\.$/,
  ],
];

describe('validateSettings', () => {
  it.each(WRONG)('rejects %j with the expected and the received value', (settings, message) => {
    const validate = () => validateSettings(settings);
    expect(validate).toThrow(KelivoError);
    expect(validate).toThrow(message);
    expect(validate).toThrow(expect.objectContaining({ code: 'invalid-settings' }));
    expect(validate).not.toThrow('sk-secret');
  });

  it('returns valid settings unchanged, and an empty object for missing settings', () => {
    const settings = {
      name: 'mine',
      baseURL: 'http://localhost:8000',
      apiKey: async () => 'key',
      headers: { a: 'b', c: undefined },
      query: { a: 'b' },
      timeouts: { connect: 1, idle: 2, tool: 3, total: 4 },
      toolLoop: false as const,
    };
    expect(validateSettings(settings)).toEqual(settings);
    expect(validateSettings(undefined)).toEqual({});
  });
});

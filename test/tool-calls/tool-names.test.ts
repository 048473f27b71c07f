import { describe, expect, it } from 'vitest';
import { normalizeToolName } from '../../src/tool-calls/tool-names.js';

const declared = new Set(['get_weather', 'Get_Weather', 'functions.list', 'functions', 'x:0', 'default_api']);

describe('normalizeToolName', () => {
  it.each([
    ['as it was declared', 'get_weather', 'get_weather'],
    ['in the case it was declared in', 'Get_Weather', 'Get_Weather'],
    ['with the channel of gpt-oss', 'get_weather<|channel|>commentary', 'get_weather'],
    ['with channel and constraint', 'functions.get_weather <|constrain|>json<|message|>', 'get_weather'],
    ['in the namespace of gpt-oss', 'functions.get_weather', 'get_weather'],
    ['in the form of a Kimi call id', 'functions.get_weather:12', 'get_weather'],
    ['in the module of Gemini', 'default_api.get_weather', 'get_weather'],
    ['in the module of Gemini, with a colon', 'default_api:get_weather', 'get_weather'],
    ['between spaces and line breaks', '\n get_weather\t', 'get_weather'],
    ['that looks decorated, but was declared so', 'functions.list', 'functions.list'],
    ['that looks like an index, but was declared so', 'x:0', 'x:0'],
    ['that is a prefix, but was declared so', 'default_api', 'default_api'],
    ['that was declared with what looks like an index, decorated', 'functions.x:0', 'x:0'],
  ])('finds a tool whose name comes %s', (_, name, expected) => {
    expect(normalizeToolName(name, declared)).toBe(expected);
  });

  it.each([
    ['in another case', 'GET_WEATHER'],
    ['that nobody declared', 'functions.get_time'],
    ['that only begins like a tool', 'get_weather_now'],
    ['that only ends like a tool', 'my.functions.get_weather'],
    ['that is empty', ''],
    ['that is nothing but decoration', 'functions.<|channel|>commentary:0'],
  ])('finds no tool for a name %s', (_, name) => {
    expect(normalizeToolName(name, declared)).toBeUndefined();
  });
});

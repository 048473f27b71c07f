import { describe, expect, it } from 'vitest';
import { normalizeToolName } from '../../../src/core/tool-calls/tool-names.js';

const declared = new Set([
  'get_weather',
  'Get_Weather',
  'functions.list',
  'functions',
  'x:0',
  'default_api',
  'readFile',
]);

describe('normalizeToolName', () => {
  it.each([
    ['as it was declared', 'get_weather', 'get_weather'],
    ['in its declared case', 'Get_Weather', 'Get_Weather'],
    ['with the channel of gpt-oss', 'get_weather<|channel|>commentary', 'get_weather'],
    ['with channel and constraint', 'functions.get_weather <|constrain|>json<|message|>', 'get_weather'],
    ['in the namespace of gpt-oss', 'functions.get_weather', 'get_weather'],
    ['in the form of a Kimi call id', 'functions.get_weather:12', 'get_weather'],
    ['in the form of a Kimi call id with a dot', 'functions.get_weather.3', 'get_weather'],
    ['in the module of Gemini', 'default_api.get_weather', 'get_weather'],
    ['in the module of Gemini, with a colon', 'default_api:get_weather', 'get_weather'],
    ['between spaces and line breaks', '\n get_weather\t', 'get_weather'],
    ['like a decorated name that was declared', 'functions.list', 'functions.list'],
    ['like an index that was declared', 'x:0', 'x:0'],
    ['like a prefix that was declared', 'default_api', 'default_api'],
    ['with a decoration around a declared name that looks like an index', 'functions.x:0', 'x:0'],
    ['in namespaces of any words', 'my.functions.get_weather', 'get_weather'],
    ['in another case', 'READFILE', 'readFile'],
    ['with a space', 'Read File', 'readFile'],
    ['with a decoration and in another case', 'functions.readfile:2', 'readFile'],
  ])('finds a tool whose name is written %s', (_, name, expected) => {
    expect(normalizeToolName(name, declared)).toBe(expected);
  });

  it.each([
    ['that differs in case from two declared names', 'GET_WEATHER'],
    ['that differs in white space from two declared names', 'functions.get weather'],
    ['that has other characters', 'read.file'],
    ['with another underscore', 'Read_File'],
    ['with another hyphen', 'read-file'],
    ['with underscores around it', '__functions__'],
    ['with a hyphen in place of an underscore', 'get-weather'],
    ['that was not declared', 'functions.get_time'],
    ['that only starts with a declared name', 'get_weather_now'],
    ['that only ends with a declared name', 'my_get_weather'],
    ['that is empty', ''],
    ['that consists of decorations only', 'functions.<|channel|>commentary:0'],
  ])('finds no tool for a name %s', (_, name) => {
    expect(normalizeToolName(name, declared)).toBeUndefined();
  });
});

describe('the name in an id of Kimi without its punctuation', () => {
  const tools = new Set(['list_directory', 'glob', 'sha256', 'sha512', 'go', 'go1']);
  it.each([
    ['functionslist_directory6', 'list_directory'],
    ['call_functionsglob7', 'glob'],
    ['functions.glob3', 'glob'],
    ['functionssha2560', 'sha256'],
    ['functionsgo12', undefined],
    ['glob7', undefined],
    ['functionsglobal7', undefined],
  ])('%s is %s', (name, expected) => {
    expect(normalizeToolName(name, tools)).toBe(expected);
  });

  it('is not read where it is declared as written', () => {
    expect(normalizeToolName('functionsglob7', new Set(['glob', 'functionsglob7']))).toBe('functionsglob7');
  });
});

it.each([
  ['tools.get_weather', 'get_weather'],
  ['ns::get_weather', 'get_weather'],
  ['ns/get_weather', 'get_weather'],
  ['mcp__srv__get_weather', 'get_weather'],
  ['a.b/c:get_weather', 'get_weather'],
  ['get_weather()', 'get_weather'],
  ['tools.get_weather()', 'get_weather'],
  // An exact name wins, also over a tail.
  ['list.items', 'list.items'],
  // Two candidates.
  ['x__items__list.items', undefined],
  // Hyphens and underscores count, and a single underscore separates nothing.
  ['get-weather', undefined],
  ['getWeather', undefined],
  ['srv_get_weather', undefined],
  ['tools.', undefined],
  ['__', undefined],
])('the guide: %s means %s', (name, expected) => {
  const declared = new Set(['get_weather', 'list.items', 'items__list.items']);
  expect(normalizeToolName(name, declared)).toBe(expected);
});

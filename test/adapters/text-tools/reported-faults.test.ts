import { describe, expect, it } from 'vitest';
import { readAs } from '../_read-as.js';

const text = { type: 'string' };
const tools = {
  exec: { cmd: text, note: text },
  save: { path: text, body: text },
  run_shell: { command: text },
  terminal: { command: text, timeout: { type: 'integer' } },
  web_search: { query: text },
  ping: {},
};

const qwen = (second: string, value = 'ls') =>
  `<tool_call>\n<function=exec>\n<parameter=cmd>\n${value}\n</parameter>\n${second}\n</function>\n</tool_call>`;
const minimax = (second: string, value = 'ls') =>
  `<minimax:tool_call>\n<invoke name="exec">\n<parameter name="cmd">${value}</parameter>\n${second}\n</invoke>\n</minimax:tool_call>`;
const glm = (first: string) => `<tool_call>exec\n${first}\n</tool_call>`;

const QWEN = 'qwen3-coder-plus';
const GLM = 'zai-org/GLM-4.6';
const MINIMAX = 'MiniMaxAI/MiniMax-M2';
const DEEPSEEK = 'deepseek-ai/DeepSeek-V3.2';
const GEMMA = 'google/gemma-4-27b-it';

const both = { cmd: 'ls', note: 'x' };

describe('a malformed element after a complete one', () => {
  // https://github.com/vllm-project/vllm/issues/55497, 38803, 54971, 54686
  it.each([
    [QWEN, qwen('<parameter name="note">x</parameter>'), both],
    [QWEN, qwen('<parameter name=note type="string">\nx\n</parameter>'), both],
    [QWEN, qwen("<parameter type='string' name='note'>x</parameter>"), both],
    [QWEN, qwen('<parameter name="note"/>'), { cmd: 'ls', note: '' }],
    [QWEN, qwen('<Parameter=note>\nx\n</parameter>'), both],
    [QWEN, qwen('<parameter=note>\nx\n</Parameter>'), both],
    [QWEN, qwen('</parameter>\n<parameter=note>\nx\n</parameter>'), both],
    [MINIMAX, minimax('<parameter name="note" type="string">x</parameter>'), both],
    [MINIMAX, minimax('<parameter=note>x</parameter>'), both],
    [GLM, glm('<arg_key>cmd</arg_key><arg_value><arg_value>ls</arg_value>'), { cmd: 'ls' }],
    [
      GLM,
      glm('<arg_key>cmd</arg_key><arg_value>ls\n<arg_key>note</arg_key>\n<arg_value>x</arg_value>'),
      both,
    ],
  ])('is read if its meaning is certain: %s %s', async (modelId, written, input) => {
    expect(await readAs(modelId, tools)(written)).toEqual([{ call: 'exec', input }]);
  });

  it.each([
    [QWEN, qwen('<parameter=\necho $A\n</parameter>')],
    [QWEN, qwen('<parameter=note x</parameter>')],
    [QWEN, qwen('<parameter>x</parameter>')],
    [QWEN, qwen('<parameter name="note" value="x"/>')],
    [QWEN, qwen('x\n</parameter>')],
    [QWEN, qwen('<note>x</note>').replace('<note>', '<other>')],
    [QWEN, qwen('<parameter=cmd>\nrm x\n</parameter>')],
  ])('makes the call text, or an invalid call once it has started: %s %s', async (modelId, written) => {
    expect(await readAs(modelId, tools)(written)).toEqual([{ text: written }]);
    const long = 'y'.repeat(300);
    const [call, ...others] = await readAs(modelId, tools)(`${written.replace('ls', long)}\nDone.`);
    expect(call).toEqual({ call: 'exec', truncated: expect.stringContaining(long) });
    expect(others).toEqual([{ text: '\nDone.' }]);
  });
});

describe('tags in a value', () => {
  // https://github.com/raullenchai/Rapid-MLX/issues/1515, https://github.com/smg-project/smg/issues/1942
  it.each([
    'A block ends with </parameter> here.',
    'See `</parameter>`.',
    '<code></parameter></code> ends it.',
    'Use <parameter=x> to start',
    '<parameters><parameter key="k">v</parameter></parameters>',
    'x <parameter key="k">v</parameter>',
    '<parameter key="k">v</parameter>',
    '<a>\n  <parameter name="k" value="v"/>\n</a>',
    '<tool_call>name starts a call',
  ])('stay literal: %s', async body => {
    const element = (key: string, value: string) => `<parameter=${key}>\n${value}\n</parameter>\n`;
    for (const elements of [
      element('body', body) + element('path', 'p'),
      element('path', 'p') + element('body', body),
    ]) {
      const written = `<tool_call>\n<function=save>\n${elements}</function>\n</tool_call>`;
      const [call, ...others] = await readAs(QWEN, tools)(written);
      expect(call).toMatchObject({ call: 'save', input: { path: 'p', body } });
      expect(others).toEqual([]);
    }
  });
});

type CallRow = readonly [modelId: string, written: string, name: string, input: object];

describe('a known misspelling', () => {
  it.each<CallRow>([
    // https://github.com/cline/cline/issues/13348, https://github.com/lsdefine/GenericAgent/issues/804,
    // https://github.com/xorbitsai/xagent/issues/790
    ...['|', '‖', '｜｜', '||'].map((bar): CallRow => [
      DEEPSEEK,
      `<${bar}DSML${bar}tool_calls>\n<${bar}DSML${bar}invoke name="run_shell">\n<${bar}DSML${bar}parameter name="command" string="true">ls</${bar}DSML${bar}parameter>\n</${bar}DSML${bar}invoke>\n</${bar}DSML${bar}tool_calls>`,
      'run_shell',
      { command: 'ls' },
    ]),
    // https://github.com/vllm-project/vllm/issues/47190, 54971, https://github.com/getsigit/sigit/issues/94
    [
      GLM,
      '<tool_call>run_shellcommand</arg_key><arg_value>ls</arg_value></tool_call>',
      'run_shell',
      { command: 'ls' },
    ],
    [
      GLM,
      '<tool_call>run_shell\n<tool_call>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>',
      'run_shell',
      { command: 'ls' },
    ],
    [
      GLM,
      '<tool_call>run_shell<arg_key><arg_key>command</arg_key></arg_key><arg_value>ls</arg_value></tool_call>',
      'run_shell',
      { command: 'ls' },
    ],
    // https://github.com/vllm-project/vllm/issues/53642, 53657, https://github.com/jundot/omlx/issues/1886,
    // https://github.com/sgl-project/sglang/issues/39240
    [
      GEMMA,
      '<|tool_call>call:terminal(command=<|"|>ls (a)<|"|>, timeout=5)<tool_call|>',
      'terminal',
      { command: 'ls (a)', timeout: 5 },
    ],
    [
      GEMMA,
      '<|tool_call>call:terminal(command:ls (a), timeout:5)<tool_call|>',
      'terminal',
      { command: 'ls (a)', timeout: 5 },
    ],
    [
      GEMMA,
      '<|tool_call>call:terminal{command:ls -l<|"|>,timeout:5}<tool_call|>',
      'terminal',
      { command: 'ls -l', timeout: 5 },
    ],
    // https://github.com/jundot/omlx/issues/2032
    [
      'openai/gpt-oss-20b',
      'analysis to=functions.run_shell code{"command":"ls"}',
      'run_shell',
      { command: 'ls' },
    ],
    // Elements with the names of the parameters, of Qwen 2.5 and GLM 4.7.
    [
      QWEN,
      '<tool_call>\n<function=save>\n<path>\na.py\n</path>\n<body>\nx = "<b>"\n</body>\n</function>\n</tool_call>',
      'save',
      { path: 'a.py', body: 'x = "<b>"' },
    ],
    [
      GLM,
      '<tool_call>save\n<path>a.py</path>\n<body>x\n</body>\n</save>',
      'save',
      { path: 'a.py', body: 'x' },
    ],
    [
      QWEN,
      '<tool_call><function name=" save "><parameter name=" path ">p</parameter></function></tool_call>',
      'save',
      { path: 'p' },
    ],
  ])('is read: %s %s', async (modelId, written, name, input) => {
    expect(await readAs(modelId, tools)(written)).toEqual([{ call: name, input }]);
  });

  it.each([
    [GLM, '<tool_call>unknowncommand</arg_key><arg_value>ls</arg_value></tool_call>'],
    [GEMMA, '<|tool_call>call:unknown(command=<|"|>ls<|"|>)<tool_call|>'],
    [GEMMA, '<|tool_call>call:terminal(other=<|"|>ls<|"|>)<tool_call|>'],
    [DEEPSEEK, 'The tag <|DSML|invoke starts a call.'],
    [DEEPSEEK, '<|DSML|invoke name="unknown">\n</|DSML|invoke>'],
  ])('is text for other tools and keys: %s %s', async (modelId, written) => {
    const content = await readAs(modelId, tools)(written);
    expect(content.map(part => ('text' in part ? part.text : part)).join('')).toBe(written);
  });

  // https://github.com/ai-dynamo/frontend-crates/issues/60
  it('shows no orphan end of calls of Mistral', async () => {
    expect(await readAs('mistral-small-latest', tools)('Hello.[/TOOL_CALLS]')).toEqual([{ text: 'Hello.' }]);
  });

  it('reads two calls of which the first one is misspelt', async () => {
    const written =
      '<|tool_call>call:terminal(command=<|"|>a<|"|>)<tool_call|><|tool_call>call:terminal{command:<|"|>b<|"|>}<tool_call|>';
    expect(await readAs(GEMMA, tools)(written)).toEqual([
      { call: 'terminal', input: { command: 'a' } },
      { call: 'terminal', input: { command: 'b' } },
    ]);
  });
});

it('treats a call of an undeclared tool by the policy if the request has tools', async () => {
  const written =
    '<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\nx\n</parameter>\n</function>\n</tool_call>';
  expect(await readAs(QWEN, tools)(written)).toEqual([
    { call: 'write_file', input: { path: 'a', content: 'x' } },
  ]);
  expect(await readAs(QWEN, {})(written)).toEqual([{ text: '```\nx\n```' }]);
});

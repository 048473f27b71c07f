/** A model of each family, and the calls that it writes as text. */
export interface WrittenCalls {
  readonly modelId: string;
  /** Returns a call of a tool with one argument, `content`. The text is raw: it needs no escapes in any format. */
  readonly call: (name: string, content: string) => string;
  /**
   * The opening tag of reasoning, empty if the response starts in it.
   * @default the adapter reads no reasoning
   */
  readonly think?: string;
  /**
   * The row of the format that is measured for this one too: the same functions read the calls with the same options, and
   * only the markers around them differ. Markers are data, so that their search costs the same.
   */
  readonly like?: string;
}

const object = (name: string, content: string): string =>
  `{"name": "${name}", "arguments": {"content": "${content}"}}`;
const list = (name: string, content: string): string => `[${object(name, content)}]`;
const pair = (prefix: string, content: string, suffix = ''): string =>
  `<${prefix}arg_key${suffix}>content</${prefix}arg_key${suffix}>\n<${prefix}arg_value${suffix}>${content}</${prefix}arg_value${suffix}>`;

const hermes: WrittenCalls['call'] = (name, content) =>
  `<tool_call>\n${object(name, content)}\n</tool_call>\n`;
const qwenXml: WrittenCalls['call'] = (name, content) =>
  `<tool_call>\n<function=${name}>\n<parameter=content>\n${content}\n</parameter>\n</function>\n</tool_call>\n`;
const glm: WrittenCalls['call'] = (name, content) =>
  `<tool_call>${name}\n${pair('', content)}\n</tool_call>\n`;
const python: WrittenCalls['call'] = (name, content) => `${name}(content='${content}')`;
const gemma4: WrittenCalls['call'] = (name, content) =>
  `<|tool_call>call:${name}{content:<|"|>${content}<|"|>}<tool_call|>`;
const think = '<think>';

/** One row for each adapter and format. The keys start with the adapter's name. */
export const WRITTEN_CALLS: Readonly<Record<string, WrittenCalls>> = {
  apertus: {
    modelId: 'apertus-8b',
    call: (name, content) => `<|tools_prefix|>[{"${name}": {"content": "${content}"}}]<|tools_suffix|>`,
    think: '<|inner_prefix|>',
  },
  apriel: {
    like: 'hermes',
    modelId: 'apriel-5b-instruct',
    call: (name, content) => `<tool_calls>${list(name, content)}</tool_calls>\n`,
  },
  claude: {
    modelId: 'claude-3-haiku',
    call: (name, content) =>
      `<function_calls>\n<invoke name="${name}">\n<parameter name="content">${content}</parameter>\n</invoke>\n</function_calls>\n`,
  },
  cogito: { like: 'hermes', modelId: 'cogito-v1-preview-llama-8b', call: hermes, think },
  'command-r': {
    modelId: 'command-r7b-12-2024',
    call: (name, content) =>
      `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "${name}", "parameters": {"content": "${content}"}}]<|END_ACTION|>`,
    think: '<|START_THINKING|>',
  },
  'deepseek v3.1': {
    modelId: 'deepseek-v3.1',
    call: (name, content) =>
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${name}<｜tool▁sep｜>{"content": "${content}"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    think,
  },
  'deepseek v3.2': {
    modelId: 'deepseek-v3.2',
    call: (name, content) =>
      `\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="${name}">\n<｜DSML｜parameter name="content" string="true">${content}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
    think,
  },
  'deepseek v4.1': {
    like: 'deepseek v3.2',
    modelId: 'deepseek-v4.1',
    call: (name, content) =>
      `\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke name="${name}">\n<｜DSML｜ parameter name="content" string="true">${content}</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>`,
    think,
  },
  'deepseek-distill-llama': {
    like: 'hermes',
    modelId: 'deepseek-r1-distill-llama-70b',
    call: (name, content) => `<|python_tag|>${object(name, content)}<|eom_id|>`,
    think: '',
  },
  'dots-llm json': {
    like: 'hermes',
    modelId: 'dots.llm2',
    call: (name, content) => `<dots_function_call>${object(name, content)}</dots_function_call>\n`,
    think,
  },
  'dots-llm invoke': {
    like: 'minimax m2',
    modelId: 'dots.llm2',
    call: (name, content) =>
      `<dots_function_call>\n<invoke name="${name}">\n<parameter name="content">${content}</parameter>\n</invoke>\n</dots_function_call>\n`,
    think,
  },
  ernie: { like: 'hermes', modelId: 'ernie-4.5-21b-thinking', call: hermes, think: '' },
  exaone: { like: 'hermes', modelId: 'exaone-4.0-32b', call: hermes, think },
  functiongemma: {
    like: 'gemma4',
    modelId: 'functiongemma-270m',
    call: (name, content) =>
      `<start_function_call>call:${name}{content:<escape>${content}<escape>}<end_function_call>`,
  },
  gemini: { modelId: 'gemini-2.5-flash', call: (name, content) => `${name}(${content})\n` },
  gemma: {
    like: 'hermes',
    modelId: 'gemma-3-27b-it',
    call: (name, content) => `[TOOL_REQUEST]${object(name, content)}[TOOL_REQUEST_END]`,
  },
  gemma4: { modelId: 'gemma-4-31b-it', call: gemma4, think: '<|channel>thought' },
  gigachat: {
    modelId: 'gigachat3-10b',
    call: (name, content) => `<|function_call|>${object(name, content)}`,
    think,
  },
  'gigachat 3.5': {
    like: 'deepseek v3.2',
    modelId: 'gigachat3.5-10b',
    call: (name, content) =>
      `<｜GCML｜tool_calls>\n<｜GCML｜invoke name="${name}">\n<｜GCML｜parameter name="content" string="true">${content}</｜GCML｜parameter>\n</｜GCML｜invoke>\n</｜GCML｜tool_calls>`,
    think,
  },
  glm: { modelId: 'glm-4.6', call: glm, think },
  'glm 5.3': {
    modelId: 'glm-5.3',
    call: (name, content) => `<tool_call>${name}>{"content": "${content}"}</tool_call>\n`,
    think: '',
  },
  'gpt-oss': {
    modelId: 'gpt-oss-20b',
    call: (name, content) =>
      `<|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>{"content": "${content}"}<|call|>`,
    think: '<|channel|>analysis<|message|>',
  },
  granite: {
    modelId: 'granite-3.3-8b',
    call: (name, content) => `<|tool_call|>${list(name, content)}`,
    think,
  },
  hermes: { modelId: 'hermes-4-70b', call: hermes, think },
  'hunyuan list': {
    modelId: 'hunyuan-a13b',
    call: (name, content) => `<tool_calls>${list(name, content)}</tool_calls>`,
    think,
  },
  'hunyuan pairs': {
    modelId: 'hy3',
    call: (name, content) =>
      `<tool_calls:x>\n<tool_call:x>${name}<tool_sep:x>\n${pair('', content, ':x')}\n</tool_call:x>\n</tool_calls:x>`,
    think,
  },
  hyperclova: {
    modelId: 'hyperclovax-seed-think-32b',
    call: (name, content) => `<tool_call>${name}\n${pair('', `"${content}"`)}\n</tool_call>\n`,
    think,
  },
  inkling: {
    modelId: 'inkling-1',
    call: (name, content) =>
      `<|content_invoke_tool_json|>{"name": "${name}", "args": {"content": "${content}"}}<|end_message|>`,
    think: '<|content_thinking|>',
  },
  internlm: {
    like: 'hermes',
    modelId: 'internlm3-8b',
    call: (name, content) =>
      `<|action_start|><|plugin|>{"name": "${name}", "parameters": {"content": "${content}"}}<|action_end|>`,
    think,
  },
  'iquest-coder': {
    modelId: 'iquest-coder-v2',
    call: (name, content) =>
      `<iquestcoder_tool_call>${name}\n${pair('', content)}\n</iquestcoder_tool_call>\n`,
    think,
  },
  jamba: {
    like: 'hunyuan list',
    modelId: 'jamba-1.5-mini',
    call: (name, content) => `<tool_calls>${list(name, content)}</tool_calls>`,
  },
  'k2-horizon json': {
    like: 'hermes',
    modelId: 'k2-horizon',
    call: (name, content) => `<ifm|tool_call>${object(name, content)}</ifm|tool_call>\n`,
    think,
  },
  'k2-horizon pairs': {
    modelId: 'k2-horizon',
    call: (name, content) => `<ifm|tool_call>${name}\n${pair('ifm|', content)}\n</ifm|tool_call>\n`,
    think,
  },
  'kimi-k3': {
    modelId: 'kimi-k3',
    call: (name, content) =>
      `<|open|>tools<|sep|><|open|>call tool="${name}" index="1"<|sep|><|open|>argument key="content" type="string"<|sep|>${content}<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>`,
  },
  kimi: {
    modelId: 'kimi-k2-instruct',
    call: (name, content) =>
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>{"content": "${content}"}<|tool_call_end|><|tool_calls_section_end|>`,
    think,
  },
  laguna: { like: 'glm', modelId: 'laguna-xs.2', call: glm, think },
  lfm2: {
    modelId: 'lfm2-8b',
    call: (name, content) => `<|tool_call_start|>[${python(name, content)}]<|tool_call_end|>`,
    think,
  },
  'ling-3': { like: 'glm', modelId: 'ling-3', call: glm, think },
  'llama json': {
    modelId: 'llama-3.3-70b',
    call: (name, content) =>
      `<|python_tag|>{"name": "${name}", "parameters": {"content": "${content}"}}<|eom_id|>`,
  },
  'llama bare': {
    modelId: 'llama-3.3-70b',
    call: (name, content) => `{"name": "${name}", "parameters": {"content": "${content}"}}; `,
  },
  'llama python': {
    like: 'lfm2',
    modelId: 'llama-4-scout',
    call: (name, content) => `<|python_start|>[${python(name, content)}]<|python_end|>`,
  },
  'longcat json': {
    like: 'hermes',
    modelId: 'longcat-flash-chat',
    call: (name, content) => `<longcat_tool_call>${object(name, content)}</longcat_tool_call>`,
    think: '<longcat_think>',
  },
  'longcat pairs': {
    like: 'glm',
    modelId: 'longcat-flash-chat',
    call: (name, content) => `<longcat_tool_call>${name}\n${pair('longcat_', content)}\n</longcat_tool_call>`,
    think: '<longcat_think>',
  },
  mimo: { like: 'qwen xml', modelId: 'mimo-v2-flash', call: qwenXml, think },
  minicpm5: {
    modelId: 'minicpm5-8b',
    call: (name, content) => `<function name="${name}"><param name="content">${content}</param></function>\n`,
    think,
  },
  'minimax m2': {
    modelId: 'minimax-m2',
    call: (name, content) =>
      `<minimax:tool_call>\n<invoke name="${name}">\n<parameter name="content">${content}</parameter>\n</invoke>\n</minimax:tool_call>\n`,
    think: '',
  },
  'minimax m3': {
    modelId: 'minimax-m3',
    call: (name, content) =>
      `]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="${name}">]<]minimax[>[<content>${content}]<]minimax[>[</content>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>`,
    think: '<mm:think>',
  },
  'minimax m3 bare': {
    modelId: 'minimax-m3',
    call: (name, content) =>
      `<tool_call>\n<invoke name="${name}"><content>${content}</content></invoke>\n</tool_call>\n`,
    think: '<mm:think>',
  },
  mistral: {
    modelId: 'mistral-small',
    call: (name, content) => `[TOOL_CALLS]${name}[ARGS]{"content": "${content}"}`,
    think: '[THINK]',
  },
  muse: {
    modelId: 'muse-glimmer',
    call: (name, content) =>
      `<|start|>assistant to=${name}<|message|><atem:function_calls>\n<atem:invoke name="${name}">\n<atem:parameter name="content">${content}</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>`,
  },
  nemotron: {
    like: 'granite',
    modelId: 'llama-3.3-nemotron-super-49b-v1',
    call: (name, content) => `<TOOLCALL>${list(name, content)}</TOOLCALL>`,
    think,
  },
  olmo3: {
    modelId: 'olmo-3-7b-instruct',
    call: (name, content) => `<function_calls>\n${python(name, content)}\n</function_calls>\n`,
    think,
  },
  openpangu: {
    like: 'hermes',
    modelId: 'openpangu-v2',
    call: (name, content) => `<|tool_call_start|>${list(name, content)}<|tool_call_end|>\n`,
    think,
  },
  'phi-4-mini': {
    modelId: 'phi-4-mini-instruct',
    call: (name, content) => `\nfunctools${list(name, content)}\n`,
  },
  plamo3: {
    modelId: 'plamo-3-8b',
    call: (name, content) =>
      `<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>${name}<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{"content": "${content}"}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>`,
  },
  'qwen json': { like: 'hermes', modelId: 'qwen2.5-72b-instruct', call: hermes, think },
  'qwen xml': { modelId: 'qwen3-coder-30b', call: qwenXml, think },
  reka: { like: 'hermes', modelId: 'reka-edge', call: hermes, think },
  'seed-oss': {
    modelId: 'seed-oss-36b',
    call: (name, content) =>
      `<seed:tool_call>\n<function=${name}>\n<parameter=content>${content}</parameter>\n</function>\n</seed:tool_call>\n`,
    think: '<seed:think>',
  },
  smollm3: { like: 'hermes', modelId: 'smollm3-3b', call: hermes, think },
  'solar-open2': {
    modelId: 'solar-open-2',
    call: (name, content) =>
      `<|tool_call:start|>${name}\n<|tool_arg:start|>content<|tool_arg:value|>${content}<|tool_arg:end|>\n<|tool_call:end|>\n`,
    think: '<|think:start|>',
  },
  spark3: { like: 'glm', modelId: 'spark3', call: glm, think },
  step3: {
    modelId: 'step3',
    call: (name, content) =>
      `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="${name}"><steptml:parameter name="content">${content}</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>`,
    think: '',
  },
  trinity: { like: 'hermes', modelId: 'trinity-mini', call: hermes, think },
  'xlam bare': { modelId: 'xlam-2-8b', call: (name, content) => `${list(name, content)}\n`, think },
  'xlam object': {
    modelId: 'xlam-1b',
    call: (name, content) => `{"tool_calls": ${list(name, content)}}\n`,
  },
  xlam: {
    like: 'granite',
    modelId: 'xlam-2-8b',
    call: (name, content) => `[TOOL_CALLS]${list(name, content)}`,
    think,
  },
};

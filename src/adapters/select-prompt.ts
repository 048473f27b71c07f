import { gemma4Format } from '../text-tools/formats/gemma.js';
import { harmonyFormat } from '../text-tools/formats/harmony.js';
import { hermesFormat } from '../text-tools/formats/hermes.js';
import { minimaxM3Format } from '../text-tools/formats/minimax-m3.js';
import { lfmFormat, olmoFormat, pythonicFormat } from '../text-tools/formats/pythonic.js';
import { qwenXmlFormat } from '../text-tools/formats/qwen-xml.js';
import type { TextToolFormat } from '../text-tools/text-tool-format.js';
import { claudeFormat } from './families/claude.js';
import { commandRFormat } from './families/command-r.js';
import { deepseekFormat, dsmlFormat } from './families/deepseek.js';
import { toolRequestFormat } from './families/gemma.js';
import { glmFormat } from './families/glm.js';
import { graniteFormat } from './families/granite.js';
import { kimiFormat } from './families/kimi.js';
import { kimiK3Format } from './families/kimi-k3.js';
import { bareJsonFormat, llamaFormat } from './families/llama.js';
import { minimaxFormat } from './families/minimax.js';
import { mistralFormat } from './families/mistral.js';
import { seedFormat } from './families/seed-oss.js';
import { KelivoError } from '../shared/errors.js';
import { toNameHint } from '../shared/names.js';
import { type ToolPrompting, type ToolPromptName, toolPromptNames } from './adapter-choice.js';
import {
  commandRPrompt,
  deepseekPrompt,
  granitePrompt,
  hermesPrompt,
  llamaPrompt,
  mistralPrompt,
  toolRequestPrompt,
} from './prompts/json-prompts.js';
import { lfmPrompt, olmoPrompt, pythonicPrompt } from './prompts/pythonic-prompts.js';
import {
  claudePrompt,
  dsmlPrompt,
  glmPrompt,
  minimaxM3Prompt,
  minimaxPrompt,
  qwenXmlPrompt,
  seedPrompt,
} from './prompts/tag-prompts.js';
import { gemma4Prompt, harmonyPrompt, kimiK3Prompt, kimiPrompt } from './prompts/token-prompts.js';
import type { ToolPrompt } from './prompts/tool-prompt.js';

interface Syntax {
  readonly prompt: ToolPrompt;
  /** The formats that read the calls back. */
  readonly formats: readonly TextToolFormat[];
}

const syntaxes: Readonly<Record<ToolPromptName, Syntax>> = {
  hermes: { prompt: hermesPrompt, formats: [hermesFormat] },
  'qwen-xml': { prompt: qwenXmlPrompt, formats: [qwenXmlFormat] },
  claude: { prompt: claudePrompt, formats: [claudeFormat] },
  'command-r': { prompt: commandRPrompt, formats: [commandRFormat] },
  deepseek: { prompt: deepseekPrompt, formats: [deepseekFormat] },
  dsml: { prompt: dsmlPrompt, formats: [dsmlFormat] },
  gemma4: { prompt: gemma4Prompt, formats: [gemma4Format] },
  glm: { prompt: glmPrompt, formats: [glmFormat] },
  granite: { prompt: granitePrompt, formats: [graniteFormat] },
  harmony: { prompt: harmonyPrompt, formats: [harmonyFormat] },
  kimi: { prompt: kimiPrompt, formats: [kimiFormat] },
  'kimi-k3': { prompt: kimiK3Prompt, formats: [kimiK3Format] },
  lfm2: { prompt: lfmPrompt, formats: [lfmFormat, pythonicFormat] },
  llama: { prompt: llamaPrompt, formats: [llamaFormat, bareJsonFormat] },
  minimax: { prompt: minimaxPrompt, formats: [minimaxFormat] },
  'minimax-m3': { prompt: minimaxM3Prompt, formats: [minimaxM3Format] },
  mistral: { prompt: mistralPrompt, formats: [mistralFormat] },
  olmo3: { prompt: olmoPrompt, formats: [olmoFormat] },
  pythonic: { prompt: pythonicPrompt, formats: [pythonicFormat] },
  'seed-oss': { prompt: seedPrompt, formats: [seedFormat] },
  'tool-request': { prompt: toolRequestPrompt, formats: [toolRequestFormat] },
};

/** The syntax of each family that was trained on another one than Hermes, by the name of its adapter. */
const families: Readonly<Record<string, (modelId: string) => ToolPromptName>> = {
  qwen: id => (/coder|qwen-?3\.[5-9]|qwen-?[4-9]/i.test(id) ? 'qwen-xml' : 'hermes'),
  nemotron: id => (/nemotron-?3/i.test(id) ? 'qwen-xml' : 'hermes'),
  mimo: id => (/mimo-?v/i.test(id) ? 'qwen-xml' : 'hermes'),
  step3: () => 'qwen-xml',
  claude: () => 'claude',
  'command-r': () => 'command-r',
  deepseek: id => (/v3[.-]2|v4/i.test(id) ? 'dsml' : 'deepseek'),
  gemma: () => 'tool-request',
  gemma4: () => 'gemma4',
  glm: () => 'glm',
  'gpt-oss': () => 'harmony',
  granite: id => (/granite[-_. ]?4/i.test(id) ? 'hermes' : 'granite'),
  kimi: () => 'kimi',
  'kimi-k3': () => 'kimi-k3',
  laguna: () => 'glm',
  lfm2: () => 'lfm2',
  'ling-3': () => 'glm',
  llama: id => (/llama[-_. ]?4/i.test(id) ? 'pythonic' : 'llama'),
  minimax: id => (/m3/i.test(id) ? 'minimax-m3' : 'minimax'),
  mistral: () => 'mistral',
  olmo3: () => 'olmo3',
  'seed-oss': () => 'seed-oss',
};

/** The syntax that a model is prompted with. */
export interface SelectedPrompt extends Syntax {
  readonly name: ToolPromptName;
}

/**
 * Returns the syntax with a name. `auto` is that of the first adapter with one, and Hermes without any, which most models
 * understand.
 *
 * @throws KelivoError with code `invalid-settings` for an unknown name.
 */
export function selectPrompt(
  prompting: ToolPrompting,
  { modelId, adapters }: { modelId: string; adapters: readonly string[] },
): SelectedPrompt {
  validateToolPrompting(prompting);
  const family = adapters.find(adapter => Object.hasOwn(families, adapter));
  const name =
    prompting === 'auto'
      ? ((family === undefined ? undefined : families[family]?.(modelId)) ?? 'hermes')
      : prompting;
  return { name, ...syntaxes[name] };
}

function validateToolPrompting(prompting: unknown): void {
  const known = ['auto', ...toolPromptNames];
  if (typeof prompting === 'string' && known.includes(prompting)) return;
  const hint = toNameHint(String(prompting), { kind: 'values', known });
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Unknown value ${JSON.stringify(prompting) ?? 'undefined'} for \`toolPrompting\`. ${hint}`,
  });
}

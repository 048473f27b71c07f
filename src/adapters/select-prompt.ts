import { KelivoError } from '../shared/errors.js';
import { toNameHint } from '../shared/names.js';
import * as formats from '../text-tools/formats/index.js';
import type { TextToolFormat } from '../text-tools/reading/text-tool-format.js';
import * as families from './families/index.js';
import { type ToolPrompting, type ToolPromptName, toolPromptNames } from './kit/definition.js';
import * as prompts from './prompts/index.js';
import type { ToolPrompt } from './prompts/tool-prompt.js';

interface Syntax {
  readonly prompt: ToolPrompt;
  /** The formats that read the calls back. */
  readonly formats: readonly TextToolFormat[];
}

const syntaxes: Readonly<Record<ToolPromptName, Syntax>> = {
  hermes: { prompt: prompts.hermes, formats: [formats.hermes] },
  'qwen-xml': { prompt: prompts.qwenXml, formats: [formats.qwenXml] },
  claude: { prompt: prompts.claude, formats: [formats.claude] },
  'command-r': { prompt: prompts.commandR, formats: [formats.commandR] },
  deepseek: { prompt: prompts.deepseek, formats: [formats.deepseek] },
  dsml: { prompt: prompts.dsml, formats: [formats.dsml] },
  gemma4: { prompt: prompts.gemma4, formats: [formats.gemma4] },
  glm: { prompt: prompts.glm, formats: [formats.glm] },
  granite: { prompt: prompts.granite, formats: [formats.granite] },
  harmony: { prompt: prompts.harmony, formats: [formats.harmony] },
  kimi: { prompt: prompts.kimi, formats: [formats.kimi] },
  'kimi-k3': { prompt: prompts.kimiK3, formats: [formats.kimiK3] },
  lfm2: { prompt: prompts.lfm2, formats: [formats.lfm, formats.pythonic] },
  llama: { prompt: prompts.llama, formats: [formats.llama, formats.bareJson] },
  minimax: { prompt: prompts.minimax, formats: [formats.minimax] },
  'minimax-m3': { prompt: prompts.minimaxM3, formats: [formats.minimaxM3] },
  mistral: { prompt: prompts.mistral, formats: [formats.mistral] },
  olmo3: { prompt: prompts.olmo3, formats: [formats.olmo] },
  pythonic: { prompt: prompts.pythonic, formats: [formats.pythonic] },
  'seed-oss': { prompt: prompts.seedOss, formats: [formats.seed] },
  'tool-request': { prompt: prompts.toolRequest, formats: [formats.toolRequest] },
};

/** The syntax of each family that was trained on another one than Hermes, by the name of its adapter. */
const byFamily = new Map(Object.values(families).map(({ name, prompt }) => [name, prompt]));

/** The syntax that a model is prompted with. */
interface SelectedPrompt extends Syntax {
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
  const known = ['auto', ...toolPromptNames];
  if (!known.includes(prompting)) {
    const hint = toNameHint(String(prompting), { kind: 'values', known });
    throw new KelivoError({
      code: 'invalid-settings',
      message: `Unknown value ${JSON.stringify(prompting) ?? 'undefined'} for \`toolPrompting\`. ${hint}`,
    });
  }
  const name = prompting === 'auto' ? toFamilySyntax(modelId, adapters) : prompting;
  return { name, ...syntaxes[name] };
}

function toFamilySyntax(modelId: string, adapters: readonly string[]): ToolPromptName {
  const [prompt = 'hermes'] = adapters.flatMap(adapter => byFamily.get(adapter) ?? []);
  return typeof prompt === 'string' ? prompt : prompt(modelId);
}

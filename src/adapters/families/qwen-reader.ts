import { hermes } from '../text-tools/formats/json-lists.js';
import { bareParameterFormat, namedCallFormat, qwenXml } from '../text-tools/formats/invoke.js';
import { thinkTags, type UndeclaredCalls } from '../text-tools/reading/text-tool-format.js';
import { textToolsMiddleware } from '../kit/text-tools-middleware.js';

/** The longest input before `content` in the arguments of a file-writing call. A path precedes it. */
const MAX_BEFORE_CONTENT = 300;

/** Replaces a call that would write a file with the file's content as fenced code. */
const fencedContent: UndeclaredCalls = {
  mayReplace: start =>
    start.length < MAX_BEFORE_CONTENT || start.slice(0, MAX_BEFORE_CONTENT).includes('"content":'),
  replace(call) {
    const { content }: { content?: unknown } = JSON.parse(call.input);
    if (typeof content !== 'string' || content.trim() === '') return undefined;
    const longestRun = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = '`'.repeat(longestRun + 1);
    return `${fence}\n${content}${content.endsWith('\n') ? '' : '\n'}${fence}`;
  },
};

/** The models whose chat templates end in `<think>` unless the request turns reasoning off. */
const ALWAYS_REASONS = /qwq|thinking|qwen-?(?:3\.[5-9]|[4-9](?!\d*b))|qwen-?3-coder-next/i;

/** Reads the calls and the reasoning in the text of Qwen. */
export const reader = textToolsMiddleware({
  formats: [
    hermes,
    { ...qwenXml, undeclared: fencedContent },
    { ...bareParameterFormat, undeclared: fencedContent },
    namedCallFormat,
  ],
  reasoning: [thinkTags],
  startsInReasoning: modelId => ALWAYS_REASONS.test(modelId),
});

import * as z from 'zod/v4';
import type { CoreCall } from '../../core/call.js';
import type { Prompt } from '../../core/prompt.js';
import { withChanges } from '../../core/source.js';
import { parseSettings } from '../../core/shared/settings.js';
import type { ModelMiddleware } from '../../core/versions/middleware.js';
import { createMiddleware, isContinuation, joinMiddlewares, readerMiddleware } from '../kit/middleware.js';

/** Options of `qwenMiddleware`. They change the request only, never the caller's history. */
export interface QwenOptions {
  /**
   * Removes examples of calls from system messages, such as `[tool_call: …]` in the prompts of coding agents, because
   * the model imitates them. Within a sentence the name of the tool remains. A message with its own list of tools in `<tools>` is left unchanged.
   * @default true
   */
  cleanSystem?: boolean;
  /**
   * Offers tools also in requests that end with a tool result. On some servers the model then calls tools endlessly;
   * `false` prevents this.
   * @default true
   */
  toolsAfterResult?: boolean;
}

const optionsSchema: z.ZodType<QwenOptions> = z.strictObject({
  cleanSystem: z.boolean().optional(),
  toolsAfterResult: z.boolean().optional(),
});

/**
 * Makes models of the Qwen family usable with tools if the server does not parse their calls. Converts calls and
 * reasoning in the text to parts, and removes instructions that make the model write calls as text. If the request has no
 * tools, or calls of undeclared tools are text, such a call that would write a file becomes its content as fenced code.
 *
 * @throws KelivoError with code `invalid-settings` for an unknown or invalid option.
 */
export function qwenMiddleware(options: QwenOptions = {}): ModelMiddleware {
  const { cleanSystem = true, toolsAfterResult = true } = parseSettings(
    optionsSchema,
    options,
    'the options of qwenMiddleware',
  );
  const requests = createMiddleware({
    wrap: model =>
      withChanges(model, call => ({
        call: {
          ...(toolsAfterResult ? call : withoutToolsAfterResult(call)),
          ...(cleanSystem && { prompt: withoutCallExamples(call.prompt) }),
        },
      })),
  });
  // The texts are read with the tools of the changed request.
  return joinMiddlewares(requests, readerMiddleware(loadReader));
}

const loadReader = () => import('./qwen-reader.js');

function withoutToolsAfterResult(call: CoreCall): CoreCall {
  if (!isContinuation(call)) return call;
  const { tools, toolChoice, ...rest } = call;
  return rest;
}

/** Removes examples of calls from the system messages of a prompt. */
const withoutCallExamples = (prompt: Prompt): Prompt =>
  prompt.map(message =>
    message.role === 'system' ? { ...message, content: cleanSystemMessage(message.content) } : message,
  );

function cleanSystemMessage(system: string): string {
  // The sender describes its own call syntax, and parses the calls itself.
  if (system.includes('<tools>')) return system;
  const cleaned = withoutCallBlocks(system).split('\n').map(withoutInlineExamples).join('\n');
  if (cleaned === system) return system;
  // Lines that contained nothing else disappear.
  return cleaned
    .split('\n')
    .map(line => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const inlineExample = /\[tool_call:[^\S\n]{0,20}([\w.-]{0,200})(?![\w.-])[^\]\n]{0,1000}\]/g;

/** Names the tools of the examples in a sentence. Removes a line with examples and nothing more than a label. */
function withoutInlineExamples(line: string): string {
  const rest = line.replace(inlineExample, '');
  if (rest === line) return line;
  return /^\W*(?:\w+:\W*)?$/.test(rest) ? '' : line.replace(inlineExample, '$1');
}

/** The start of a call. The tag alone, before other text, is mentioned by instructions. */
const CALL_START = /<tool_call>\s*(?:\{|<function=)/g;
const CLOSE = '</tool_call>';

function withoutCallBlocks(text: string): string {
  let kept = '';
  let start = 0;
  for (const { index } of text.matchAll(CALL_START)) {
    // The example of a call may contain another one.
    if (index < start) continue;
    const close = text.indexOf(CLOSE, index);
    if (close < 0) break;
    kept += text.slice(start, index);
    start = close + CLOSE.length;
  }
  return kept + text.slice(start);
}

import type { CoreCall } from '../../../core/call.js';
import { type AssistantPart, callsOf, type ToolResultPart } from '../../../core/prompt.js';
import { toStableJson, tryParseJson } from '../../../core/shared/json.js';
import { once } from '../../../core/shared/once.js';

import { parseToolArguments } from '../../../core/tool-calls/tool-arguments.js';
import type { DeclaredTools, ReasoningTags, TextToolFormat } from '../reading/text-tool-format.js';
import type { QuotedCalls } from './call-reader.js';
import { TextParser } from './text-parser.js';

/*
 * A model that answers about a page may quote it. Markup of calls in such a quotation is the page's, and not a decision of the
 * model. A call in a text is therefore text if a tool result or a text of the user in the same prompt contains the same call:
 * the same tool and equal arguments, in a format of the model. The model's own calls in the prompt, and values that only occur
 * in a text, do not count.
 */

/** Finds the calls in the foreign texts of a prompt, when the first call of a response is read. */
export function createQuotedCalls(
  call: Pick<CoreCall, 'prompt'>,
  tools: DeclaredTools,
  formats: readonly TextToolFormat[],
  reasoning: readonly ReasoningTags[],
): QuotedCalls {
  const keyOf = (name: string, input: string): string => {
    const parsed = parseToolArguments(input, { schema: tools.get(name)?.schema });
    // A quotation may be indented, and lose its Markdown.
    const contents = parsed.success ? toStableJson(parsed.input) : input;
    return `${name} ${contents.replaceAll(/\\[nrt]|[\s`]/g, '')}`;
  };
  const openers = formats.flatMap(format => [
    ...format.openers,
    ...(format.lineOpeners ?? []),
    ...(format.startOpeners ?? []),
  ]);

  const read = once((): ReadonlySet<string> => {
    const found = new Set<string>();
    if (tools.size === 0) return found;
    for (const text of foreignTexts(call.prompt)) {
      for (const variant of variantsOf(text)) {
        if (!openers.some(opener => variant.includes(opener))) continue;
        const parser = new TextParser(
          {
            formats,
            reasoning,
            tools,
            undeclared: 'text',
            keepsReasoning: true,
            streamArgumentsFrom: Infinity,
          },
          createCollector((name, input) => found.add(keyOf(name, input))),
        );
        parser.feed(variant);
        parser.end();
        parser.unclosedCall?.complete();
      }
    }
    if (found.size === 0) return found;
    for (const { toolName, input } of callsOf(call.prompt))
      found.delete(keyOf(toolName, JSON.stringify(input)));
    return found;
  });

  return {
    get isEmpty() {
      return read().size === 0;
    },
    has: (name, input) => read().size > 0 && read().has(keyOf(name, input)),
  };
}

/** Collects the calls of a parser. */
function createCollector(onCall: (name: string, input: string) => void) {
  let called: { name: string; input: string } | undefined;
  return {
    text() {},
    reasoning() {},
    callStart(options: { name: string }) {
      called = { name: options.name, input: '' };
    },
    callInput(text: string) {
      if (called !== undefined) called.input += text;
    },
    callEnd() {
      if (called !== undefined) onCall(called.name, called.input);
      called = undefined;
    },
    callBroken() {
      called = undefined;
    },
  };
}

/** The texts of a prompt that neither the model nor the application has written. */
function foreignTexts(prompt: CoreCall['prompt']): string[] {
  const texts: string[] = [];
  const addResult = (part: AssistantPart | ToolResultPart): void => {
    if (part.type !== 'tool-result') return;
    const remaining: unknown[] = [part.output];
    while (remaining.length > 0) {
      const next = remaining.pop();
      if (typeof next === 'string') {
        texts.push(next);
        if (/^\s*[[{"]/.test(next)) remaining.push(tryParseJson(next));
      } else if (typeof next === 'object' && next !== null && !ArrayBuffer.isView(next))
        remaining.push(...(Object.values(next) as unknown[]));
    }
  };
  for (const message of prompt) {
    if (message.role === 'user')
      for (const part of message.content) if (part.type === 'text') texts.push(part.text);
    if (message.role === 'assistant') message.content.forEach(addResult);
    if (message.role === 'tool')
      for (const part of message.content) if (part.type === 'tool-result') addResult(part);
  }
  return texts;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/**
 * Returns a text, without its Markdown, and without the entities of HTML. What is code or a quotation on a page need not be
 * one in the answer.
 */
function variantsOf(text: string): Set<string> {
  const plain = text.replaceAll('`', '').replaceAll(/^[ \t]{0,80}(?:>[ \t]?){0,8}[ \t]{0,80}/gm, '');
  const decoded = plain.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => ENTITIES[name] ?? '');
  return new Set([text, plain, decoded]);
}

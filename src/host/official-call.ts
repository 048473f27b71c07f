import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Message,
  LanguageModelV2Prompt,
  LanguageModelV2ToolChoice,
} from '@ai-sdk/provider';
import { createToolNames } from '../responses/request/tool-names.js';
import { toHostEffort } from '../responses/request/model-settings.js';
import { isContinuation, pairToolCalls } from '../tool-calls/call-pairing.js';
import { withHiddenCalls } from '../tool-loop/hidden-calls.js';
import { isToolStub } from '../tools/tool-stubs.js';

export interface OfficialCall {
  readonly options: LanguageModelV2CallOptions;
  /** Maps tool names of the response to declared names, if the API rejects a declared name and another one was sent. */
  readonly toDeclaredName?: (name: string) => string;
}

/**
 * Converts the options of a call for the official provider, so that it can continue a conversation of this package's
 * provider. Without such a history, only `store` and the reasoning option of `ai@7` change.
 */
export function toOfficialCall(
  options: LanguageModelV2CallOptions,
  { store: storeByDefault }: { store: boolean },
): OfficialCall {
  const { openai, kelivo } = options.providerOptions ?? {};
  // The official provider's default, `true`, replays items by reference. Items of responses that were not stored exist on
  // no server.
  const store = kelivo?.store ?? openai?.store ?? storeByDefault;
  const functions = options.tools?.filter(tool => tool.type === 'function') ?? [];
  const functionNames = new Set(functions.map(tool => tool.name));
  const paired = pairToolCalls(withHiddenCalls(options.prompt), {
    keepOrphans: isContinuation(options),
    isFunctionTool: toolName => functionNames.has(toolName),
  });
  const prompt = withoutTrailingReasoning(paired, { store: store !== false });
  const tools = options.tools?.filter(tool => tool.type !== 'function' || !isToolStub(tool));
  const converted = {
    ...options,
    providerOptions: {
      ...options.providerOptions,
      openai: { ...toReasoningEffort(options), ...openai, ...kelivo, store },
    },
    prompt,
    tools: tools?.length === 0 ? undefined : tools,
    toolChoice: toValidChoice(options.toolChoice, new Set(tools?.map(tool => tool.name))),
  };

  const names = [...functions.map(tool => tool.name), ...toolNamesIn(prompt)];
  const { toWire, fromWire } = createToolNames(names);
  if (names.every(name => toWire(name) === name)) return { options: converted };
  return { options: renameTools(converted, toWire), toDeclaredName: fromWire };
}

/** `ai@7` requests reasoning with a call option that the official provider for `ai@5` does not read. */
function toReasoningEffort(options: LanguageModelV2CallOptions): { reasoningEffort?: string } {
  const reasoningEffort = toHostEffort(options);
  return reasoningEffort === undefined ? {} : { reasoningEffort };
}

/** Drops a choice of tools that are not declared. */
function toValidChoice(
  choice: LanguageModelV2ToolChoice | undefined,
  names: ReadonlySet<string>,
): LanguageModelV2ToolChoice | undefined {
  const isValid = choice?.type === 'tool' ? names.has(choice.toolName) : names.size > 0;
  return isValid ? choice : undefined;
}

function renameTools(
  { prompt, tools, toolChoice, ...options }: LanguageModelV2CallOptions,
  toName: (name: string) => string,
): LanguageModelV2CallOptions {
  const rename = <Part extends object>(part: Part): Part =>
    'toolName' in part ? { ...part, toolName: toName(String(part.toolName)) } : part;
  return {
    ...options,
    prompt: prompt.map((message): LanguageModelV2Message => {
      if (message.role === 'tool') return { ...message, content: message.content.map(rename) };
      return message.role === 'assistant' ? { ...message, content: message.content.map(rename) } : message;
    }),
    tools: tools?.map(tool => (tool.type === 'function' ? { ...tool, name: toName(tool.name) } : tool)),
    toolChoice: toolChoice && rename(toolChoice),
  };
}

function* toolNamesIn(prompt: LanguageModelV2Prompt): Generator<string> {
  for (const { role, content } of prompt) {
    if (role !== 'assistant' && role !== 'tool') continue;
    for (const part of content) if ('toolName' in part) yield part.toolName;
  }
}

/** Removes reasoning at the end of an interrupted turn: the API rejects it without the item that follows. */
function withoutTrailingReasoning(
  prompt: LanguageModelV2Prompt,
  { store }: { store: boolean },
): LanguageModelV2Prompt {
  return prompt.flatMap((message, index): LanguageModelV2Message[] => {
    if (message.role !== 'assistant' || prompt[index + 1]?.role === 'assistant') return [message];
    const last = message.content.findLastIndex(part => isItem(part, { store }));
    const content = message.content.filter((part, at) => part.type !== 'reasoning' || at < last);
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** Returns true if the official provider sends the part as an item that may follow reasoning. */
function isItem(
  part: Extract<LanguageModelV2Message, { role: 'assistant' }>['content'][number],
  { store }: { store: boolean },
): boolean {
  if (part.type === 'tool-call') return part.providerExecuted !== true;
  return part.type === 'text' || (part.type === 'tool-result' && store);
}

import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Message,
  LanguageModelV2Prompt,
  LanguageModelV2ToolChoice,
} from '@ai-sdk/provider';
import { createToolNames } from '../responses/request/tool-names.js';
import { toHostEffort } from '../responses/request/to-host-effort.js';
import { isContinuation } from '../tool-calls/call-pairing.js';
import { pairToolCalls } from '../tool-calls/call-pairing.js';
import { isToolStub } from '../tools/tool-stubs.js';

export interface OfficialCall {
  readonly options: LanguageModelV2CallOptions;
  /** The tool that a call in the answer means, where the API refuses the name of one and it goes by another. */
  readonly toOwnName?: (name: string) => string;
}

/**
 * The options of a call as the official provider has to get them, so that a conversation that this package's provider took
 * part in goes on. A call without such a history comes out as it went in, but for `store`
 * and the reasoning that `ai` 7 asks for.
 */
export function toOfficialCall(
  options: LanguageModelV2CallOptions,
  { store: storeByDefault }: { store: boolean },
): OfficialCall {
  const { openai, kelivo } = options.providerOptions ?? {};
  // The official provider's own default, `true`, makes it replay references to items: those that were answered without
  // storing them are on no server.
  const store = kelivo?.store ?? openai?.store ?? storeByDefault;
  const functions = options.tools?.filter(tool => tool.type === 'function') ?? [];
  const ownNames = new Set(functions.map(tool => tool.name));
  const paired = pairToolCalls(options.prompt, {
    keepOrphans: isContinuation(options),
    isFunctionTool: toolName => ownNames.has(toolName),
  });
  const prompt = withoutTrailingReasoning(paired, { store: store !== false });
  const tools = options.tools?.filter(tool => tool.type !== 'function' || !isToolStub(tool));
  const settled = {
    ...options,
    providerOptions: {
      ...options.providerOptions,
      openai: { ...toAskedEffort(options), ...openai, ...kelivo, store },
    },
    prompt,
    tools: tools?.length === 0 ? undefined : tools,
    toolChoice: toPossibleChoice(options.toolChoice, new Set(tools?.map(tool => tool.name))),
  };

  const names = [...functions.map(tool => tool.name), ...toolNamesIn(prompt)];
  const { toWire, fromWire } = createToolNames(names);
  if (names.every(name => toWire(name) === name)) return { options: settled };
  return { options: withToolNames(settled, toWire), toOwnName: fromWire };
}

/** `ai` 7 asks in an option of the call, which the official provider for `ai` 5 does not know. */
function toAskedEffort(options: LanguageModelV2CallOptions): { reasoningEffort?: string } {
  const reasoningEffort = toHostEffort(options);
  return reasoningEffort === undefined ? {} : { reasoningEffort };
}

/** A choice among tools that are there. */
function toPossibleChoice(
  choice: LanguageModelV2ToolChoice | undefined,
  names: ReadonlySet<string>,
): LanguageModelV2ToolChoice | undefined {
  const isPossible = choice?.type === 'tool' ? names.has(choice.toolName) : names.size > 0;
  return isPossible ? choice : undefined;
}

function withToolNames(
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

/** A turn that was cut off may end in reasoning, which the API refuses without the item that follows it. */
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

/** Whether the official provider sends a part as an item that reasoning can lead to. */
function isItem(
  part: Extract<LanguageModelV2Message, { role: 'assistant' }>['content'][number],
  { store }: { store: boolean },
): boolean {
  if (part.type === 'tool-call') return part.providerExecuted !== true;
  return part.type === 'text' || (part.type === 'tool-result' && store);
}

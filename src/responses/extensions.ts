import { UnsupportedFunctionalityError } from '@ai-sdk/provider';
import type { CoreCall } from '../core/call.js';
import { itemOf } from '../core/custom.js';
import type { Part } from '../core/part.js';
import type {
  AssistantPart,
  CustomPart,
  Message,
  Prompt,
  ProviderTool,
  ToolCallPart,
  ToolResultPart,
} from '../core/prompt.js';
import { asJson, type JSONObject, type PlainObject, stringOf } from '../core/shared/json.js';
import type { ExtensionRegistry, OpenResponsesExtension } from './stream/extension.js';
import type { EncodedTool } from './request/tools.js';
import { createDecoder, type ReadContext } from './stream/extension-items.js';
import type { ResponseReader } from './stream/read-response.js';

/*
 * Extensions of Open Responses: tools, items and events whose type is `<implementor>:<name>`. Items are sent back as they
 * were received, with or without a codec. A codec shows them to the host, and encodes the arguments of tools.
 *
 * https://www.openresponses.org/specification
 */

interface EncodedCall {
  /** The prompt, in which items replace the parts that extensions have shown. */
  readonly prompt: Prompt;
  /** The tools of extensions, by the name under which the host declares them. */
  readonly encodedTools: ReadonlyMap<string, EncodedTool>;
}

const isExtensionType = (type: unknown): type is `${string}:${string}` =>
  typeof type === 'string' && /^[\w-]+:./.test(type);

/** Namespaces of the provider tools of other packages, which no server of this API has. */
const OTHER_PROVIDERS =
  /^(?:openai|azure|anthropic|google|vertex|google-vertex|xai|groq|mistral|cohere|bedrock|amazon-bedrock|gateway|perplexity|deepseek|fireworks|togetherai)$/;

const isProviderTool = (tool: NonNullable<CoreCall['tools']>[number]): tool is ProviderTool =>
  tool.type === 'provider';

/** Returns true for a message that may show items of extensions. */
const hasCustomParts = (message: Message): boolean =>
  message.role === 'assistant' && message.content.some(part => part.type === 'custom');

/** Encodes the tools of a call, and replaces the parts of its prompt that extensions have shown by their items. */
export async function encodeExtensions(
  { tools = [], prompt }: Pick<CoreCall, 'prompt' | 'tools'>,
  registry: ExtensionRegistry,
): Promise<EncodedCall> {
  const encodedTools = new Map<string, EncodedTool>();
  // Nearly all calls.
  if (registry.byId.size === 0 && !prompt.some(hasCustomParts) && !tools.some(isProviderTool))
    return { prompt, encodedTools };
  for (const tool of tools) {
    const encoded = tool.type === 'provider' ? await encodeTool(tool, registry) : undefined;
    if (encoded !== undefined) encodedTools.set(tool.name, encoded);
  }
  const declared = tools.filter(isProviderTool);
  const toItems = createItemEncoder(prompt, declared, registry);
  return { prompt: await toItems(), encodedTools };
}

/** Shows the items and events of a response that belong to extensions. */
export function decodeExtensions(
  reader: ResponseReader,
  context: ReadContext,
  registry: ExtensionRegistry,
): ResponseReader {
  if (registry.byId.size === 0) return reader;
  const { convert, hasHostCalls } = createDecoder(context, registry);
  return {
    body: reader.body,
    async next() {
      for (;;) {
        const parts = await reader.next();
        if (parts === undefined) return undefined;
        const shown: Part[] = [];
        for (const part of parts) {
          if (part.type !== 'finish') shown.push(...(await convert(part)));
          else if (part.finishReason.unified !== 'stop' || !hasHostCalls()) shown.push(part);
          else
            shown.push({
              ...part,
              finishReason: { ...part.finishReason, unified: 'tool-calls' as const },
            });
        }
        if (shown.length > 0) return shown;
      }
    },
  };
}

async function encodeTool(tool: ProviderTool, registry: ExtensionRegistry): Promise<EncodedTool | undefined> {
  const { id, name } = tool;
  const args = { ...tool.args };
  const extension = registry.byId.get(id);
  const [implementor = ''] = id.split('.');
  if (extension === undefined && (!registry.sendsUnknown || OTHER_PROVIDERS.test(implementor)))
    return undefined;
  const type = extension?.toolType ?? id.replace('.', ':');
  const fields = extension?.encodeTool === undefined ? args : await extension.encodeTool({ name, args });
  if (fields === undefined) return undefined;
  const choice =
    extension?.encodeToolChoice === undefined ? {} : await extension.encodeToolChoice({ name, args });
  return { wire: { ...fields, type }, choice: choice && { ...choice, type } };
}

/** Returns a function that replaces the parts of a prompt that extensions have shown by their items, each once. */
function createItemEncoder(
  prompt: Prompt,
  declared: readonly ProviderTool[],
  registry: ExtensionRegistry,
): () => Promise<Prompt> {
  const carried = new Set<string>();
  /** The extensions that have shown a call, by its id. */
  const shown = new Map<string, OpenResponsesExtension | undefined>();
  const assistantParts = prompt.flatMap(message => (message.role === 'assistant' ? message.content : []));
  for (const part of assistantParts) {
    const item = part.type === 'custom' ? itemOf(part) : undefined;
    if (!isExtensionType(item?.type)) continue;
    carried.add(stringOf(item?.id));
    for (const id of part.own?.shows ?? []) shown.set(id, registry.byItem.get(stringOf(item?.type)));
  }
  const isReplaced = (part: AssistantPart): boolean =>
    part.own?.ofItem !== undefined && carried.has(part.own.ofItem);
  for (const part of assistantParts) {
    if (part.type === 'tool-call' && isReplaced(part) && !shown.has(part.toolCallId))
      shown.set(part.toolCallId, extensionOf(part));
  }

  return async () => {
    if (carried.size === 0 && registry.byId.size === 0) return prompt;
    const messages: Message[] = [];
    for (const message of prompt) {
      if (message.role === 'assistant') {
        const content: AssistantPart[] = [];
        for (const part of message.content) content.push(...(await toAssistantParts(part)));
        if (content.length > 0 || message.content.length === 0) messages.push({ ...message, content });
      } else if (message.role === 'tool') {
        const items: CustomPart[] = [];
        const rest = [];
        for (const part of message.content) {
          const encoded = part.type === 'tool-result' ? await toResultItems(part) : undefined;
          if (encoded === undefined) rest.push(part);
          else items.push(...encoded);
        }
        if (rest.length > 0 || message.content.length === 0) messages.push({ ...message, content: rest });
        if (items.length > 0) messages.push({ role: 'assistant', content: items });
      } else messages.push(message);
    }
    return messages;
  };

  async function toAssistantParts(part: AssistantPart): Promise<readonly AssistantPart[]> {
    if (isReplaced(part)) return [];
    if (part.type !== 'tool-call' && part.type !== 'tool-result') return [part];
    if (shown.has(part.toolCallId)) return [];
    return (await encode(part, extensionOf(part))) ?? [part];
  }

  /** Returns the items of the result of a call that the host ran. Undefined for calls of functions. */
  async function toResultItems(part: ToolResultPart): Promise<readonly CustomPart[] | undefined> {
    const isShown = shown.has(part.toolCallId);
    const encoded = await encode(part, isShown ? shown.get(part.toolCallId) : extensionOf(part));
    if (encoded !== undefined || !isShown) return encoded;
    const { output } = part;
    const value = 'value' in output ? output.value : (output.reason ?? 'The call was denied.');
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [toItemPart({ type: 'function_call_output', call_id: part.toolCallId, output: text })];
  }

  function extensionOf(part: { toolName: string }): OpenResponsesExtension | undefined {
    return registry.byId.get(declared.find(tool => tool.name === part.toolName)?.id ?? '');
  }

  async function encode(
    part: ToolCallPart | ToolResultPart,
    extension: OpenResponsesExtension | undefined,
  ): Promise<readonly CustomPart[] | undefined> {
    if (extension?.encodeInputItem === undefined) return undefined;
    const { id, itemTypes = [] } = extension;
    const tool = declared.find(providerTool => providerTool.name === part.toolName) ?? {
      type: 'provider' as const,
      id,
      name: part.toolName,
      args: {},
    };
    const encoded = await extension.encodeInputItem({ part, tool });
    const items = encoded === undefined ? undefined : ([encoded].flat() as PlainObject[]);
    const other = items?.find(item => !itemTypes.some(known => known === item.type));
    if (other === undefined) return items?.map(toItemPart);
    throw new UnsupportedFunctionalityError({
      functionality: `the extension "${id}", whose \`encodeInputItem\` returned an item of type "${stringOf(other.type)}"`,
      message: `Expected \`encodeInputItem\` of the extension "${id}" to return items of ${itemTypes.join(' or ')}, got "${stringOf(other.type)}".`,
    });
  }
}

const toItemPart = (item: PlainObject): CustomPart => ({
  type: 'custom',
  kind: `openai.${stringOf(item.type)}`,
  own: { item: asJson(item) as JSONObject },
});

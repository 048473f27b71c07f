import { isPlainObject } from '../../core/shared/json.js';
import { mapSchema } from '../../core/tool-calls/json-schema.js';
import {
  type AssistantMessage,
  type FunctionCall,
  type FunctionCallOutput,
  type InputContent,
  type InputImage,
  type InputItem,
  type InstructionMessage,
  isFunctionCall,
  isFunctionCallOutput,
  isMessage,
  isReasoning,
  nearestEffort,
  type ReasoningItem,
  type ResponsesRequestBody,
  type UserMessage,
  type WireTool,
} from '../wire.js';
import type { Compatibility } from './compatibility.js';
import { TOOL_FIELD, withoutId, withoutTool } from './item-repairs.js';

/** Converts a request to the format that the endpoint accepts. Returns the same object if nothing changes. */
export function applyCompatibility(
  body: ResponsesRequestBody,
  compatibility: Compatibility,
): ResponsesRequestBody {
  const { instructionsWithPreviousResponse, additionalProperties, efforts, without = [] } = compatibility;
  const moved = withAcceptedEffort(
    instructionsWithPreviousResponse === false ? moveInstructions(body) : body,
    efforts,
  );
  const items = withReasoningAs(compatibility, moved);
  const input = toCompatibleItems(toCompatibleOutputs(items, compatibility), compatibility);
  const tools =
    additionalProperties === false && moved.tools !== undefined
      ? mapIfChanged(moved.tools, withOpenSchema)
      : moved.tools;
  const isSame = input === moved.input && tools === moved.tools;
  const changed = isSame ? moved : { ...moved, input, ...(tools && { tools }) };
  return without.reduce(withoutField, changed);
}

function moveInstructions(body: ResponsesRequestBody): ResponsesRequestBody {
  const { instructions, ...rest } = body;
  if (instructions === undefined || body.previous_response_id === undefined) return body;
  return { ...rest, input: [{ type: 'message', role: 'system', content: instructions }, ...body.input] };
}

/**
 * Converts reasoning to the accepted form and removes the rest. The ids of the items after removed reasoning are removed
 * with it: a server that has stored them requires their reasoning.
 */
function withReasoningAs(
  { reasoning: form = true, itemIds }: Compatibility,
  { input: items, store }: ResponsesRequestBody,
): InputItem[] {
  if (form !== false && !items.some(isReasoning)) return items;
  let isRemoved = form === false;
  const accepted = items.flatMap((item, index) => {
    if (isReasoning(item)) {
      const isUnnamed = itemIds !== 'required' && isBeforeUnnamed(items, index);
      const kept = toReasoning(item, { form, store, isUnnamed });
      isRemoved = kept === undefined;
      return kept ?? [];
    }
    return isRemoved && (item.type === 'function_call' || isAssistantMessage(item)) ? withoutId(item) : item;
  });
  return accepted.length < items.length
    ? accepted
    : mapIfChanged(items, (item, index) => accepted[index] ?? item);
}

/** Returns true if the item after reasoning is a message without an id. */
function isBeforeUnnamed(items: readonly InputItem[], index: number): boolean {
  let next = index + 1;
  while (items[next]?.type === 'reasoning') next++;
  const follower = items[next];
  return follower !== undefined && isAssistantMessage(follower) && follower.id === undefined;
}

/**
 * Returns reasoning in the accepted form, or undefined.
 *
 * @param options.isUnnamed a message without an id follows. OpenAI may reject an id in front of it, and accepts encrypted
 *   content without one.
 */
function toReasoning(
  item: ReasoningItem,
  { form, store, isUnnamed }: { form: boolean | 'text'; store: boolean; isUnnamed: boolean },
): ReasoningItem | undefined {
  if (form === false) return undefined;
  const { content, encrypted_content: encrypted, ...rest } = item;
  if (form === 'text') return content?.length ? { ...rest, summary: [], content } : undefined;
  if (encrypted !== undefined) {
    const { content: _, ...opaque } = item;
    return isUnnamed ? withoutId(opaque) : content === undefined ? item : opaque;
  }
  // Without encrypted content, OpenAI has to know the item by its id.
  const isStored = store && item.id !== undefined;
  if (isStored ? isUnnamed : content !== undefined) return undefined;
  return content === undefined ? item : rest;
}

/** Replaces a level of reasoning effort that is not among the accepted ones. */
function withAcceptedEffort(
  body: ResponsesRequestBody,
  efforts: readonly string[] | undefined,
): ResponsesRequestBody {
  const effort = body.reasoning?.effort;
  if (effort === undefined || efforts === undefined || efforts.includes(effort)) return body;
  const nearest = nearestEffort(effort, efforts);
  return nearest === undefined ? body : { ...body, reasoning: { ...body.reasoning, effort: nearest } };
}

/** Removes `additionalProperties: false` from the schema of a tool. */
function withOpenSchema(tool: WireTool): WireTool {
  if (tool.type !== 'function' || !isPlainObject(tool.parameters)) return tool;
  const parameters = mapSchema(tool.parameters, schema => {
    if (schema.additionalProperties !== false) return schema;
    const { additionalProperties: _, ...open } = schema;
    return open;
  });
  return parameters === tool.parameters ? tool : { ...tool, parameters };
}

const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg_',
  function_call: 'fc_',
  function_call_output: 'fc_',
  reasoning: 'rs_',
};

/** Adds the item fields that OpenAI treats as optional and other servers require. */
function toCompatibleItems(
  items: InputItem[],
  { itemIds, messageType, developerRole = true, status, annotations }: Compatibility,
): InputItem[] {
  const isDefault = messageType === undefined && developerRole && !status && !annotations;
  if (isDefault && itemIds !== 'required') return items;
  const ids = new Set(items.flatMap(item => ('id' in item && item.id ? [item.id] : [])));
  const used = new Set<string>();

  return mapIfChanged(items, (item, index) => {
    let changed = item;
    if (isMessage(changed)) changed = withType(changed, messageType);
    if (!developerRole && isMessage(changed) && changed.role === 'developer') {
      changed = { ...changed, role: 'system' };
    }
    if (status && isModelItem(changed) && changed.status === undefined)
      changed = { ...changed, status: 'completed' };
    if (annotations && isAssistantMessage(changed)) changed = withAnnotations(changed);
    return itemIds === 'required' && hasId(changed) ? withId(changed, index) : changed;
  });

  function withId(item: ItemWithId, index: number): InputItem {
    if (item.id && !used.has(item.id)) {
      used.add(item.id);
      return item;
    }
    const prefix = ID_PREFIXES[item.type ?? 'message'] ?? '';
    // Derived from the position, so that the next round sends the same ids: a changed id would lose the cached prefix.
    let id = `${prefix}input_${index}`;
    while (ids.has(id) || used.has(id)) id += '_';
    used.add(id);
    return { ...item, id };
  }
}

type Message = InstructionMessage | UserMessage | AssistantMessage;
type ModelItem = AssistantMessage | FunctionCall | ReasoningItem;
type ItemWithId = ModelItem | FunctionCallOutput;

const isAssistantMessage = (item: InputItem): item is AssistantMessage =>
  'role' in item && item.role === 'assistant';

const isModelItem = (item: InputItem): item is ModelItem =>
  isAssistantMessage(item) || item.type === 'function_call' || item.type === 'reasoning';

const hasId = (item: InputItem): item is ItemWithId =>
  isModelItem(item) || item.type === 'function_call_output';

/** Adds the type of a message, or removes it. */
function withType(message: Message, messageType: boolean | undefined): Message {
  if (messageType === true) return message.type === undefined ? { type: 'message', ...message } : message;
  if (messageType === undefined || message.type === undefined) return message;
  const { type, ...untyped } = message;
  return untyped;
}

function withAnnotations(message: AssistantMessage): AssistantMessage {
  const content = mapIfChanged(message.content, part =>
    part.annotations === undefined ? { ...part, annotations: [] } : part,
  );
  return content === message.content ? message : { ...message, content };
}

/** Maps a list. Returns the same list if no value changes. */
function mapIfChanged<Value>(values: Value[], map: (value: Value, index: number) => Value): Value[] {
  const mapped = values.map(map);
  return mapped.some((value, index) => value !== values[index]) ? mapped : values;
}

type ToolImages = 'output' | 'user-message' | 'text';

/** Converts tool outputs to the content that the endpoint accepts. */
function toCompatibleOutputs(
  items: InputItem[],
  { toolOutput = 'any', toolImages = 'output', images: acceptsImages = true }: Compatibility,
): InputItem[] {
  if (!acceptsImages) return toCompatibleOutputs(withoutImages(items), { toolOutput, toolImages });
  const isString = toolOutput === 'string';
  const images: ToolImages = isString && toolImages === 'output' ? 'text' : toolImages;
  if (images === 'output' || !items.some(item => isAffected(item, isString))) return items;

  const toolNames = new Map(
    items.flatMap(item => (isFunctionCall(item) ? [[item.call_id, item.name] as const] : [])),
  );
  const converted: InputItem[] = [];
  let moved: InputContent[] = [];
  const placeMoved = (): void => {
    if (moved.length > 0) converted.push({ type: 'message', role: 'user', content: moved });
    moved = [];
  };
  for (const item of items) {
    // The outputs of parallel calls stay together: servers made for chat completions reject other items between them.
    if (!isFunctionCallOutput(item)) placeMoved();
    if (!isFunctionCallOutput(item) || typeof item.output === 'string') {
      converted.push(item);
      continue;
    }
    converted.push({ ...item, output: toOutput(item.output, { images, isString }) });
    const shown = images === 'user-message' ? item.output.filter(isImage) : [];
    if (shown.length === 0) continue;
    const origin = toolNames.get(item.call_id) ?? item.call_id;
    moved.push({ type: 'input_text', text: `Images in the output of the tool ${origin}:` }, ...shown);
  }
  placeMoved();
  return converted;
}

/** Replaces the images of messages and tool outputs with a notice, for models that read text only. */
function withoutImages(items: InputItem[]): InputItem[] {
  if (countImages(items) === 0) return items;
  const toNotices = (content: readonly InputContent[]) =>
    content.map(part => (isImage(part) ? { type: 'input_text' as const, text: NO_IMAGES_NOTICE } : part));
  return items.map((item): InputItem => {
    if (isFunctionCallOutput(item) && typeof item.output !== 'string' && item.output.some(isImage)) {
      return { ...item, output: toNotices(item.output) };
    }
    return isUserMessage(item) && item.content.some(isImage)
      ? { ...item, content: toNotices(item.content) }
      : item;
  });
}

/** Returns the number of images that a model sees. */
export const countImages = (items: readonly InputItem[]): number =>
  items
    .flatMap((item): readonly (InputContent | string)[] =>
      isFunctionCallOutput(item) ? [item.output].flat() : isUserMessage(item) ? item.content : [],
    )
    .filter(part => typeof part !== 'string' && isImage(part)).length;

const isUserMessage = (item: InputItem): item is UserMessage => 'role' in item && item.role === 'user';

function isAffected(item: InputItem, isString: boolean): boolean {
  if (!isFunctionCallOutput(item) || typeof item.output === 'string') return false;
  return isString || item.output.some(isImage);
}

function toOutput(
  content: readonly InputContent[],
  options: { images: ToolImages; isString: boolean },
): FunctionCallOutput['output'] {
  const shown = content.map(part => {
    if (part.type === 'input_text') return part;
    const notice = isImage(part)
      ? IMAGE_NOTICES[options.images]
      : options.isString
        ? toFileNotice(part)
        : undefined;
    return notice === undefined ? part : { type: 'input_text' as const, text: notice };
  });
  return options.isString
    ? shown.flatMap(part => (part.type === 'input_text' ? [part.text] : [])).join('\n')
    : shown;
}

const IMAGE_NOTICES: Readonly<Record<ToolImages, string | undefined>> = {
  output: undefined,
  'user-message': '[image: shown in the next message]',
  text: '[image omitted: this server accepts text only]',
};

const NO_IMAGES_NOTICE = '[image omitted: this model accepts text only]';

const toFileNotice = (part: { filename?: string }): string =>
  `[file${part.filename === undefined ? '' : ` ${part.filename}`} omitted: this server accepts text only]`;

const isImage = (part: InputContent): part is InputImage => part.type === 'input_image';

/** Returns true if the request has the field with this wire path. */
export const hasField = (body: ResponsesRequestBody, path: string): boolean =>
  withoutField(body, path) !== body;

const withoutField = (body: ResponsesRequestBody, path: string): ResponsesRequestBody =>
  path.startsWith(TOOL_FIELD)
    ? withoutTool(body, path.slice(TOOL_FIELD.length))
    : (omit(body, path.split('.')) as ResponsesRequestBody);

/** Removes a field from an object, or from each object of a list. In a list of strings, the path is the string. */
function omit(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const left = value
      .filter(entry => entry !== path.join('.'))
      .map(entry => (typeof entry === 'string' ? entry : omit(entry, path)));
    return left.length === value.length && left.every((entry, index) => entry === value[index])
      ? value
      : left;
  }
  const [name = '', ...inner] = path;
  if (!isPlainObject(value) || value[name] === undefined) return value;
  const { [name]: field, ...rest } = value;
  if (inner.length === 0) return rest;
  const changed = omit(field, inner);
  if (changed === field) return value;
  // Some servers reject an empty object: https://github.com/n8n-io/n8n/issues/24492
  return isEmpty(changed) ? rest : { ...value, [name]: changed };
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isPlainObject(value) && Object.keys(value).length === 0;

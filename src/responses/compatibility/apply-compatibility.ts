import { isPlainObject } from '../../shared/json.js';
import { mapSchema } from '../../tool-calls/json-schema.js';
import {
  type AssistantMessage,
  type FunctionCall,
  type FunctionCallOutput,
  type InputItem,
  type InstructionMessage,
  isMessage,
  isReasoning,
  nearestEffort,
  type ReasoningItem,
  type ResponsesRequestBody,
  type UserMessage,
  type WireTool,
} from '../wire.js';
import type { Compatibility } from './compatibility.js';
import { withoutFields } from './fields.js';
import { toCompatibleOutputs } from './tool-outputs.js';

/** Converts a request to the format that the endpoint accepts. Returns the same object if nothing changes. */
export function applyCompatibility(
  body: ResponsesRequestBody,
  compatibility: Compatibility,
): ResponsesRequestBody {
  const { instructionsWithPreviousResponse, reasoning = true, additionalProperties, efforts } = compatibility;
  const moved = withAcceptedEffort(
    instructionsWithPreviousResponse === false ? moveInstructions(body) : body,
    efforts,
  );
  const items = withReasoningAs(reasoning, moved);
  const input = toCompatibleItems(toCompatibleOutputs(items, compatibility), compatibility);
  const tools =
    additionalProperties === false && moved.tools !== undefined
      ? mapIfChanged(moved.tools, withOpenSchema)
      : moved.tools;
  const isSame = input === moved.input && tools === moved.tools;
  return withoutFields(isSame ? moved : { ...moved, input, ...(tools && { tools }) }, compatibility);
}

/** Moves instructions into a system message. */
function moveInstructions(body: ResponsesRequestBody): ResponsesRequestBody {
  const { instructions, ...rest } = body;
  if (instructions === undefined || body.previous_response_id === undefined) return body;
  return { ...rest, input: [{ role: 'system', content: instructions }, ...body.input] };
}

/**
 * Converts reasoning to the accepted form and removes the rest. The ids of the other items are removed with it: a
 * server that has stored them requires their reasoning.
 */
function withReasoningAs(
  form: NonNullable<Compatibility['reasoning']>,
  { input: items, store }: ResponsesRequestBody,
): InputItem[] {
  if (form !== false && !items.some(isReasoning)) return items;
  const accepted = items.flatMap(item => {
    const kept = isReasoning(item) ? toReasoning(item, { form, store }) : item;
    return kept === undefined ? [] : [kept];
  });
  if (form !== false && accepted.length === items.length) {
    return mapIfChanged(items, (item, index) => accepted[index] ?? item);
  }
  return mapIfChanged(accepted.length < items.length ? accepted : items, item => {
    if (!(item.type === 'function_call' || isAssistantMessage(item)) || item.id === undefined) return item;
    const { id, ...withoutId } = item;
    return withoutId;
  });
}

function toReasoning(
  item: ReasoningItem,
  { form, store }: { form: NonNullable<Compatibility['reasoning']>; store: boolean },
): ReasoningItem | undefined {
  if (form === false) return undefined;
  const { content = [], encrypted_content: encrypted, ...rest } = item;
  if (form === 'text') return content.length === 0 ? undefined : { ...rest, summary: [], content };
  if (item.content === undefined) return item;
  // OpenAI needs the encrypted content, unless it has stored the item.
  if (encrypted === undefined && !(store && item.id !== undefined)) return undefined;
  return { ...rest, ...(encrypted !== undefined && { encrypted_content: encrypted }) };
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

/** Prefixes of OpenAI's item ids, by the type of the item. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg_',
  function_call: 'fc_',
  function_call_output: 'fc_',
  reasoning: 'rs_',
};

/** Adds the item fields that OpenAI treats as optional and other servers require. */
function toCompatibleItems(
  items: InputItem[],
  { itemIds, messageType = 'assistant', developerRole = true, status, annotations }: Compatibility,
): InputItem[] {
  const isDefault = messageType === 'assistant' && developerRole && !status && !annotations;
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

/** Adds the type of a message, or removes it. Assistant messages have it already. */
function withType(message: Message, messageType: NonNullable<Compatibility['messageType']>): Message {
  if (messageType === true) return message.type === undefined ? { type: 'message', ...message } : message;
  if (messageType === 'assistant' || message.type === undefined) return message;
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

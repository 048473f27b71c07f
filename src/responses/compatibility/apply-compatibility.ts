import { isPlainObject } from '../../shared/json.js';
import { mapSchema } from '../../tool-calls/json-schema.js';
import type {
  AssistantMessage,
  FunctionCall,
  FunctionCallOutput,
  InputItem,
  ReasoningItem,
  ResponsesRequestBody,
  WireTool,
} from '../wire.js';
import type { Compatibility } from './compatibility.js';
import { withoutFields } from './fields.js';
import { toCompatibleOutputs } from './tool-outputs.js';

/** Converts a request to the format that the endpoint accepts. Returns the same object if nothing changes. */
export function applyCompatibility(
  body: ResponsesRequestBody,
  compatibility: Compatibility,
): ResponsesRequestBody {
  const { instructionsWithPreviousResponse, reasoning, additionalProperties } = compatibility;
  const moved = instructionsWithPreviousResponse === false ? moveInstructions(body) : body;
  const items = reasoning === false ? withoutReasoning(moved.input) : moved.input;
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

/** Removes reasoning, and the ids of the items after it: a server that has stored them requires their reasoning. */
function withoutReasoning(items: InputItem[]): InputItem[] {
  const others = items.filter(item => item.type !== 'reasoning');
  return mapIfChanged(others.length < items.length ? others : items, item => {
    if (!(item.type === 'function_call' || isAssistantMessage(item)) || item.id === undefined) return item;
    const { id, ...withoutId } = item;
    return withoutId;
  });
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
  { itemIds, messageType, status, annotations }: Compatibility,
): InputItem[] {
  const ids = new Set(items.flatMap(item => ('id' in item && item.id ? [item.id] : [])));
  const used = new Set<string>();

  return mapIfChanged(items, (item, index) => {
    let changed = item;
    if (messageType && 'role' in changed && changed.type === undefined)
      changed = { type: 'message', ...changed };
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

type ModelItem = AssistantMessage | FunctionCall | ReasoningItem;
type ItemWithId = ModelItem | FunctionCallOutput;

const isAssistantMessage = (item: InputItem): item is AssistantMessage =>
  'role' in item && item.role === 'assistant';

const isModelItem = (item: InputItem): item is ModelItem =>
  isAssistantMessage(item) || item.type === 'function_call' || item.type === 'reasoning';

const hasId = (item: InputItem): item is ItemWithId =>
  isModelItem(item) || item.type === 'function_call_output';

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

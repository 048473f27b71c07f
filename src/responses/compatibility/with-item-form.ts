import type { Compatibility } from './compatibility.js';
import { mapIfChanged } from './map-if-changed.js';
import type {
  AssistantMessage,
  FunctionCall,
  FunctionCallOutput,
  InputItem,
  ReasoningItem,
} from '../wire.js';

/** What the ids of OpenAI's items begin with, by the type of the item. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg_',
  function_call: 'fc_',
  function_call_output: 'fc_',
  reasoning: 'rs_',
};

/** The items with the fields that OpenAI can do without and others ask for. */
export function withItemForm(
  items: InputItem[],
  { itemIds, messageType, status, annotations }: Compatibility,
): InputItem[] {
  const ids = new Set(items.flatMap(item => ('id' in item && item.id ? [item.id] : [])));
  const used = new Set<string>();

  return mapIfChanged(items, (item, index) => {
    let formed = item;
    if (messageType && 'role' in formed && formed.type === undefined) formed = { type: 'message', ...formed };
    if (status && isWritten(formed) && formed.status === undefined)
      formed = { ...formed, status: 'completed' };
    if (annotations && isAnswer(formed)) formed = withAnnotations(formed);
    return itemIds === 'required' && hasId(formed) ? withId(formed, index) : formed;
  });

  function withId(item: ItemWithId, index: number): InputItem {
    if (item.id && !used.has(item.id)) {
      used.add(item.id);
      return item;
    }
    const prefix = ID_PREFIXES[item.type ?? 'message'] ?? '';
    // By position, so that the next round sends the same ids: a changed id would lose the cached prefix.
    let id = `${prefix}input_${index}`;
    while (ids.has(id) || used.has(id)) id += '_';
    used.add(id);
    return { ...item, id };
  }
}

type WrittenItem = AssistantMessage | FunctionCall | ReasoningItem;
type ItemWithId = WrittenItem | FunctionCallOutput;

const isAnswer = (item: InputItem): item is AssistantMessage => 'role' in item && item.role === 'assistant';

const isWritten = (item: InputItem): item is WrittenItem =>
  isAnswer(item) || item.type === 'function_call' || item.type === 'reasoning';

const hasId = (item: InputItem): item is ItemWithId =>
  isWritten(item) || item.type === 'function_call_output';

function withAnnotations(message: AssistantMessage): AssistantMessage {
  const content = mapIfChanged(message.content, part =>
    part.annotations === undefined ? { ...part, annotations: [] } : part,
  );
  return content === message.content ? message : { ...message, content };
}

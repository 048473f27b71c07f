import type { Compatibility } from './compatibility.js';
import { mapIfChanged } from './map-if-changed.js';
import type { InputItem, ResponsesRequestBody } from '../wire.js';
import { withItemForm } from './with-item-form.js';
import { withOpenSchema } from './with-open-schema.js';
import { withToolOutputs } from './with-tool-outputs.js';
import { withoutFields } from './without-fields.js';

/** The request in a form that the endpoint takes; the same object when it has that form already. */
export function applyCompatibility(body: ResponsesRequestBody, profile: Compatibility): ResponsesRequestBody {
  const placed = profile.instructionsWithPreviousResponse === false ? withInstructionsInInput(body) : body;
  const items = profile.reasoning === false ? withoutReasoning(placed.input) : placed.input;
  const input = withItemForm(withToolOutputs(items, profile), profile);
  const tools =
    profile.additionalProperties === false && placed.tools !== undefined
      ? mapIfChanged(placed.tools, withOpenSchema)
      : placed.tools;
  const isSame = input === placed.input && tools === placed.tools;
  return withoutFields(isSame ? placed : { ...placed, input, ...(tools && { tools }) }, profile);
}

function withInstructionsInInput(body: ResponsesRequestBody): ResponsesRequestBody {
  const { instructions, ...rest } = body;
  if (instructions === undefined || body.previous_response_id === undefined) return body;
  return { ...rest, input: [{ role: 'system', content: instructions }, ...body.input] };
}

/** Without reasoning, and without the ids of what followed it: a server that knows them asks for their reasoning. */
function withoutReasoning(items: InputItem[]): InputItem[] {
  const others = items.filter(item => item.type !== 'reasoning');
  return mapIfChanged(others.length < items.length ? others : items, item => {
    const isCall = item.type === 'function_call';
    const isAnswer = 'role' in item && item.role === 'assistant';
    if (!(isCall || isAnswer) || item.id === undefined) return item;
    const { id, ...withoutId } = item;
    return withoutId;
  });
}

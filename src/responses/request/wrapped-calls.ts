import { callsOf, type Prompt } from '../../core/prompt.js';
import { INTERRUPTED } from '../../core/tool-calls/call-pairing.js';
import {
  type FunctionCallOutput,
  type InputContent,
  type InputItem,
  isFunctionCall,
  isFunctionCallOutput,
} from '../wire.js';

/** A call of the server that contained several, whose output is sent. */
interface Wrapper {
  readonly id: string;
  /** The outputs of its calls by their index. */
  readonly outputs: Map<number, Output>;
  /** The item with the joined output, at the place of the first output. */
  item?: FunctionCallOutput;
}

type Output = FunctionCallOutput['output'];

/**
 * Joins the outputs of calls that the model wrote as one call, if the server has that call: it does not know the ids of the calls
 * in it. Outputs whose calls the request contains stay as they are.
 */
export function joinWrappedOutputs(items: InputItem[], prompt: Prompt): InputItem[] {
  const wrappers = new Map<string, Wrapper>();
  const wrapped = new Map<string, { wrapper: Wrapper; index: number }>();
  for (const { toolCallId, own } of callsOf(prompt)) {
    if (own?.wrapper === undefined) continue;
    const { id, index } = own.wrapper;
    const wrapper = wrappers.get(id) ?? { id, outputs: new Map<number, Output>() };
    wrappers.set(id, wrapper);
    wrapped.set(toolCallId, { wrapper, index });
    // The server accepts one output for the call, so that none may be missing in it.
    wrapper.outputs.set(index, INTERRUPTED);
  }
  if (wrapped.size === 0) return items;
  for (const item of items) if (isFunctionCall(item)) wrapped.delete(item.call_id);

  const kept = items.flatMap((item): InputItem[] => {
    const call = isFunctionCallOutput(item) ? wrapped.get(item.call_id) : undefined;
    if (call === undefined || !isFunctionCallOutput(item)) return [item];
    const { wrapper, index } = call;
    wrapper.outputs.set(index, item.output);
    if (wrapper.item !== undefined) return [];
    wrapper.item = { ...item, call_id: wrapper.id };
    return [wrapper.item];
  });
  for (const { item, outputs } of wrappers.values()) if (item !== undefined) item.output = join(outputs);
  return kept;
}

function join(outputs: ReadonlyMap<number, Output>): Output {
  const ordered = [...outputs].sort(([a], [b]) => a - b).map(([, output]) => output);
  return ordered.every(output => typeof output === 'string')
    ? ordered.join('\n')
    : ordered.flatMap((output): InputContent[] =>
        typeof output === 'string' ? [{ type: 'input_text', text: output }] : output,
      );
}

import { randomBytes } from 'node:crypto';
import { objectsOf, type PlainObject } from '../../src/core/shared/json.js';
import { readTurn } from '../../src/testing/model/model.js';
import { createId } from '../../src/testing/model/response.js';
import type { FunctionTool, ResponsesRequest } from '../../src/testing/protocol/request.js';
import type { ScriptedItem } from '../../src/testing/protocol/scripts.js';
import type { RawItem } from '../../src/testing/protocol/wire.js';

/*
 * Items of tools that the server executes, which the rule-based model adds to the calls and texts that the user's message
 * requests: programs for functions that only programs may call, and images.
 */

/** Adds these items to the output of the rule-based model. */
export function addHostedItems(
  items: readonly ScriptedItem[],
  request: ResponsesRequest,
): readonly ScriptedItem[] {
  const turn = readTurn(request.items);
  const calls = items.flatMap(item => ('call' in item && !('type' in item) ? [item] : []));
  const before = items.filter(item => 'type' in item || 'reasoning' in item);
  const answer = items.filter(item => 'text' in item || 'refusal' in item);
  if (calls.length === 0) {
    const image = answer.length > 0 ? toImage(request, turn) : [];
    return [...before, ...toProgramOutput(turn.since), ...(image.length > 0 ? image : answer)];
  }
  const tools = calls.flatMap(({ call, namespace }) =>
    [...request.tools, ...request.searchableTools].filter(
      ({ name, namespace: declared }) => name === call && (declared ?? name) === (namespace ?? name),
    ),
  );
  const program = toProgram(tools);
  return [
    ...before,
    ...(program === undefined ? [] : [program]),
    ...calls.map(call => ({ ...call, ...(program && { program: String(program.call_id) }) })),
  ];
}

const isForPrograms = ({ definition }: FunctionTool): boolean =>
  Array.isArray(definition.allowed_callers) && !definition.allowed_callers.includes('direct');

/** Returns a program that makes the calls, if their tools may be called by programs only. */
function toProgram(tools: readonly FunctionTool[]): RawItem | undefined {
  if (tools.length === 0 || !tools.every(isForPrograms)) return undefined;
  return {
    type: 'program',
    id: createId('prog'),
    call_id: createId('call'),
    code: tools.map(({ name }) => `await tools.${name}();`).join('\n'),
    fingerprint: randomBytes(16).toString('hex'),
  };
}

/** Returns the output of a program whose calls have their outputs. */
function toProgramOutput(since: readonly PlainObject[]): RawItem[] {
  const program = since.findLast(({ type }) => type === 'program');
  if (program === undefined) return [];
  if (since.some(({ type, call_id: id }) => type === 'program_output' && id === program.call_id)) return [];
  const outputs = since.filter(({ type }) => type === 'function_call_output').map(({ output }) => output);
  return [
    {
      type: 'program_output',
      id: createId('progout'),
      call_id: program.call_id,
      result: JSON.stringify(outputs),
      status: 'completed',
    },
  ];
}

/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Generates an image if the message asks for one, or edits the image of an earlier turn. */
function toImage(
  { body, items }: ResponsesRequest,
  { message, since }: { message: string; since: readonly PlainObject[] },
): ScriptedItem[] {
  const isDeclared = objectsOf(body.tools).some(({ type }) => type === 'image_generation');
  const isDone = since.some(({ type }) => type === 'image_generation_call');
  const earlier = items.some(({ type }) => type === 'image_generation_call');
  const isWanted =
    /\b(draw|paint|image|picture)\b/i.test(message) || (earlier && /\bmake it\b/i.test(message));
  if (!isDeclared || isDone || !isWanted) return [];
  const action = earlier ? 'edit' : 'generate';
  return [
    {
      type: 'image_generation_call',
      id: createId('ig'),
      status: 'completed',
      action,
      output_format: 'png',
      revised_prompt: message,
      result: PIXEL,
    },
    { text: earlier ? 'I edited the image.' : 'I generated an image.' },
  ];
}

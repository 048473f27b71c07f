import { randomBytes } from 'node:crypto';
import { objectsOf, type PlainObject } from '../shared/json.js';
import { createId } from './response.js';
import type { FunctionTool, ResponsesRequest } from './request.js';
import type { ScriptedItem } from './scripts.js';
import type { RawItem } from './wire.js';

/*
 * Items of tools that the server executes: what the rule-based model adds to the calls and texts that the
 * user's message requests.
 */

/** Returns a program that makes the calls, if their tools may be called by programs only. */
export function toProgram(tools: readonly FunctionTool[]): RawItem | undefined {
  if (tools.length === 0 || !tools.every(tool => tool.isForPrograms)) return undefined;
  return {
    type: 'program',
    id: createId('prog'),
    call_id: createId('call'),
    code: tools.map(({ name }) => `await tools.${name}();`).join('\n'),
    fingerprint: randomBytes(16).toString('hex'),
  };
}

/** Returns the output of a program whose calls have their outputs. */
export function toProgramOutput(since: readonly PlainObject[]): RawItem[] {
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

/** Searches for tools that are loaded on demand. A search of the client has an id and ends the response. */
export function toToolSearch(
  { body }: ResponsesRequest,
  found: readonly FunctionTool[],
): { items: RawItem[]; isForClient: boolean } {
  const search = objectsOf(body.tools).find(({ type }) => type === 'tool_search');
  if (search === undefined || found.length === 0) return { items: [], isForClient: false };
  const isForClient = search.execution === 'client';
  const common = { execution: isForClient ? 'client' : 'server', status: 'completed' };
  const call = {
    type: 'tool_search_call',
    id: createId('tsc'),
    call_id: isForClient ? createId('call') : null,
    arguments: { paths: found.map(({ name }) => name) },
    ...common,
  };
  const output = {
    type: 'tool_search_output',
    id: createId('tso'),
    call_id: null,
    tools: found.map(({ definition }) => definition),
    ...common,
  };
  return { items: isForClient ? [call] : [call, output], isForClient };
}

/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Generates an image if the message asks for one, or edits the image of an earlier turn. */
export function toImage(
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

import * as z from 'zod/v4';
import { idOf, objectOf, type PlainObject } from '../../core/shared/json.js';
import { hostedCallNames } from '../../core/tool-calls/hosted-tools.js';
import {
  type HostedTool,
  presentFields,
  presentItems,
  type SentItem,
  type ServerCall,
  toCallId,
  toItemId,
  defineHostedTool,
} from './hosted-tool.js';

/** A program that the model wrote. */
export interface ProgrammaticToolCallingInput {
  /** JavaScript that calls tools. */
  code: string;
  /** Identifies the program for the API, which requires it unchanged in later requests. */
  fingerprint: string;
}

/** The end of a program. */
export interface ProgrammaticToolCallingOutput {
  /** Text that the program returned. */
  result: string;
  status: 'completed' | 'incomplete';
}

/**
 * Lets the model write programs that call tools, which OpenAI's servers run. A program can call the tools that have
 * `allowedCallers: ['programmatic']`: functions in `providerOptions.openai`, hosted tools in their arguments. The result of a
 * program follows in a later response if it calls tools of the host.
 */
export const programmaticToolCalling = defineHostedTool<
  ProgrammaticToolCallingInput,
  ProgrammaticToolCallingOutput
>()({
  id: 'openai.programmatic_tool_calling',
  name: 'programmatic_tool_calling',
  isProviderExecuted: true,
  supportsDeferredResults: true,
  caller: ({ openai, ...others } = {}) => ({
    ...others,
    openai: { ...openai, allowedCallers: [...new Set([...callersOf(openai), 'programmatic'])] },
  }),
  toSchemas: () => ({
    inputSchema: z.object({ code: z.string(), fingerprint: z.string() }),
    outputSchema: z.object({ result: z.string(), status: z.enum(['completed', 'incomplete']) }),
  }),
});

function callersOf(openai: Readonly<Record<string, unknown>> = {}): unknown[] {
  return Array.isArray(openai.allowedCallers) ? openai.allowedCallers : [];
}

export const programmaticToolCallingTool: HostedTool = {
  declarations: {
    'openai.programmatic_tool_calling': { type: 'programmatic_tool_calling', choiceFields: [] },
  },
  items: {
    program: {
      onlyIfDeclared: true,
      toolName: 'programmatic_tool_calling',
      callId: toCallId,
      input: item => presentFields({ code: item.code, fingerprint: item.fingerprint }),
      result: () => undefined,
      resultFollows: true,
      metadata: toItemId,
    },
    program_output: {
      onlyIfDeclared: true,
      toolName: 'programmatic_tool_calling',
      resultOf: toCallId,
      result: item => presentFields({ result: item.result, status: item.status }),
      metadata: toItemId,
      // The program is incomplete, not the response.
      hasIncompleteResult: true,
    },
  },
  serverReplay: toItems,
  history: hostedCallNames.programmaticToolCalling,
};

function toItems(call: ServerCall): readonly SentItem[] | undefined {
  const { id, input } = call;
  const program = toProgram(id, input, call.options);
  const output = toOutput(id, call.result, call.resultOptions);
  if (input !== undefined && program === undefined) return undefined;
  return presentItems(program, output);
}

function toProgram(callId: string, input: unknown, options: PlainObject): SentItem | undefined {
  const { code, fingerprint } = objectOf(input) ?? {};
  if (typeof code !== 'string' || typeof fingerprint !== 'string') return undefined;
  return { type: 'program', id: idOf(options.itemId) ?? callId, call_id: callId, code, fingerprint };
}

function toOutput(callId: string, value: unknown, resultOptions: PlainObject = {}): SentItem | undefined {
  const { result, status } = objectOf(value) ?? {};
  if (typeof result !== 'string') return undefined;
  return {
    type: 'program_output',
    // `ai@5` keeps no metadata of results. The official provider also falls back to the id of the call.
    id: idOf(resultOptions.itemId) ?? callId,
    call_id: callId,
    result,
    status: status === 'incomplete' ? status : 'completed',
  };
}

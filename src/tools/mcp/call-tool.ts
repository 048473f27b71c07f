import * as z from 'zod/v4';
import type { ToolDefinition, ToolOutput } from '../tool-source.js';
import type { McpConnection } from './connection.js';
import { findArgumentIssue } from './argument-issues.js';
import type { McpServerConfig } from './config.js';
import type { McpFailure, McpFailureKind } from './failures.js';
import { redactServerText } from './redaction.js';
import { type RequestLimits, sendRequest } from './request.js';
import { toMcpError } from './errors.js';
import { toToolOutput } from './tool-output.js';

// Loose on purpose: blocks of unknown kinds are shown as they are, and a result that differs from its
// output schema is still a result.
const resultSchema = z.looseObject({
  content: z.array(z.unknown()).optional().catch(undefined),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
  toolResult: z.unknown().optional(),
});

/** Which failures allow a second attempt: always, or only if running the tool twice is harmless. */
const repetitions: Readonly<Partial<Record<McpFailureKind, 'always' | 'harmless'>>> = {
  'session-expired': 'always', // refused before it ran
  'not-sent': 'always',
  closed: 'harmless', // it may have run
  network: 'harmless',
};

export interface ServerToolCall {
  serverName: string;
  config: McpServerConfig;
  /** The tool under the server's own name. */
  tool: ToolDefinition;
  input: Readonly<Record<string, unknown>>;
}

/** Calls a tool of one server, if the arguments fit its schema. Every failure is an output; only an abort rejects, with the signal's reason. */
export async function callTool(
  connection: McpConnection,
  { serverName, config, tool, input }: ServerToolCall,
  limits: RequestLimits & { signal: AbortSignal },
): Promise<ToolOutput> {
  const { signal } = limits;
  const fault = findArgumentIssue(tool, input);
  if (fault !== undefined) return { type: 'error-text', value: fault };
  const request = { method: 'tools/call' as const, params: { name: tool.name, arguments: { ...input } } };
  try {
    const result = await connection.withSession(
      session => sendRequest(session, { request, schema: resultSchema }, limits),
      { signal, mayRepeat: failure => mayRepeat(failure, tool) },
    );
    return withoutSecrets(toToolOutput(result), config);
  } catch (error) {
    signal.throwIfAborted();
    return {
      type: 'error-text',
      value: toMcpError(error, { serverName, config, toolName: tool.name }).message,
    };
  }
}

/** A server that fails may tell its environment or the headers of the request; results are what was asked for. */
function withoutSecrets(output: ToolOutput, config: McpServerConfig): ToolOutput {
  if (output.type !== 'error-text') return output;
  return { type: 'error-text', value: redactServerText(output.value, config) };
}

function mayRepeat({ kind }: McpFailure, { readOnly, idempotent }: ToolDefinition): boolean {
  const repetition = repetitions[kind];
  return repetition === 'always' || (repetition === 'harmless' && (readOnly === true || idempotent === true));
}

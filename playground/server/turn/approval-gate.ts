import { createHash } from 'node:crypto';
import type { ToolDefinition, ToolSource } from 'kelivo-responses/tool-loop';
import { localTools } from '../../shared/demo-tools.js';
import type { ApprovalPolicy } from '../../shared/playground-state.js';
import type { TraceFact } from '../../shared/trace-event.js';
import type { ServerRegistry } from '../mcp/servers.js';
import type { PolicyStore } from '../store/policies.js';
import type { ApprovalDesk, Decision } from './approvals.js';

/** A call that the model has made. */
export interface SeenCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** The approvals of one turn. */
export interface ApprovalGate {
  /** The tools, with the arguments that the user has changed. */
  readonly tools: ToolSource;
  /** Returns the arguments with which a call runs. */
  inputOf(toolCallId: string, input: unknown): unknown;
  /** Asks about a call at once if another one waits already: they are decided together. */
  see(call: SeenCall): void;
  approve(call: SeenCall & { originalName: string; server?: string }): Promise<Decision>;
  /** Ends questions about calls that the loop never reached. */
  close(): void;
}

export interface ApprovalGateOptions {
  readonly tools: ToolSource;
  readonly conversationId: string;
  readonly policy: ApprovalPolicy;
  readonly policies: PolicyStore;
  readonly servers: Pick<ServerRegistry, 'configOf'>;
  readonly desk: ApprovalDesk;
  readonly record: (fact: TraceFact) => void;
  readonly flush: () => void;
  readonly signal: AbortSignal;
}

/** A tool is another one when its server describes it otherwise, or when another server has taken the name of its server. */
const toDefinitionHash = (
  { name, description, inputSchema, readOnly, destructive }: ToolDefinition,
  config: string | undefined,
): string =>
  createHash('sha256')
    .update(JSON.stringify([name, description, inputSchema, readOnly, destructive, config]))
    .digest('base64url');

/** Must agree with the policies of the tool loop, which decides which calls it asks about. */
function needsApproval(policy: ApprovalPolicy, definition: ToolDefinition): boolean {
  const { readOnly, destructive } = definition.trustAnnotations === false ? {} : definition;
  const isSafe = readOnly === true && destructive !== true;
  if (policy === 'destructive') return !isSafe && destructive !== false;
  return policy === 'always' || (policy === 'unless-read-only' && !isSafe);
}

export function createApprovalGate(options: ApprovalGateOptions): ApprovalGate {
  const { tools, conversationId, policy, policies, servers, desk, record, flush } = options;
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  const definitions = new Map<string, ToolDefinition>(
    Object.entries(localTools).map(([name, { description, readOnly }]) => [
      name,
      { name, description, readOnly, inputSchema: { type: 'object' } },
    ]),
  );
  const asked = new Map<string, Promise<Decision>>();
  const waiting = new Set<string>();
  /** Calls that nobody was asked about yet. */
  const seen = new Map<string, SeenCall>();
  const edits = new Map<string, unknown>();

  function ask(
    call: SeenCall,
    { originalName = call.toolName, server }: { originalName?: string; server?: string },
  ) {
    const known = asked.get(call.toolCallId);
    if (known !== undefined) return known;
    const { toolCallId, toolName, input } = call;
    const definition = definitions.get(toolName);
    const isDestructive = definition?.destructive === true;
    const tool = { server: server ?? '', tool: originalName };
    const { approvalId, decision } = desk.ask({
      signal,
      call: {
        ...tool,
        conversationId,
        definition: definition && toDefinitionHash(definition, servers.configOf(tool.server)),
        inputSchema: definition?.inputSchema,
        isDestructive,
      },
    });
    record({
      type: 'approval-requested',
      approvalId,
      toolCallId,
      toolName,
      originalName,
      ...(server !== undefined && { server }),
      ...(definition?.description !== undefined && { description: definition.description }),
      ...(isDestructive && { isDestructive }),
      ...(definition?.trustAnnotations === false && { isUntrusted: true }),
      input,
    });
    waiting.add(toolCallId);
    seen.delete(toolCallId);
    const decided = decision.then(
      answer => {
        waiting.delete(toolCallId);
        if (answer.input !== undefined) edits.set(toolCallId, answer.input);
        record({
          type: 'approval-decided',
          approvalId,
          approved: answer.approved,
          ...(answer.input !== undefined && { editedInput: answer.input }),
        });
        return answer;
      },
      (error: unknown) => {
        waiting.delete(toolCallId);
        throw error;
      },
    );
    // A call that the loop never reaches has nobody to report a rejection to.
    decided.catch(() => {});
    asked.set(toolCallId, decided);
    return decided;
  }

  /** Asks about the other calls of the round, which the loop reaches one after another. */
  function askOthers(): void {
    for (const call of [...seen.values()]) {
      const definition = definitions.get(call.toolName);
      if (definition === undefined || !needsApproval(policy, definition)) continue;
      const place = { originalName: definition.originalName, server: definition.server };
      if (isAllowed(call.toolName, place)) continue;
      void ask(call, place);
    }
    flush();
  }

  const isAllowed = (toolName: string, { originalName = toolName, server = '' }): boolean => {
    const definition = definitions.get(toolName);
    return (
      definition !== undefined &&
      policies.allows({
        server,
        tool: originalName,
        conversationId,
        definition: toDefinitionHash(definition, servers.configOf(server)),
      })
    );
  };

  return {
    tools: {
      ...tools,
      async listTools(listOptions) {
        const listing = await tools.listTools(listOptions);
        for (const tool of listing.tools) definitions.set(tool.name, tool);
        return listing;
      },
      async callTool(call, callOptions) {
        const input = edits.get(call.toolCallId);
        if (input === undefined) return tools.callTool(call, callOptions);
        return withNote(
          await tools.callTool({ ...call, input: input as typeof call.input }, callOptions),
          input,
        );
      },
    },
    inputOf: (toolCallId, input) => edits.get(toolCallId) ?? input,
    see(call) {
      if (asked.has(call.toolCallId)) return;
      seen.set(call.toolCallId, call);
      if (waiting.size > 0) askOthers();
    },
    async approve(call) {
      const { toolName, originalName, server } = call;
      seen.delete(call.toolCallId);
      if (isAllowed(toolName, { originalName, server })) return { approved: true };
      const decision = ask(call, { originalName, server });
      askOthers();
      return decision;
    },
    close: () => closing.abort(new Error('The turn has ended.')),
  };
}

type Output = Awaited<ReturnType<ToolSource['callTool']>>;

/** The model reads which arguments the result belongs to. */
function withNote(output: Output, input: unknown): Output {
  const note = `The user changed the arguments before the call ran: ${JSON.stringify(input)}`;
  switch (output.type) {
    case 'text':
    case 'error-text':
      return { ...output, value: `${note}\n\n${output.value}` };
    case 'content':
      return { ...output, value: [{ type: 'text', text: note }, ...output.value] };
    case 'json':
      return {
        type: 'text',
        value: `${note}\n\n${JSON.stringify(output.value)}`,
        // For the app of the tool.
        mcp: { structuredContent: output.value, ...output.mcp },
      };
    default:
      return output;
  }
}

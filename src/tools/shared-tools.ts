import { inform } from '../core/shared/inform.js';
import { toStableJson } from '../core/shared/json.js';
import { estimateSize, Memory } from '../core/shared/memory.js';
import { type ApprovalPolicy, type CallForApproval, defaultPolicy, requiresApproval } from './approval.js';
import {
  type HostTool,
  type HostTools,
  type HostToolsOptions,
  readResult,
  toDefaultOutput,
  toHostTools,
} from './host-tools.js';
import type {
  ToolCallContext,
  ToolDefinition,
  ToolInvocation,
  ToolOutput,
  ToolSource,
  ToolTimeouts,
} from './tool-source.js';
import { type DeclarationOptions, stubIdentityOf, type ToolStub, toToolStubs } from './tool-stubs.js';

/*
 * The tools of a provider or of a model with a tool loop, for all that use them: the loop, the host, and the declarations,
 * with which either runs them.
 */

/** Options of tools that the host runs. */
export interface RunByHost extends HostToolsOptions {
  runBy: 'host';
  /** Names of tools whose calls need approval in addition to those of `approvals`. @default no tool */
  needsApproval?: readonly string[];
}

/** Returns the tools of a provider or of a model with a tool loop. */
export interface DeclareTools {
  /**
   * Returns declarations, to be spread into the `tools` of `generateText` or `streamText`. With them every major of `ai`
   * shows the calls and keeps them in its history. The provider runs the tools; while its model is switched to the official
   * provider without a tool loop, the host does. Starts the MCP servers. If a server fails, the next call of a model returns
   * a warning.
   */
  (options?: DeclarationOptions): Promise<Record<string, ToolStub>>;
  /**
   * Returns the tools with `execute`, for the loop of the host: `generateText`, `streamText` and the agents of `ai` 5, 6 and
   * 7, with any model that does not run these tools itself, such as one of `responses()`. They share sessions and
   * connections with the provider. Starts the servers; if one fails, its tools are missing.
   */
  (options: RunByHost): Promise<HostTools>;
}

/** The approvals of a tool loop. */
export interface LoopApprovals {
  readonly approve?:
    | 'host'
    | ((
        request: LoopRequest,
        options: { readonly signal: AbortSignal },
      ) => ReturnType<NonNullable<HostToolsOptions['approve']>>)
    | undefined;
  readonly approvals?:
    ApprovalPolicy | ((request: LoopRequest) => boolean | PromiseLike<boolean>) | undefined;
}

type LoopRequest = CallForApproval & Pick<ToolCallContext, 'turnId' | 'round'>;

const toKey = (call: ToolInvocation): string =>
  toStableJson([call.toolCallId, call.server, call.originalName ?? call.toolName, call.input]);

interface RecentOutput {
  readonly output: Promise<ToolOutput>;
  readonly context: unknown;
  readonly scope: string | undefined;
}

const toOwnerless = (toolName: string): string =>
  `A call of "${toolName}" with this id and these arguments has just run in a turn with a \`scope\`, which the host does not pass to ` +
  'tools. This one may belong to somebody else, so that it was not run and has no output. Call the tool again if that is meant.';

/** One of each source, because all its users share the pending warnings. */
const known = new WeakMap<ToolSource, SharedSource>();

/**
 * Keeps the warnings of listings that cannot report them, because a source returns most warnings only once, and the outputs
 * of recent calls.
 */
export class SharedSource implements ToolSource {
  readonly #source: ToolSource;
  readonly #pending = new Set<string>();
  readonly #outputs = new Memory<string, RecentOutput>('tool outputs');
  #isRunByHost = false;

  private constructor(source: ToolSource) {
    this.#source = source;
  }

  static of(source: ToolSource): SharedSource {
    if (source instanceof SharedSource) return source;
    const shared = known.get(source) ?? new SharedSource(source);
    known.set(source, shared);
    return shared;
  }

  get name(): string {
    return this.#source.name;
  }

  async listTools(options?: Parameters<ToolSource['listTools']>[0]) {
    const listing = await this.#source.listTools(options);
    const warnings = [...new Set([...this.#pending, ...listing.warnings])];
    this.#pending.clear();
    return { ...listing, warnings };
  }

  /** Lists only the tools. The warnings of this listing are returned by the next `listTools()`. */
  async listToolsOnly(): Promise<readonly ToolDefinition[]> {
    const { tools, warnings } = await this.#source.listTools();
    for (const warning of warnings) this.#pending.add(warning);
    return tools;
  }

  callTool(...[call, options]: Parameters<ToolSource['callTool']>): Promise<ToolOutput> {
    const output = this.#source.callTool(call, options);
    if (this.#isRunByHost)
      this.#remember(toKey(call), { output, context: options.callContext?.context, scope: options.scope });
    return output;
  }

  #remember(key: string, entry: RecentOutput): void {
    this.#outputs.set(key, entry);
    entry.output.then(
      result => {
        if (this.#outputs.get(key) === entry) this.#outputs.set(key, entry, estimateSize(result));
      },
      () => {},
    );
  }

  /** From now on, the host has functions that run calls, so that outputs of the loop are kept for it. */
  expectCallsOfHost(): void {
    this.#isRunByHost = true;
  }

  /**
   * Runs a call for the host, unless the loop has run it just now: a host with a loop of its own may run every call of a tool
   * that it can. An output is used once, because some servers repeat the ids of calls. The function of a tool does not learn the
   * scope of its turn, so that the call of a turn with a scope is neither answered nor run: it may be that of another user.
   */
  async callForHost(...[call, options]: Parameters<ToolSource['callTool']>): Promise<ToolOutput> {
    const key = toKey(call);
    const known = this.#outputs.get(key);
    this.#outputs.delete(key);
    if (known !== undefined && known.context === options.callContext?.context) {
      if (known.scope === undefined) return known.output;
      throw new Error(toOwnerless(call.toolName));
    }
    return this.#source.callTool(call, options);
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}

/** The tools of one owner as hosts receive them. */
export class SharedTools {
  readonly source: SharedSource;
  readonly #loop: LoopApprovals;
  readonly #timeouts: ToolTimeouts;
  /** Identities of declared tools that a host has changed, for example to ask for approval. */
  readonly #changed = new Set<string>();

  /** @param timeouts Limits for calls that the host runs. */
  constructor(source: SharedSource, loop: LoopApprovals, timeouts: ToolTimeouts = {}) {
    this.source = source;
    this.#loop = loop;
    this.#timeouts = timeouts;
  }

  /** Returns declarations. Their functions run calls only in turns that the loop does not run. */
  async declare(options?: DeclarationOptions): Promise<Record<string, ToolStub>> {
    const tools = await this.source.listToolsOnly();
    return toToolStubs(tools, options, (tool, isAsked) => this.functionsOf(tool, isAsked));
  }

  /** Returns the tools for the loop of the host. */
  async forHost({ needsApproval = [], runBy: _, ...options }: RunByHost): Promise<HostTools> {
    const listing = options.onWarning && (await this.source.listTools());
    for (const warning of listing?.warnings ?? []) inform(options.onWarning, warning);
    const tools = listing?.tools ?? (await this.source.listToolsOnly());
    const asked = tools.filter(({ name, originalName = name }) =>
      [name, originalName].some(one => needsApproval.includes(one)),
    );
    const rules = { timeouts: this.#timeouts };
    return {
      ...toHostTools(this.source, tools, options, rules),
      ...toHostTools(this.source, asked, { ...options, approvals: 'always' }, rules),
    };
  }

  /**
   * Returns the tools for the loop of the host, with the approvals of the tool loop.
   *
   * @param turnId The id of the host's run. @default a run has none, and approvals receive the id of the call
   */
  async forAgent(
    toLimited: (output: ToolOutput, toolName: string) => ToolOutput,
    turnId?: string,
  ): Promise<HostTools> {
    const { approve, approvals } = this.#loop;
    const source: Pick<ToolSource, 'callTool'> = {
      callTool: async (call, callOptions) =>
        toLimited(await this.source.callTool(call, callOptions), call.toolName),
    };
    const options: HostToolsOptions = {
      approvals:
        approvals === undefined && approve === undefined
          ? 'never'
          : call => this.#isAskedInLoop(call, turnId),
      ...(typeof approve === 'function' && {
        approve: (call, callOptions) => approve(toLoopRequest(call, turnId), callOptions),
      }),
    };
    // Without `approve` the loop refuses the calls that need an approval, and so do these tools.
    const rules = { timeouts: this.#timeouts, hostAsks: approve === 'host' };
    return toHostTools(source, await this.source.listToolsOnly(), options, rules);
  }

  /** Requires approval for the calls of a tool whose declaration the host has changed. */
  requireApproval(identity: string): void {
    this.#changed.add(identity);
  }

  /** Returns the functions of a declared tool, for turns that the loop does not run. */
  functionsOf(
    tool: ToolDefinition,
    isAsked: boolean,
  ): Pick<HostTool, 'execute' | 'toModelOutput'> | undefined {
    const { approve } = this.#loop;
    this.source.expectCallsOfHost();
    const { [tool.name]: run } = toHostTools(
      { callTool: (call, options) => this.source.callForHost(call, options) },
      // The loop of this package runs the tool otherwise, so that one result is enough.
      [{ ...tool, isGenerator: false }],
      {
        approvals: call => isAsked || this.#changed.has(stubIdentityOf(tool)) || this.#isAskedInLoop(call),
        ...(typeof approve === 'function' && {
          approve: (call, options) => approve(toLoopRequest(call), options),
        }),
      },
      { hostAsks: false, timeouts: this.#timeouts },
    );
    if (run === undefined) return undefined;
    /** Results of the function. The host also passes those of calls that the loop has run, which keep their form. */
    const own = new WeakSet<object>();
    return {
      async execute(input, options) {
        const result = await run.execute(input, options);
        if (typeof result === 'object' && result !== null) own.add(result);
        return result;
      },
      toModelOutput(given) {
        const { output } = readResult(given);
        const isOwn = typeof output === 'object' && output !== null && own.has(output);
        return isOwn ? run.toModelOutput(given) : toDefaultOutput(given);
      },
    };
  }

  #isAskedInLoop(call: CallForApproval, turnId?: string): Promise<boolean> {
    const { approvals = defaultPolicy(this.#loop) } = this.#loop;
    return requiresApproval(approvals, toLoopRequest(call, turnId));
  }
}

/**
 * Creates the function that returns the tools of an owner. Without a loop the host runs them.
 */
export function createDeclareTools(
  shared: SharedTools | undefined,
  { hasLoop }: { hasLoop: boolean },
): DeclareTools {
  const declare = async (options: DeclarationOptions | RunByHost = {}) => {
    if (shared === undefined) return {};
    if (options.runBy === 'host') return shared.forHost(options);
    return hasLoop ? shared.declare(options) : shared.forHost({ ...options, runBy: 'host' });
  };
  // The result depends on the option, as the signatures declare.
  return declare as DeclareTools;
}

/** The function of a host's tool does not learn the step of its call. */
const toLoopRequest = (call: CallForApproval, turnId: string = call.toolCallId): LoopRequest => ({
  ...call,
  turnId,
  round: 1,
});

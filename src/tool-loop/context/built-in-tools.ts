import type { Prompt } from '../../core/prompt.js';
import { createUniqueIds } from '../../core/shared/unique-ids.js';
import type { ToolCallOptions, ToolDefinition, ToolInvocation, ToolOutput } from '../../tools/tool-source.js';

/** A tool that the loop itself provides. */
export interface BuiltInTool {
  readonly definition: ToolDefinition;
  /** Returns true if a request needs it, which then has it at the end. @default all requests have it */
  isNeeded?(prompt: Prompt): boolean;
  run(
    input: Readonly<Record<string, unknown>>,
    options: Pick<ToolCallOptions, 'signal'>,
  ): ToolOutput | Promise<ToolOutput>;
}

/** Creates a tool of the loop. `toName` returns a name that no other tool has. */
export type CreateBuiltIn = (toName: (name: string) => string) => BuiltInTool;

/** The tools that the loop provides in a turn, beside those of its source. */
export class BuiltInTools {
  readonly #creators: readonly CreateBuiltIn[];
  #tools: readonly BuiltInTool[] = [];
  /** The tool with which the model reaches those that a request does not offer. */
  #ofSelection: BuiltInTool | undefined;

  constructor(creators: readonly CreateBuiltIn[]) {
    this.#creators = creators;
  }

  /**
   * Names the tools of the loop beside a listing and the names that are `taken`.
   *
   * @returns all tools that the loop can run.
   */
  update(
    listed: ReadonlyMap<string, ToolDefinition>,
    taken: Iterable<string>,
    ofSelection?: CreateBuiltIn,
  ): ReadonlyMap<string, ToolDefinition> {
    const { take: toName } = createUniqueIds([...listed.keys(), ...taken]);
    const tools = this.#creators.map(create => create(toName));
    this.#ofSelection = ofSelection?.(toName);
    this.#tools = this.#ofSelection === undefined ? tools : [...tools, this.#ofSelection];
    return this.#tools.length === 0
      ? listed
      : new Map([...listed, ...this.#tools.map(tool => [tool.definition.name, tool.definition] as const)]);
  }

  find(name: string): BuiltInTool | undefined {
    return this.#tools.find(tool => tool.definition.name === name);
  }

  /** Returns the tools for a request: those of all requests, which come first, and those that this one needs. */
  for(prompt: Prompt): {
    readonly first: readonly ToolDefinition[];
    readonly last: readonly ToolDefinition[];
  } {
    const offered = this.#tools.filter(tool => tool !== this.#ofSelection);
    return {
      first: offered.filter(tool => tool.isNeeded === undefined).map(tool => tool.definition),
      last: offered.filter(tool => tool.isNeeded?.(prompt)).map(tool => tool.definition),
    };
  }

  /** Runs a tool of the loop itself, whose name no other tool has. Returns undefined for a tool of its source. */
  run(
    call: ToolInvocation,
    options: Pick<ToolCallOptions, 'signal'>,
  ): ToolOutput | Promise<ToolOutput> | undefined {
    return this.find(call.toolName)?.run(call.input, options);
  }
}

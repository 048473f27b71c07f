import type { JSONSchema7 } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { normalizeToolName } from './normalize-tool-name.js';
import { parseToolArguments } from './tool-arguments.js';
import { createUniqueIds } from '../shared/unique-ids.js';
import type { CollectedToolCall } from './tool-call-collector.js';

/** A tool that was declared to the model, as in the `tools` of a call's options. */
export interface DeclaredTool {
  readonly name: string;
  /** JSON Schema of the arguments. @default nothing is known of them */
  readonly inputSchema?: JSONSchema7;
}

/** What calls are judged by. */
export interface ToolCallProcessorOptions {
  /** The tools that were declared to the model. Names are made out by them alone. */
  readonly tools: readonly DeclaredTool[];
  /** Makes the id of a call that came without one. @default a random one */
  readonly generateId?: () => string;
}

/** A call in the shape of the AI SDK's `tool-call` part. */
export interface ProcessedToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments as JSON; as the model wrote them where they are beyond repair, for whoever runs the tool to judge. */
  readonly input: string;
  /** Whether the tool was declared. */
  readonly isDeclared: boolean;
  /** Whether the name came decorated. */
  readonly isRenamed: boolean;
  /** Whether the arguments were repaired. */
  readonly isRepaired: boolean;
}

/** What could not be made a call. */
export interface FailedToolCall {
  readonly call: CollectedToolCall;
  /** What was expected and what came. */
  readonly reason: string;
}

/**
 * Makes calls of what was collected: names as they were declared, arguments as JSON, ids that are there and unique.
 * A call must have a name; its arguments are never a reason to hold it back.
 */
export class ToolCallProcessor {
  readonly #tools: ReadonlyMap<string, DeclaredTool>;
  readonly #names: ReadonlySet<string>;
  readonly #generateId: () => string;
  readonly #ids = createUniqueIds();

  constructor({ tools, generateId: makeId = generateId }: ToolCallProcessorOptions) {
    this.#tools = new Map(tools.map(tool => [tool.name, tool]));
    this.#names = new Set(this.#tools.keys());
    this.#generateId = makeId;
  }

  /** Makes the call, or says why it cannot. */
  process(call: CollectedToolCall): ProcessedToolCall | FailedToolCall {
    const written = call.name.trim();
    if (written === '') return { call, reason: 'Expected a tool call to have a name, got none.' };
    const toolName = normalizeToolName(call.name, this.#names);
    const tool = toolName === undefined ? undefined : this.#tools.get(toolName);
    const parsed = parseToolArguments(call.arguments, { schema: tool?.inputSchema });
    return {
      toolCallId: this.#takeId(call.id),
      toolName: toolName ?? written,
      input: parsed.success ? parsed.json : call.arguments,
      isDeclared: toolName !== undefined,
      isRenamed: toolName !== undefined && toolName !== call.name,
      isRepaired: parsed.success && parsed.isRepaired,
    };
  }

  #takeId(id: string | undefined): string {
    return this.#ids.take(id ?? this.#generateId());
  }
}

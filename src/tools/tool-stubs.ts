import * as z from 'zod/v4';
import type { FunctionTool } from '../core/prompt.js';
import { objectOf, stringOf } from '../core/shared/json.js';
import { isStrictSchema } from '../core/tool-calls/strict-schema.js';
import type { HostTool } from './host-tools.js';
import type { ToolDefinition, ToolMetadata } from './tool-source.js';

/**
 * The declaration of a tool that the provider executes. The schema is a Zod schema because the `Tool` types of all
 * `ai` releases accept one; a `jsonSchema()` is only accepted by the release that created it.
 *
 * A host cannot ask before a tool of the provider runs. Request approvals with `tools({ needsApproval })` or in the
 * settings `toolLoop`. Calls of a changed copy, such as `{ ...stub, needsApproval: true }`, need approval as well.
 */
export interface ToolStub<Input = Record<string, unknown>> {
  /** Describes to the model what the tool does. */
  description?: string;
  /** A name for people. Hosts add it to the parts of calls. @default none */
  title?: string;
  inputSchema: z.ZodType<Input>;
  /**
   * Properties of a tool of the application, or of one with a user interface (MCP App), such as its page. `ai` 6 and 7 add them to the parts of calls
   * as `toolMetadata`.
   * @default none
   */
  metadata?: ToolMetadata;
  /** Marks the tool as executed by the provider. Hosts pass it on to the model. Copies of a stub do not contain it. */
  readonly providerOptions: { kelivo: { stub: true } };
}

/** Options of the declarations of a provider's tools. */
export interface DeclarationOptions {
  /** Who runs the tools: the provider in its tool loop, or the host in the loop of the AI SDK. @default 'provider' */
  runBy?: 'provider';
  /**
   * Names of tools whose calls need approval in addition to those of the setting `toolLoop.approvals`. Original names count
   * as well, because a tool gets a prefix if another server has one of the same name. `toolLoop.approve` decides on the
   * calls.
   * @default no tool
   */
  needsApproval?: readonly string[];
}

/**
 * Returns the declarations of tools, by name. `run` has the functions of a tool, for turns that another package answers.
 */
export function toToolStubs(
  tools: readonly ToolDefinition[],
  { needsApproval = [] }: DeclarationOptions = {},
  run: (tool: ToolDefinition, needsApproval: boolean) => StubFunctions | undefined = () => undefined,
): Record<string, ToolStub> {
  return Object.fromEntries(
    tools.map(tool => {
      const { name, originalName = name } = tool;
      const isAsked = needsApproval.includes(name) || needsApproval.includes(originalName);
      return [name, toToolStub(tool, { needsApproval: isAsked, run: run(tool, isAsked) })];
    }),
  );
}

/**
 * The functions of a declared tool. Hosts call them only if the official provider answers a turn: they run no call that is
 * marked as run by the provider.
 */
export type StubFunctions = Pick<HostTool, 'execute' | 'toModelOutput'>;

/** Returns the declaration of a tool for a model. */
export const toFunctionTool = ({
  name,
  description,
  inputSchema,
  providerOptions,
  strict = isStrictSchema(inputSchema) ? undefined : false,
  inputExamples,
}: ToolDefinition): FunctionTool => ({
  type: 'function',
  name,
  ...(description !== undefined && { description }),
  inputSchema,
  ...(providerOptions !== undefined && { providerOptions }),
  // A host's request for strict schemas does not apply to the loop's tools.
  ...(strict !== undefined && { strict }),
  ...(inputExamples !== undefined && { inputExamples }),
});

/** Begins the comment in the schema of a stub. The identity of its tool follows, also in a changed copy. */
const STUB_COMMENT = 'A tool that kelivo-responses runs: ';

/** Returns the identity of a stub's tool, whose name may have changed when the stub is used. */
export const stubIdentityOf = ({
  name,
  server = '',
  originalName = name,
}: Pick<ToolDefinition, 'name' | 'server' | 'originalName'>): string =>
  JSON.stringify([server, originalName]);

type StubTool = Pick<
  ToolDefinition,
  'name' | 'description' | 'title' | 'server' | 'originalName' | 'metadata' | 'ofApplication'
>;

/** Returns the metadata of a tool for hosts, whose types require JSON. */
const toHostMetadata = (metadata: object | undefined): { metadata?: ToolMetadata } =>
  metadata === undefined ? {} : { metadata: metadata as ToolMetadata };

/** Returns the declaration of one tool. */
export function toToolStub(
  { description, title, metadata, ofApplication, ...tool }: StubTool,
  { needsApproval = false, run }: { needsApproval?: boolean; run?: StubFunctions | undefined } = {},
): ToolStub {
  const identity = stubIdentityOf(tool);
  const mark: { stub: true; tool: string; needsApproval?: unknown } = {
    stub: true,
    tool: identity,
    ...(needsApproval && { needsApproval }),
  };
  const stub = {
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
    ...toHostMetadata(metadata?.app === undefined ? ofApplication : metadata),
    // Intentionally lenient: `ai@5` treats a call that fails the declared schema as a call of a host tool.
    inputSchema: z.looseObject({}).meta({ $comment: STUB_COMMENT + identity }),
    providerOptions: { kelivo: mark },
    ...run,
  };
  return Object.defineProperties(stub, {
    // A copy with other properties must not pass as the stub: hosts do not send `needsApproval` to the model.
    providerOptions: { enumerable: false },
    // `ai@6` asks after a tool of the provider ran. The tool loop asks instead, so the host does not see the value.
    needsApproval: {
      get: () => undefined,
      set(value: unknown) {
        mark.needsApproval = value;
      },
    },
  });
}

/** Returns true if a tool of a call is a stub or a changed copy of one. */
export const isToolStub = (tool: FunctionTool): boolean => readToolStub(tool) !== undefined;

/** A tool of the provider as the host declares it. */
export interface DeclaredStub {
  /** The result of `stubIdentityOf` for its tool. */
  readonly identity: string;
  /** True for a copy, of which the host may have changed any property. */
  readonly isCopy: boolean;
  readonly needsApproval: unknown;
}

/** Returns how a host declares a tool of the provider, or undefined for other tools. */
export function readToolStub(functionTool: FunctionTool): DeclaredStub | undefined {
  const { stub, tool, needsApproval } = objectOf(functionTool.providerOptions?.kelivo) ?? {};
  if (stub === true) return { identity: stringOf(tool), isCopy: false, needsApproval };
  const comment = stringOf(functionTool.inputSchema.$comment);
  if (!comment.startsWith(STUB_COMMENT)) return undefined;
  return { identity: comment.slice(STUB_COMMENT.length), isCopy: true, needsApproval: undefined };
}

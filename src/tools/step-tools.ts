import * as z from 'zod/v4';
import type { CoreCall } from '../core/call.js';
import type { ProviderTool, Tool } from '../core/prompt.js';
import { objectOf } from '../core/shared/json.js';
import type { ToolDefinition, ToolMetadata, ToolSource } from './tool-source.js';
import { type DeclaredStub, stubIdentityOf } from './tool-stubs.js';

/**
 * The declaration of a tool that the provider runs between two steps of the host: its results arrive with the next step. The
 * types are those that `ai` 6 and 7 accept.
 */
export interface StepTool {
  readonly type: 'provider';
  readonly isProviderExecuted: true;
  readonly id: `kelivo.${string}`;
  /** Marks a declaration of this package. Copies do not contain it. */
  readonly args: { readonly original: true };
  readonly supportsDeferredResults: true;
  readonly inputSchema: z.ZodType<Record<string, unknown>>;
  readonly outputSchema: z.ZodType;
  readonly title?: string;
  readonly metadata?: ToolMetadata;
}

const PREFIX = 'kelivo.';

/** Returns the declarations of tools, by name. */
export const toStepTools = (tools: readonly ToolDefinition[]): Record<string, StepTool> =>
  Object.fromEntries(
    tools.map((tool): [string, StepTool] => {
      const { name, metadata, title = metadata?.title, ofApplication } = tool;
      const shown = metadata?.app === undefined ? ofApplication : metadata;
      const declared: Omit<StepTool, 'args'> = {
        type: 'provider',
        isProviderExecuted: true,
        id: `${PREFIX}${stubIdentityOf(tool)}`,
        supportsDeferredResults: true,
        // Lenient, because the loop repairs arguments and compares them with the schema.
        inputSchema: z.looseObject({}),
        outputSchema: z.unknown(),
        ...(title !== undefined && { title }),
        ...(shown !== undefined && { metadata: shown as ToolMetadata }),
      };
      // A copy with other properties must not pass as the declaration: hosts do not send `needsApproval` to the model.
      return [name, Object.defineProperty(declared, 'args', { value: { original: true } }) as StepTool];
    }),
  );

export const isStepTool = (tool: Tool): tool is ProviderTool =>
  tool.type === 'provider' && tool.id.startsWith(PREFIX);

/** Returns the identities of the tools that a call declares, by their names. */
export const stepToolsOf = (tools: readonly Tool[] = []): ReadonlyMap<string, string> =>
  new Map(tools.filter(isStepTool).map(tool => [tool.name, readStepTool(tool).identity]));

/** Returns how a host declares a tool of the provider. */
export const readStepTool = (tool: ProviderTool): DeclaredStub => ({
  identity: tool.id.slice(PREFIX.length),
  isCopy: objectOf(tool.args)?.original !== true,
  needsApproval: undefined,
});

/** Marks a call whose host takes a step for each round. */
export const RUN_IN_STEPS = { kelivo: { runBy: 'provider' } };

/** Returns true for a call with the options or the tools of `agentSettings({ runBy: 'provider' })`. */
export const isRunInSteps = (call: Pick<CoreCall, 'tools' | 'own'>): boolean =>
  call.own.runBy === 'provider' || (call.tools ?? []).some(isStepTool);

/** Returns a source with the tools that the host has declared. */
export const onlyDeclared = (source: ToolSource, isDeclared: (identity: string) => boolean): ToolSource => ({
  name: source.name,
  async listTools(options) {
    const listing = await source.listTools(options);
    return { ...listing, tools: listing.tools.filter(tool => isDeclared(stubIdentityOf(tool))) };
  },
  callTool: (...call) => source.callTool(...call),
  close: () => source.close(),
});

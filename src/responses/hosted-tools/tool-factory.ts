import type * as z from 'zod/v4';
import { objectOf, objectsOf } from '../../shared/json.js';

/**
 * A tool that OpenAI defines, independent of the version of the model interface. `versions/tools.ts` creates the factory
 * whose tools hosts of a version accept.
 */
export interface HostedToolKind<INPUT, OUTPUT, ARGUMENTS extends object, EXECUTED extends boolean> {
  readonly id: `openai.${string}`;
  /** The name that the tool has to have in `ai@5`. */
  readonly name: string;
  /** True if the API executes the calls, false if the host does. */
  readonly isProviderExecuted: EXECUTED;
  /** True if a result may follow in a later response. @default false */
  readonly supportsDeferredResults?: boolean;
  /** Returns the arguments without secrets, for the telemetry of the host. @default the arguments contain no secrets */
  readonly redact?: (args: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** Options that let a function be called by this tool, for `experimental_toolCallers` of `ai@7`. @default none */
  readonly caller?: (providerOptions?: Readonly<Record<string, Record<string, unknown>>>) => object;
  /** Creates the schemas. Called when they are first needed, so that importing the package stays fast. */
  readonly toSchemas: () => { inputSchema: z.ZodType<INPUT>; outputSchema?: z.ZodType<OUTPUT> };
  /** Only a type. */
  readonly toolArguments?: ARGUMENTS;
}

/** Caller of a tool: the model itself, or a program that it wrote (`hostedTools.programmaticToolCalling`). */
export type ToolCaller = 'direct' | 'programmatic';

/** Defines a tool. The types of its input, its output and its arguments are those of its factories. */
/* @__NO_SIDE_EFFECTS__ */
export const defineHostedTool =
  <INPUT, OUTPUT, ARGUMENTS extends object = object>() =>
  <EXECUTED extends boolean>(
    kind: HostedToolKind<INPUT, OUTPUT, ARGUMENTS, EXECUTED>,
  ): HostedToolKind<INPUT, OUTPUT, ARGUMENTS, EXECUTED> =>
    kind;

export const REDACTED = '[redacted]';

/** Returns a view of the arguments without the secrets of the domains that a container may reach. */
/* @__NO_SIDE_EFFECTS__ */
export const redactDomainSecrets =
  (field: string) =>
  (args: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const container = objectOf(args[field]);
    const policy = objectOf(container?.networkPolicy);
    if (!Array.isArray(policy?.domainSecrets)) return { ...args };
    const domainSecrets = objectsOf(policy.domainSecrets).map(secret => ({ ...secret, value: REDACTED }));
    return { ...args, [field]: { ...container, networkPolicy: { ...policy, domainSecrets } } };
  };

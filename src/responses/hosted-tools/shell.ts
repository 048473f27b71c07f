import * as z from 'zod/v4';
import { defineHostedTool } from './define-hosted-tool.js';

export interface ShellToolArguments {
  /**
   * Where the commands run: here, by the tool's `execute`, or in a container on OpenAI's servers.
   * @default { type: 'local' }
   */
  environment?:
    | { type: 'local'; skills?: Array<{ name: string; description: string; path: string }> }
    | { type: 'containerReference'; containerId: string }
    | {
        type: 'containerAuto';
        /** Uploaded files that are put into the container. */
        fileIds?: string[];
        memoryLimit?: '1g' | '4g' | '16g' | '64g';
        networkPolicy?: ShellNetworkPolicy;
        skills?: ShellSkill[];
      };
}

/** What a container may reach in the network. */
export type ShellNetworkPolicy =
  | { type: 'disabled' }
  | {
      type: 'allowlist';
      allowedDomains: string[];
      /** Values that are put into requests to a domain, unseen by the model. */
      domainSecrets?: Array<{ domain: string; name: string; value: string }>;
    };

/** Instructions and files for the model: uploaded ones by id, or a zip archive in base64. */
export type ShellSkill =
  | { type: 'skillReference'; skillId: string; version?: string }
  | {
      type: 'inline';
      name: string;
      description: string;
      source: { type: 'base64'; mediaType: 'application/zip'; data: string };
    };

export interface ShellInput {
  action: {
    /** Command lines; they may run at the same time. */
    commands: string[];
    /** Milliseconds that a command may take. */
    timeoutMs?: number;
    /** How many characters of the output the model wants at most. */
    maxOutputLength?: number;
  };
}

export interface ShellOutput {
  /** One for each command, in their order. */
  output: Array<{
    stdout: string;
    stderr: string;
    outcome: { type: 'timeout' } | { type: 'exit'; exitCode: number };
  }>;
}

const inputSchema: z.ZodType<ShellInput> = z.object({
  action: z.object({
    commands: z.array(z.string()),
    timeoutMs: z.number().optional(),
    maxOutputLength: z.number().optional(),
  }),
});

const outputSchema: z.ZodType<ShellOutput> = z.object({
  output: z.array(
    z.object({
      stdout: z.string(),
      stderr: z.string(),
      outcome: z.discriminatedUnion('type', [
        z.object({ type: z.literal('timeout') }),
        z.object({ type: z.literal('exit'), exitCode: z.number() }),
      ]),
    }),
  ),
});

const createTool = defineHostedTool<ShellInput, ShellOutput, ShellToolArguments>({
  id: 'openai.shell',
  name: 'shell',
  inputSchema,
  outputSchema,
});

/** Runs command lines: here, where the host gives an `execute`, or in a container of OpenAI's. */
export const shell = (options: Parameters<typeof createTool>[0] = {}) => createTool(options);

import type { JSONObject } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import { objectOf, objectsOf, type PlainObject, stringOf } from '../../shared/json.js';
import { type HostedInputItem, withoutUndefined } from '../wire.js';
import {
  defineToolFactory,
  type HostedTool,
  presentFields,
  renameFields,
  toCallId,
  toOutputObject,
  toPlainOutput,
  toStatus,
} from './hosted-tool.js';

export interface ShellToolArguments {
  /**
   * Environment in which the commands run: the host's, by the tool's `execute`, or a container on OpenAI's servers.
   * @default { type: 'local' }
   */
  environment?:
    | { type: 'local'; skills?: Array<{ name: string; description: string; path: string }> }
    | { type: 'containerReference'; containerId: string }
    | {
        type: 'containerAuto';
        /** Ids of uploaded files to copy into the container. */
        fileIds?: string[];
        memoryLimit?: '1g' | '4g' | '16g' | '64g';
        networkPolicy?: ShellNetworkPolicy;
        skills?: ShellSkill[];
      };
}

/** Network access of a container. */
export type ShellNetworkPolicy =
  | { type: 'disabled' }
  | {
      type: 'allowlist';
      allowedDomains: string[];
      /** Secrets that are inserted into requests to a domain. The model does not see them. */
      domainSecrets?: Array<{ domain: string; name: string; value: string }>;
    };

/** Instructions and files for the model: the id of an uploaded skill, or a zip archive in base64. */
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
    /** Command lines, which may run in parallel. */
    commands: string[];
    /** Time limit of a command in milliseconds. */
    timeoutMs?: number;
    /** Maximum number of characters of output that the model requests. */
    maxOutputLength?: number;
  };
}

export interface ShellOutput {
  /** One output for each command, in the same order. */
  output: Array<{
    stdout: string;
    stderr: string;
    outcome: { type: 'timeout' } | { type: 'exit'; exitCode: number };
  }>;
}

const createTool = defineToolFactory<ShellInput, ShellOutput, ShellToolArguments>({
  id: 'openai.shell',
  name: 'shell',
  toSchemas: () => ({
    inputSchema: z.object({
      action: z.object({
        commands: z.array(z.string()),
        timeoutMs: z.number().optional(),
        maxOutputLength: z.number().optional(),
      }),
    }),
    outputSchema: z.object({
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
    }),
  }),
});

/** Runs command lines: on the host, by `execute`, or in a container on OpenAI's servers. */
export const shell = (options: Parameters<typeof createTool>[0] = {}) => createTool(options);

interface ShellCall extends HostedInputItem {
  type: 'shell_call';
  call_id: string;
  status: 'completed';
  action: { commands: string[]; timeout_ms?: number; max_output_length?: number };
}

interface ShellCallOutput extends HostedInputItem {
  type: 'shell_call_output';
  call_id: string;
  output: CommandOutput[];
}

interface CommandOutput {
  stdout: string;
  stderr: string;
  outcome: { type: 'timeout' } | { type: 'exit'; exit_code: number };
}

/** `shell`: several command lines at once, each with its own output. */
export const shellTool: HostedTool = {
  declarations: {
    'openai.shell': {
      type: 'shell',
      toSettings: ({ environment }) => ({ environment: toEnvironment(environment) }),
      choiceFields: [],
    },
  },
  items: {
    shell_call: {
      toolName: 'shell',
      callId: toCallId,
      input({ action }) {
        const {
          commands,
          timeout_ms: timeoutMs,
          max_output_length: maxOutputLength,
        } = objectOf(action) ?? {};
        return { action: presentFields({ commands, timeoutMs, maxOutputLength }) };
      },
      // The server runs commands in a container and sends a `shell_call_output`.
      isForHost: item => !isInContainer(item),
      result: item => (isInContainer(item) ? undefined : toStatus(item)),
    },
    shell_call_output: {
      toolName: 'shell',
      resultOf: toCallId,
      result: ({ output }) => ({ output: objectsOf(output).map(toCommandResult) }),
    },
  },
  replay: {
    toCall({ toolCallId, input }, { takeId }): ShellCall | undefined {
      const action = objectOf(objectOf(input)?.action);
      if (action === undefined || !Array.isArray(action.commands)) return undefined;
      const { commands, timeoutMs, maxOutputLength } = action;
      return {
        type: 'shell_call',
        call_id: toolCallId,
        ...takeId(),
        status: 'completed',
        action: {
          commands: commands.map(String),
          ...(typeof timeoutMs === 'number' && { timeout_ms: timeoutMs }),
          ...(typeof maxOutputLength === 'number' && { max_output_length: maxOutputLength }),
        },
      };
    },

    toOutput(part, toContent): ShellCallOutput {
      const outputs = toOutputObject(part)?.output;
      return {
        type: 'shell_call_output',
        call_id: part.toolCallId,
        output: Array.isArray(outputs)
          ? outputs.map(output => toCommandOutput(objectOf(output) ?? {}))
          : [toSingleOutput(toPlainOutput(part, toContent))],
      };
    },
  },
};

/** Converts the environment to the field names of the API. Returns undefined if the API should choose. */
function toEnvironment(environment: unknown): PlainObject | undefined {
  const fields = objectOf(environment);
  if (fields === undefined) return undefined;
  const { type = 'local', containerId, fileIds, memoryLimit, networkPolicy, skills } = fields;
  return withoutUndefined({
    type: environmentTypes[String(type)] ?? type,
    container_id: containerId,
    file_ids: fileIds,
    memory_limit: memoryLimit,
    network_policy: renameFields(networkPolicy, {
      type: 'type',
      allowedDomains: 'allowed_domains',
      domainSecrets: 'domain_secrets',
    }),
    skills: Array.isArray(skills) ? skills.map(toSkill) : undefined,
  });
}

const environmentTypes: Readonly<Record<string, string>> = {
  containerAuto: 'container_auto',
  containerReference: 'container_reference',
};

function toSkill(skill: unknown): unknown {
  const { type, skillId, providerReference, version, name, description, source } = objectOf(skill) ?? {};
  if (type === 'skillReference') {
    // Later versions of the AI SDK identify a skill by one id for each provider.
    const id = skillId ?? objectOf(providerReference)?.openai;
    return withoutUndefined({ type: 'skill_reference', skill_id: id, version });
  }
  if (type !== 'inline') return skill;
  return withoutUndefined({
    type,
    name,
    description,
    source: renameFields(source, { type: 'type', mediaType: 'media_type', data: 'data' }),
  });
}

const isInContainer = ({ environment }: PlainObject): boolean =>
  stringOf(objectOf(environment)?.type).startsWith('container');

function toCommandResult({ stdout, stderr, outcome }: PlainObject): JSONObject {
  const { type, exit_code: exitCode } = objectOf(outcome) ?? {};
  return { ...presentFields({ stdout, stderr }), outcome: presentFields({ type, exitCode }) };
}

function toCommandOutput({ stdout, stderr, outcome }: PlainObject): CommandOutput {
  const { type, exitCode } = objectOf(outcome) ?? {};
  return {
    stdout: stringOf(stdout),
    stderr: stringOf(stderr),
    outcome:
      type === 'timeout'
        ? { type: 'timeout' }
        : { type: 'exit', exit_code: typeof exitCode === 'number' ? exitCode : 0 },
  };
}

/** Converts an output that is not split by command, such as a text, an error or a denial. */
const toSingleOutput = ({ text, isError }: { text: string; isError: boolean }): CommandOutput =>
  isError
    ? { stdout: '', stderr: text, outcome: { type: 'exit', exit_code: 1 } }
    : { stdout: text, stderr: '', outcome: { type: 'exit', exit_code: 0 } };

import * as z from 'zod/v4';
import { type JSONObject, objectOf, objectsOf, type PlainObject, stringOf } from '../../core/shared/json.js';
import { hostedCallNames } from '../../core/tool-calls/hosted-tools.js';
import {
  escapeJson,
  type HostedInputStream,
  type HostedTool,
  presentFields,
  presentItems,
  type SentItem,
  type ServerCall,
  toCallId,
  toItemId,
  toOutputObject,
  toPlainOutput,
  toStatus,
  defineHostedTool,
  redactDomainSecrets,
  type ToolCaller,
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
  /**
   * Callers of the tool: the model, its programs, or both.
   * @default the default of the API
   */
  allowedCallers?: ToolCaller[];
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
  /**
   * Maximum number of characters to which the outputs were shortened.
   * @default none
   */
  maxOutputLength?: number;
  /** One output for each command, in the same order. */
  output: Array<{
    stdout: string;
    stderr: string;
    outcome: { type: 'timeout' } | { type: 'exit'; exitCode: number };
  }>;
}

/** Runs command lines: on the host, by `execute`, or in a container on OpenAI's servers. */
export const shell = defineHostedTool<ShellInput, ShellOutput, ShellToolArguments>()({
  id: 'openai.shell',
  name: 'shell',
  isProviderExecuted: false,
  redact: redactDomainSecrets('environment'),
  toSchemas: () => ({
    inputSchema: z.object({
      action: z.object({
        commands: z.array(z.string()),
        timeoutMs: z.number().optional(),
        maxOutputLength: z.number().optional(),
      }),
    }),
    outputSchema: z.object({
      maxOutputLength: z.number().optional(),
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

const commandStream: HostedInputStream = {
  events: [
    'response.shell_call_command.added',
    'response.shell_call_command.delta',
    'response.shell_call_command.done',
  ],
  begin() {
    let current = -1;
    let isEmpty = true;
    return event => {
      if (typeof event.command_index !== 'number' || event.command_index < current) return '';
      let before = '';
      if (event.command_index > current) {
        before = current < 0 ? '{"action":{"commands":["' : '","';
        current = event.command_index;
        isEmpty = true;
      }
      // The last event repeats the command.
      const text = stringOf(event.delta) || (isEmpty ? stringOf(event.command) : '');
      isEmpty &&= text === '';
      return before + escapeJson(text);
    };
  },
  end: '"]}}',
};

export const shellTool: HostedTool = {
  declarations: {
    'openai.shell': {
      type: 'shell',
      adaptSettings: ({ environment, ...settings }) => ({
        ...(environment !== undefined && { environment: toEnvironment(environment) }),
        ...settings,
      }),
      choiceFields: [],
    },
  },
  items: {
    shell_call: {
      toolName: 'shell',
      callId: toCallId,
      input(item) {
        const {
          commands,
          timeout_ms: timeoutMs,
          max_output_length: maxOutputLength,
        } = objectOf(item.action) ?? {};
        return { action: presentFields({ commands, timeoutMs, maxOutputLength }) };
      },
      inputStream: commandStream,
      metadata: toItemId,
      resultFollows: true,
      // The server runs commands in a container and sends a `shell_call_output`.
      isForHost: item => !isInContainer(item),
      result: item => (isInContainer(item) ? undefined : toStatus(item)),
    },
    shell_call_output: {
      toolName: 'shell',
      resultOf: toCallId,
      result: item => ({
        ...presentFields({ maxOutputLength: item.max_output_length }),
        output: objectsOf(item.output).map(toCommandResult),
      }),
    },
  },
  replay: {
    toCall: (part, context) => toCall(part.toolCallId, part.input, context.takeId()),

    toOutput(part, toContent) {
      const item = { type: 'shell_call_output', call_id: part.toolCallId };
      const output = toOutput(part.toolCallId, toOutputObject(part));
      return output ?? { ...item, output: [toSingleOutput(toPlainOutput(part, toContent))] };
    },
  },
  serverReplay(serverCall: ServerCall) {
    const call = toCall(serverCall.id, serverCall.input, {});
    const output = toOutput(serverCall.id, objectOf(serverCall.result));
    if (serverCall.input !== undefined && call === undefined) return undefined;
    return presentItems(call, output);
  },
  // The names of MCP tools and of containers' calls may be equal: the id of the item distinguishes them.
  history: hostedCallNames.shell,
};

function toCall(callId: string, input: unknown, id: { id?: string }): SentItem | undefined {
  const { commands, timeoutMs, maxOutputLength } = objectOf(objectOf(input)?.action) ?? {};
  if (!Array.isArray(commands)) return undefined;
  return {
    type: 'shell_call',
    call_id: callId,
    ...id,
    status: 'completed',
    action: {
      commands: commands.map(String),
      ...(typeof timeoutMs === 'number' && { timeout_ms: timeoutMs }),
      ...(typeof maxOutputLength === 'number' && { max_output_length: maxOutputLength }),
    },
  };
}

/** Returns undefined for a result without one output for each command. */
function toOutput(callId: string, result: PlainObject | undefined): SentItem | undefined {
  const { output, maxOutputLength } = result ?? {};
  if (!Array.isArray(output)) return undefined;
  return {
    type: 'shell_call_output',
    call_id: callId,
    ...(typeof maxOutputLength === 'number' && { max_output_length: maxOutputLength }),
    output: output.map(entry => toCommandOutput(objectOf(entry) ?? {})),
  };
}

/** Converts the names of types. The names of fields are already those of the API. */
function toEnvironment(environment: unknown): unknown {
  const fields = objectOf(environment);
  if (fields === undefined) return environment;
  const { type = 'local', skills, ...settings } = fields;
  return {
    type: environmentTypes[String(type)] ?? type,
    ...settings,
    ...(skills !== undefined && { skills: Array.isArray(skills) ? skills.map(toSkill) : skills }),
  };
}

const environmentTypes: Readonly<Record<string, string>> = {
  containerAuto: 'container_auto',
  containerReference: 'container_reference',
};

function toSkill(skill: unknown): unknown {
  const { type, provider_reference: reference, skill_id: id, ...fields } = objectOf(skill) ?? {};
  if (type !== 'skillReference') return skill;
  // Later versions of the AI SDK identify a skill by one id for each provider.
  return { type: 'skill_reference', skill_id: id ?? objectOf(reference)?.openai, ...fields };
}

const isInContainer = (item: PlainObject): boolean =>
  stringOf(objectOf(item.environment)?.type).startsWith('container');

function toCommandResult({ stdout, stderr, outcome }: PlainObject): JSONObject {
  const { type, exit_code: exitCode } = objectOf(outcome) ?? {};
  return { ...presentFields({ stdout, stderr }), outcome: presentFields({ type, exitCode }) };
}

function toCommandOutput(item: PlainObject): PlainObject {
  const { type, exitCode } = objectOf(item.outcome) ?? {};
  return {
    stdout: stringOf(item.stdout),
    stderr: stringOf(item.stderr),
    outcome:
      type === 'timeout'
        ? { type: 'timeout' }
        : { type: 'exit', exit_code: typeof exitCode === 'number' ? exitCode : 0 },
  };
}

/** Converts an output that is not split by command, such as a text, an error or a denial. */
const toSingleOutput = (options: { text: string; isError: boolean }): PlainObject =>
  options.isError
    ? { stdout: '', stderr: options.text, outcome: { type: 'exit', exit_code: 1 } }
    : { stdout: options.text, stderr: '', outcome: { type: 'exit', exit_code: 0 } };

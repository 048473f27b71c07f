import type { Resource } from '@modelcontextprotocol/client';
import { asJson, idOf, objectsOf } from '../../../core/shared/json.js';
import type { ToolCallOptions, ToolDefinition, ToolOutput, ToolSource } from '../../tool-source.js';
import { isSameList } from '../../toolbox.js';
import type { FeatureServer, ServerFeatures } from './server-features.js';
import { toReadableBlock, toToolOutput } from './tool-output.js';
import { toPlainText } from '../transport/untrusted-input.js';

const listTool = 'list_resources';
const readTool = 'read_resource';

/** Maximum number of resources in one list. Models cannot choose from more. */
const maxListed = 200;

/** Maximum length of a name or a description in a list, in characters. */
const maxTextLength = 500;

/** Maximum number of URIs that are remembered for each server. The oldest are forgotten. */
const maxRemembered = 10_000;

export interface ResourceTools extends ToolSource {
  /** Allows the model to read the resources that the result of a server's tool links. */
  addLinks(server: string | undefined, output: ToolOutput): void;
}

/**
 * Creates the tools `list_resources` and `read_resource` of the model. It may read only the URIs that a server listed, or
 * linked in the result of a tool, and only from this server. So no URI carries data from one server to another.
 */
export function createResourceTools(
  servers: readonly FeatureServer[],
  features: ServerFeatures,
): ResourceTools {
  /** The URIs that the model may read, by server. */
  const offered = new Map(servers.map(server => [server.name, new Set<string>()]));
  /** The servers that have resources. */
  let names: readonly string[] = [];
  let tools: readonly ToolDefinition[] = [];

  function add(server: string, uris: readonly string[]): void {
    const known = offered.get(server) ?? new Set();
    for (const uri of uris) known.add(uri);
    for (const uri of known) if (known.size > maxRemembered) known.delete(uri);
  }

  /** Lists the resources of servers. A server that fails is reported. */
  async function list(listed: readonly string[], signal: AbortSignal) {
    const errors: string[] = [];
    const lists = await Promise.all(
      listed.map(async server => {
        try {
          const all = await features.listResources(server, { signal });
          // Pages of MCP Apps are for the host, not for the model.
          const resources = all.filter(entry => !entry.uri.startsWith('ui://'));
          const uris = resources.map(resource => resource.uri);
          add(server, uris);
          return resources.map(resource => toListed(server, resource));
        } catch (error) {
          signal.throwIfAborted();
          errors.push(toMessage(error));
          return [];
        }
      }),
    );
    return { resources: lists.flat(), errors };
  }

  async function listResources(server: string | undefined, signal: AbortSignal): Promise<ToolOutput> {
    const { resources, errors } = await list(server === undefined ? names : [server], signal);
    const omitted = resources.length - maxListed;
    return {
      type: 'json',
      value: asJson({
        resources: resources.slice(0, maxListed),
        ...(omitted > 0 && { omitted: `${omitted} more resources` }),
        ...(errors.length > 0 && { errors }),
      }),
    };
  }

  async function readResource(
    { uri, server, toolCallId }: { uri: string; server: string | undefined; toolCallId: string },
    { signal, callContext, onProgress }: ToolCallOptions,
  ): Promise<ToolOutput> {
    const candidates = server === undefined ? names : [server];
    const find = () => candidates.filter(name => offered.get(name)?.has(uri));
    if (find().length === 0) await list(candidates, signal);
    const [found, ...others] = find();
    if (found === undefined) {
      return toError(
        `No server offers the resource ${JSON.stringify(uri)}. Use a URI from \`list_resources\` or from a ` +
          'resource link in the result of a tool, without changes.',
      );
    }
    if (others.length > 0) {
      return toError(`Several servers offer this resource. Set \`server\` to one of: ${find().join(', ')}.`);
    }
    const facts = { toolCallId, ...callContext };
    try {
      const { contents } = await features.readResource(found, { uri, signal, onProgress, facts });
      return toToolOutput({ content: contents.map(toReadableBlock) });
    } catch (error) {
      signal.throwIfAborted();
      return toError(toMessage(error));
    }
  }

  return {
    name: 'MCP resources',
    async listTools(options = {}) {
      const lists = await Promise.all(
        servers.map(server => server.connection.listTools({ signal: options.signal }).catch(() => undefined)),
      );
      options.signal?.throwIfAborted();
      const found = servers.filter((_, index) => lists[index]?.hasResources).map(server => server.name);
      if (!isSameList(found, names)) {
        names = found;
        tools = names.length === 0 ? [] : toDefinitions(names);
      }
      return { tools, warnings: [] };
    },
    async callTool(call, options) {
      const { toolName, toolCallId, input } = call;
      const uri = idOf(input.uri);
      const server = idOf(input.server);
      if (server !== undefined && !names.includes(server)) {
        return toError(
          `Expected \`server\` to be one of ${names.join(', ')}, got ${JSON.stringify(server)}.`,
        );
      }
      if (toolName === listTool) return listResources(server, options.signal);
      if (uri === undefined) return toError('Expected `uri` to be the URI of a resource, got none.');
      return readResource({ uri, server, toolCallId }, options);
    },
    close: async () => {},
    addLinks(server, output) {
      if (server === undefined) return;
      const links = objectsOf(output.mcp?.content).filter(entry => entry.type === 'resource_link');
      add(
        server,
        links.map(link => String(link.uri)),
      );
    },
  };
}

/** The tools change nothing, and their calls contain nothing that the server did not send. */
const annotations = { readOnly: true, destructive: false, idempotent: true };

function toDefinitions(servers: readonly string[]): ToolDefinition[] {
  const server = { type: 'string' as const, enum: [...servers] };
  return [
    {
      ...annotations,
      name: listTool,
      description: 'Lists the resources of MCP servers, such as files and records, with their URIs.',
      inputSchema: {
        type: 'object',
        properties: { server: { ...server, description: 'Default: all servers.' } },
      },
    },
    {
      ...annotations,
      name: readTool,
      description: `Reads a resource of an MCP server. The URI comes from \`${listTool}\` or from a resource link in the result of a tool.`,
      inputSchema: {
        type: 'object',
        properties: {
          uri: { type: 'string' },
          server: { ...server, description: 'Required only if several servers offer the same URI.' },
        },
        required: ['uri'],
      },
    },
  ];
}

function toListed(server: string, { uri, name, title, description, mimeType, size }: Resource) {
  const toText = (text: string | undefined) => text && toPlainText(text.slice(0, maxTextLength));
  return {
    server,
    uri,
    name: toText(name),
    title: toText(title),
    description: toText(description),
    mimeType,
    size,
  };
}

const toMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const toError = (value: string): ToolOutput => ({ type: 'error-text', value });

import type {
  CompleteRequestParams,
  CompleteResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplateType,
} from '@modelcontextprotocol/client';
import { linkSignal, onceAborted } from '../../shared/abort.js';
import { KelivoError } from '../../shared/errors.js';
import type { McpRequestFacts } from '../../core/telemetry.js';
import type { McpServerConfig } from '../config/config.js';
import type { McpConnection } from '../session/connection.js';
import { toMcpError } from '../session/errors.js';
import type { McpFailureKind } from '../transport/failures.js';
import { type RequestLimits, type Send, sendRequest, toMetaField } from '../session/request.js';
import { type McpContentPart, toContentParts } from './tool-output.js';
import type { McpCallFacts } from '../config/callbacks.js';

/** Options of a request for resources, prompts or completions. */
export interface McpRequestOptions {
  /** Cancels the request, which then rejects with the signal's reason. @default no cancellation */
  signal?: AbortSignal;
  /**
   * A value of the application for `onElicitation` and `onSampling`, which receive it if the server asks during the
   * request. It is passed by reference.
   * @default none
   */
  context?: unknown;
}

/** The contents of a resource. */
export interface McpResourceContents {
  /**
   * The contents as parts of a user message for `generateText` and `streamText`. Images, audio and documents are files.
   * Text is decoded, also from base64. An archive is described by its URI, type and size.
   */
  parts: McpContentPart[];
  /** The contents as the server sent them. One URI may have several, such as the files of a directory. */
  contents: ResourceContents[];
}

/** A prompt with its arguments filled in. */
export interface McpPromptResult {
  description?: string;
  /** The messages of the prompt, for the `messages` of `generateText` and `streamText`. */
  messages: McpPromptMessage[];
}

/** A message of a prompt. It has the type `ModelMessage` of `ai` 5, 6 and 7. */
export type McpPromptMessage =
  { role: 'user'; content: McpContentPart[] } | { role: 'assistant'; content: McpContentPart[] };

/** Suggested values for an argument of a prompt or a resource template. */
export interface McpCompletion {
  /** At most 100 values, the best one first. */
  values: string[];
  /** The number of all values, if the server knows it. */
  total?: number;
  /** True if there are more values than the server sent. */
  hasMore?: boolean;
}

/**
 * Resources, prompts and completions of the servers. The first parameter is the name of a server in the configuration.
 * The server starts if necessary. Time limits, recovery from lost connections and requests of the server to the host
 * are those of tool calls.
 *
 * Each method rejects with the signal's reason on abort, and otherwise with a `KelivoError`: `unknown-name` for a server
 * that is not configured or disabled, `mcp-…` for a server that fails or reports an error, and `closed` if `close()` is
 * called meanwhile.
 */
export interface McpServerFeatures {
  /**
   * Lists all resources of a server. Returns an empty list if the server has no resources. As in all lists, malformed
   * entries are left out, and a missing name is the URI.
   */
  listResources(server: string, options?: McpRequestOptions): Promise<Resource[]>;
  /** Lists all templates for URIs of resources. Returns an empty list if the server has no resources. */
  listResourceTemplates(server: string, options?: McpRequestOptions): Promise<ResourceTemplateType[]>;
  /** Reads a resource: a listed one, one of a template, or one that a result of a tool links. */
  readResource(server: string, options: McpRequestOptions & { uri: string }): Promise<McpResourceContents>;
  /** Lists all prompts of a server. Returns an empty list if the server has no prompts. */
  listPrompts(server: string, options?: McpRequestOptions): Promise<Prompt[]>;
  /** Fills in a prompt. `arguments` are the values of its arguments by name. */
  getPrompt(
    server: string,
    options: McpRequestOptions & { name: string; arguments?: Record<string, string> },
  ): Promise<McpPromptResult>;
  /**
   * Suggests values for an argument of a prompt (`ref/prompt`) or of a resource template (`ref/resource`). Returns no
   * values if the server has no completions.
   */
  complete(
    server: string,
    options: Pick<McpRequestOptions, 'signal'> & CompleteRequestParams,
  ): Promise<McpCompletion>;
}

/** A server and the connection to it. */
export interface FeatureServer {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly connection: McpConnection;
}

interface FeatureRequestOptions extends Pick<RequestLimits, 'signal' | 'onProgress'> {
  /** The feature that the server must have. */
  feature: 'resources' | 'prompts' | 'completions';
  /** Identifies the request to callbacks if the server asks. @default the server cannot ask */
  facts?: Omit<McpCallFacts, 'server'>;
  /** The method and its target. */
  request: Pick<McpRequestFacts, 'method' | 'target' | 'uri'>;
  /** The object of the arguments in the request. @default none */
  arguments?: object;
}

export interface FeatureOptions extends Pick<RequestLimits, 'timeout' | 'totalTimeout'> {
  /** Returns the signal that aborts at the next `close()`. */
  closed: () => AbortSignal;
}

/** Failures after which a request is sent once more. Reading has no side effects. */
const retriedFailures: ReadonlySet<McpFailureKind> = new Set([
  'session-expired',
  'not-sent',
  'closed',
  'network',
]);

/** The features of the servers, with the options of tool calls. */
export interface ServerFeatures extends McpServerFeatures {
  readResource(
    server: string,
    options: McpRequestOptions & { uri: string } & Pick<FeatureRequestOptions, 'facts' | 'onProgress'>,
  ): Promise<McpResourceContents>;
}

export function createServerFeatures(
  servers: readonly FeatureServer[],
  { timeout, totalTimeout, closed }: FeatureOptions,
): ServerFeatures {
  /** Sends a request. Returns undefined if the server lacks the feature. */
  async function request<T>(
    serverName: string,
    {
      feature,
      facts,
      request: requestFacts,
      arguments: values = {},
      signal,
      onProgress,
    }: FeatureRequestOptions,
    send: Send<T>,
  ): Promise<T | undefined> {
    const { config, connection } = findServer(servers, serverName);
    signal?.throwIfAborted();
    const link = linkSignal(signal);
    const closing = closed();
    const release = onceAborted(closing, () => link.abort(closing.reason));
    const limits = { signal: link.signal, timeout: config.timeout ?? timeout, totalTimeout, onProgress };
    const call = facts && { facts: { ...facts, server: serverName }, arguments: values };
    try {
      return await connection.withSession(
        async session =>
          session.client.getServerCapabilities()?.[feature] === undefined
            ? undefined
            : sendRequest(session, { send, call, facts: requestFacts }, limits),
        { signal: link.signal, mayRetry: ({ kind }) => retriedFailures.has(kind) },
      );
    } catch (error) {
      link.signal.throwIfAborted();
      throw toMcpError(error, { serverName, config });
    } finally {
      release();
      link.release();
    }
  }

  /** Sends a request to a server that must have the feature. */
  async function requestFrom<T>(server: string, options: FeatureRequestOptions, send: Send<T>): Promise<T> {
    const result = await request(server, options, send);
    if (result !== undefined) return result;
    throw new KelivoError({
      code: 'mcp-protocol',
      message: `Expected MCP server ${JSON.stringify(server)} to offer ${options.feature}, got a server without them.`,
    });
  }

  return {
    async listResources(server, { signal } = {}) {
      const send: Send<ListResourcesResult> = (client, options, _retry, meta) =>
        client.listResources(toMetaField(meta), options);
      const facts = { method: 'resources/list' };
      return (await request(server, { feature: 'resources', request: facts, signal }, send))?.resources ?? [];
    },
    async listResourceTemplates(server, { signal } = {}) {
      const send: Send<ListResourceTemplatesResult> = (client, options, _retry, meta) =>
        client.listResourceTemplates(toMetaField(meta), options);
      const facts = { method: 'resources/templates/list' };
      const listed = await request(server, { feature: 'resources', request: facts, signal }, send);
      return listed?.resourceTemplates ?? [];
    },
    async readResource(server, { uri, signal, context, facts = { context }, onProgress }) {
      const { contents } = await requestFrom(
        server,
        { feature: 'resources', request: { method: 'resources/read', uri }, signal, facts, onProgress },
        (client, options, retry, meta) =>
          // The response to a retry is meant for this request only.
          client.readResource(
            { uri, ...toMetaField(meta), ...retry },
            Object.keys(retry).length === 0 ? options : { ...options, cacheMode: 'bypass' },
          ),
      );
      return { parts: toContentParts(contents.map(resource => ({ type: 'resource', resource }))), contents };
    },
    async listPrompts(server, { signal } = {}) {
      const send: Send<ListPromptsResult> = (client, options, _retry, meta) =>
        client.listPrompts(toMetaField(meta), options);
      const facts = { method: 'prompts/list' };
      return (await request(server, { feature: 'prompts', request: facts, signal }, send))?.prompts ?? [];
    },
    async getPrompt(server, { name, arguments: values, signal, context }) {
      const { description, messages } = await requestFrom(
        server,
        {
          feature: 'prompts',
          request: { method: 'prompts/get', target: name },
          signal,
          facts: { context },
          arguments: values,
        },
        (client, options, retry, meta) =>
          client.getPrompt(
            { name, ...(values && { arguments: values }), ...toMetaField(meta), ...retry },
            options,
          ),
      );
      return {
        ...(description !== undefined && { description }),
        messages: messages.map(({ role, content }) => ({ role, content: toContentParts([content]) })),
      };
    },
    async complete(server, { signal, ...params }) {
      const send: Send<CompleteResult> = (client, options, _retry, meta) =>
        client.complete({ ...params, ...toMetaField(meta) }, options);
      const facts = { method: 'completion/complete' };
      const result = await request(server, { feature: 'completions', request: facts, signal }, send);
      return result?.completion ?? { values: [] };
    },
  };
}

/** @throws KelivoError `unknown-name`, naming the servers that exist. */
export function findServer<Server extends { readonly name: string }>(
  servers: readonly Server[],
  serverName: string,
): Server {
  const found = servers.find(({ name }) => name === serverName);
  if (found !== undefined) return found;
  const names = servers.map(({ name }) => JSON.stringify(name)).join(', ');
  throw new KelivoError({
    code: 'unknown-name',
    message:
      `Expected the name of an MCP server that is not disabled (${names || 'there is none'}), ` +
      `got ${JSON.stringify(serverName)}.`,
  });
}

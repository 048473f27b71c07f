import type {
  Client,
  CompleteRequestParams,
  LoggingLevel,
  McpSubscription,
  Prompt,
  RequestOptions,
  Resource,
  ResourceContents,
  ResourceTemplateType,
} from '@modelcontextprotocol/client';
import { type AbortSource, linkSignal, onceAborted, toTimerDelay } from '../../../core/shared/abort.js';
import type { PlainObject } from '../../../core/shared/json.js';
import { KelivoError } from '../../../core/shared/errors.js';
import { findServer } from './find-server.js';
import type { McpRequestFacts } from '../../../core/telemetry.js';
import type { McpServerConfig } from '../config/config.js';
import type { McpConnection } from '../session/connection.js';
import { toMcpError } from '../session/errors.js';
import { mayHaveRun, type McpFailure, type McpFailureKind } from '../transport/failures.js';
import { anyResult, requestOriginal } from '../transport/messages.js';
import type { McpSession } from '../session/session.js';
import { type RequestLimits, type Send, sendRequest, toMetaField } from '../session/request.js';
import type { McpSkill, McpSkillFile } from './skills.js';
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
   * Lists the skills of a server, of the extension `io.modelcontextprotocol/skills` (SEP-2640). Returns an empty list if the
   * server has no skills. Invalid entries are left out.
   */
  listSkills(server: string, options?: McpRequestOptions): Promise<McpSkill[]>;
  /**
   * Reads a file of a skill, and compares it with the size and the digest that the server lists. Rejects if they differ. Skills
   * are instructions of the server: let a person decide which ones a model receives.
   *
   * @param options `uri` is that of the skill, and `path` that of a file in it, by default of its `SKILL.md`.
   */
  readSkill(
    server: string,
    options: McpRequestOptions & { uri: string; path?: string },
  ): Promise<McpSkillFile>;
  /**
   * Suggests values for an argument of a prompt (`ref/prompt`) or of a resource template (`ref/resource`). Returns no
   * values if the server has no completions.
   */
  complete(
    server: string,
    options: Pick<McpRequestOptions, 'signal'> & CompleteRequestParams,
  ): Promise<McpCompletion>;
  /**
   * Asks the server to announce changes of a resource. They arrive at `onMessage` as `notifications/resources/updated`, until
   * the returned function is called or the connection ends.
   * https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
   */
  subscribeResource(
    server: string,
    options: McpRequestOptions & { uri: string },
  ): Promise<() => Promise<void>>;
  /** Changes the minimum level of the messages for `onLog`, until the end of the connection. */
  setLogLevel(server: string, options: McpRequestOptions & { level: LoggingLevel }): Promise<void>;
  /**
   * Sends a request of an extension, such as `tasks/list`, and returns the result of the server. It is never run twice. With a
   * `toolCallId`, it counts as a tool call, during which the server can ask.
   */
  sendRequest(
    server: string,
    options: McpRequestOptions & { method: string; params: PlainObject; toolCallId?: string },
  ): Promise<PlainObject>;
}

export interface FeatureServer {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly connection: McpConnection;
}

interface FeatureRequest
  extends Pick<McpRequestFacts, 'method' | 'target' | 'uri'>, Pick<RequestLimits, 'signal' | 'onProgress'> {
  /** The feature that the server must have. @default none, and the request may have side effects */
  feature?: 'resources' | 'prompts' | 'completions' | 'logging';
  /** Identifies the request to callbacks if the server asks. @default the server cannot ask */
  facts?: Omit<McpCallFacts, 'server'>;
  /** Parameters by which the messages of the request are recognized. */
  params?: PlainObject;
}

/** Sends a request with the client of a session. */
type SendInSession<T> = (...request: [...Parameters<Send<T>>, McpSession]) => Promise<T>;

/** Failures after which a request is sent once more. Reading has no side effects. */
const retriedFailures = new Set<McpFailureKind>(['session-expired', 'not-sent', 'closed', 'network']);

/** The features of the servers, with the options of tool calls. */
export interface ServerFeatures extends McpServerFeatures {
  readResource(
    server: string,
    options: McpRequestOptions & { uri: string } & Pick<FeatureRequest, 'facts' | 'onProgress'>,
  ): Promise<McpResourceContents>;
}

/** @param options.closed Returns the signal that aborts at the next `close()`. */
export function createServerFeatures(
  servers: readonly FeatureServer[],
  options: FeatureLimits,
): ServerFeatures {
  const { request, requestFrom, createList } = createRequests(servers, options);
  return {
    listResources: createList(
      { feature: 'resources', method: 'resources/list' },
      async (client, params, sendOptions) => (await client.listResources(params, sendOptions)).resources,
    ),
    listResourceTemplates: createList(
      { feature: 'resources', method: 'resources/templates/list' },
      async (client, params, sendOptions) =>
        (await client.listResourceTemplates(params, sendOptions)).resourceTemplates,
    ),
    listPrompts: createList(
      { feature: 'prompts', method: 'prompts/list' },
      async (client, params, sendOptions) => (await client.listPrompts(params, sendOptions)).prompts,
    ),
    async readResource(server, { uri, signal, context, facts = { context }, onProgress }) {
      const { contents } = await requestFrom(
        server,
        { feature: 'resources', method: 'resources/read', uri, params: { uri }, signal, facts, onProgress },
        (client, sendOptions, retry, meta) => {
          const params = { uri, ...toMetaField(meta), ...retry };
          // The response to a retry is meant for this request only.
          const isRetry = Object.keys(retry).length > 0;
          return client.readResource(params, isRetry ? { ...sendOptions, cacheMode: 'bypass' } : sendOptions);
        },
      );
      return { parts: toContentParts(contents.map(resource => ({ type: 'resource', resource }))), contents };
    },
    async getPrompt(server, { name, arguments: values, signal, context }) {
      const params = { name, ...(values && { arguments: values }) };
      const { description, messages } = await requestFrom(
        server,
        {
          feature: 'prompts',
          method: 'prompts/get',
          target: name,
          signal,
          facts: { context },
          params,
        },
        (client, sendOptions, retry, meta) =>
          client.getPrompt({ ...params, ...toMetaField(meta), ...retry }, sendOptions),
      );
      return {
        ...(description !== undefined && { description }),
        messages: messages.map(message => ({
          role: message.role,
          content: toContentParts([message.content]),
        })),
      };
    },
    async listSkills(server, { signal } = {}) {
      const { toSkill, SkillsClient } = await import('./skills.js');
      const request = { method: 'skills/list', signal };
      return requestFrom(server, request, async (client, sendOptions) => {
        const skills = new SkillsClient(client, { skipInvalid: true });
        return skills.supported ? (await skills.list({}, sendOptions)).skills.map(toSkill) : [];
      });
    },
    async readSkill(server, { uri, path, signal }) {
      const { toSkillFile, SkillsClient } = await import('./skills.js');
      const request = { method: 'skills/get', uri, signal };
      return requestFrom(server, request, async (client, sendOptions) => {
        const skills = new SkillsClient(client);
        const { skill } = await skills.get(uri, sendOptions);
        return toSkillFile(await skills.read(skill, path, sendOptions));
      });
    },
    async complete(server, { signal, ...params }) {
      const result = await request(
        server,
        { feature: 'completions', method: 'completion/complete', signal },
        (client, sendOptions, _retry, meta) =>
          client.complete({ ...params, ...toMetaField(meta) }, sendOptions),
      );
      return result?.completion ?? { values: [] };
    },
    async subscribeResource(server, { uri, signal }) {
      const subscription = await requestFrom<Pick<McpSubscription, 'close'>>(
        server,
        { feature: 'resources', method: 'resources/subscribe', uri, signal },
        async (client, sendOptions) => {
          if (client.getServerCapabilities()?.resources?.subscribe !== true)
            throw toMissingFeature(server, 'subscriptions to resources');
          // The options of this request end with it.
          const { timeout = options.timeout } = findServer(servers, server).config;
          const limit = { timeout: toTimerDelay(timeout) };
          if (client.getProtocolEra() === 'modern')
            return client.listen({ resourceSubscriptions: [uri] }, limit);
          await client.subscribeResource({ uri }, sendOptions);
          return { close: async () => void (await client.unsubscribeResource({ uri }, limit)) };
        },
      );
      return () => subscription.close();
    },
    async setLogLevel(server, { level, signal }) {
      await requestFrom(
        server,
        { feature: 'logging', method: 'logging/setLevel', signal },
        async (_client, sendOptions, _retry, _meta, _exchange, session) => {
          await session.setLogLevel(level, sendOptions);
          return true;
        },
      );
    },
    sendRequest(server, { method, params, toolCallId, signal, context }) {
      const facts = toolCallId === undefined ? undefined : { toolCallId, context };
      const request = { method, params, signal, facts };
      return requestFrom(server, request, (client, options, retry) =>
        requestOriginal(client, { method, params: { ...params, ...retry } }, { schema: anyResult, options }),
      );
    },
  };
}

type FeatureLimits = Pick<RequestLimits, 'timeout' | 'totalTimeout'> & { closed: () => AbortSource };

/** Sends requests to servers, with the time limits and the recovery of tool calls. */
function createRequests(servers: readonly FeatureServer[], featureLimits: FeatureLimits) {
  /** Sends a request. Returns undefined if the server lacks the feature. */
  async function request<T>(
    serverName: string,
    { feature, facts, params = {}, signal, onProgress, ...requestFacts }: FeatureRequest,
    send: SendInSession<T>,
  ): Promise<T | undefined> {
    const { config, connection } = findServer(servers, serverName);
    signal?.throwIfAborted();
    const link = linkSignal(signal);
    const closing = featureLimits.closed();
    const release = onceAborted(closing, () => link.abort(closing.reason));
    const limits = {
      signal: link.signal,
      timeout: config.timeout ?? featureLimits.timeout,
      totalTimeout: featureLimits.totalTimeout,
      onProgress,
    };
    const call = facts && { facts: { ...facts, server: serverName }, method: requestFacts.method, params };
    const mayRetry = (failure: McpFailure): boolean =>
      retriedFailures.has(failure.kind) && (feature !== undefined || !mayHaveRun(failure));
    try {
      return await connection.withSession(
        async session => {
          if (feature && session.client.getServerCapabilities()?.[feature] === undefined) return undefined;
          const sendInSession: Send<T> = (...sent) => send(...sent, session);
          return sendRequest(session, { send: sendInSession, call, facts: requestFacts }, limits);
        },
        { signal: link.signal, mayRetry },
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
  async function requestFrom<T>(server: string, feature: FeatureRequest, send: SendInSession<T>): Promise<T> {
    const result = await request(server, feature, send);
    if (result !== undefined) return result;
    throw toMissingFeature(server, String(feature.feature));
  }

  /** Creates a method that lists what a server has. */
  function createList<Entry>(
    { feature, method }: Pick<FeatureRequest, 'feature' | 'method'>,
    list: (client: Client, params: { _meta?: PlainObject }, options: RequestOptions) => Promise<Entry[]>,
  ) {
    return async (server: string, options: McpRequestOptions = {}): Promise<Entry[]> =>
      (await request(
        server,
        { feature, method, signal: options.signal },
        (client, sendOptions, _retry, meta) => list(client, toMetaField(meta), sendOptions),
      )) ?? [];
  }

  return { request, requestFrom, createList };
}

const toMissingFeature = (server: string, feature: string): KelivoError =>
  new KelivoError({
    code: 'mcp-protocol',
    message: `Expected MCP server ${JSON.stringify(server)} to offer ${feature}, got a server without them.`,
  });

import type { FetchLike } from '@modelcontextprotocol/client';
import * as z from 'zod/v4';
import type { Closing } from '../../core/shared/abort.js';
import { KelivoError } from '../../core/shared/errors.js';
import type { McpFingerprints } from '../fingerprints.js';
import { once } from '../../core/shared/once.js';
import { functionSetting, parseSettings } from '../../core/shared/settings.js';
import { type ObservedOptions, telemetrySetting } from '../../core/telemetry.js';
import type { McpServerConfig } from './config/config.js';
import type { McpConnection } from './session/connection.js';
import type { McpCallbacks, RequestMeta } from './config/callbacks.js';

/** Connections that several tool sources share, one for each server. */
export interface McpConnectionPool {
  /** Ends all processes, connections and the turns that use them. Using the pool afterwards opens them again. */
  close(): Promise<void>;
  /** @internal */
  readonly closing: Closing;
  /** @internal */
  connectionTo(
    config: McpServerConfig,
    options: { serverName: string; Connection: typeof McpConnection },
  ): McpConnection;
}

/** Options for opening and keeping connections. */
export interface McpConnectionPoolOptions extends McpCallbacks, ObservedOptions {
  /**
   * Time after which an unused connection closes, in milliseconds. The next use opens it again. A server that keeps
   * state in its process, such as a browser, loses it then.
   * @default 600000
   */
  idleTimeout?: number;
  /** Sends the HTTP requests, for example through a proxy or a WebView. @default the global fetch */
  fetch?: FetchLike;
}

/** Options of `createMcpTools`. Without a shared `pool`, they include the options of the pool. */
export type McpToolsOptions = McpSourceOptions &
  (
    | ({
        /** Connections that other tool sources share. Closing the source leaves them open. */
        pool: McpConnectionPool;
      } & { [Key in keyof McpConnectionPoolOptions]?: never })
    | ({ pool?: undefined } & McpConnectionPoolOptions)
  );

/**
 * Options for calling the tools of servers. The `timeout` and the `startupTimeout` of a server take precedence. Progress
 * restarts `timeout`, and it pauses while the server waits for the host. No turn waits for a server whose tools are known.
 */
export interface McpSourceOptions extends Pick<McpServerConfig, 'timeout' | 'startupTimeout'> {
  /** Maximum total time of a call, in milliseconds, regardless of progress. @default 600000 */
  totalTimeout?: number;
  /**
   * Names of the tools. `auto`: a tool keeps its name, and is called `<server>_<tool>` if another tool has the same name.
   * `prefixed`: always `<server>_<tool>`, for applications that store names: adding a server changes none of them.
   * @default 'auto'
   */
  toolNames?: 'auto' | 'prefixed';
  /**
   * Returns `_meta` of a tool call, for example the trace context: `traceparent`, `tracestate` and `baggage` of W3C Trace
   * Context. It takes precedence over that of `telemetry`. Other keys need a prefix such as `com.example/`. Keys of the
   * protocol are left out. The server receives all values, so return only what it may read. Errors it throws are ignored.
   * @default none
   */
  requestMeta?: RequestMeta;
  /**
   * Fingerprints of the tools that were reviewed, from `fingerprints()`. Of a server in it, only tools with the same
   * description, input schema and title are used. A warning names each new, changed and missing tool.
   * @default all tools; a change while the process runs is a warning
   */
  fingerprints?: McpFingerprints;
}

const createDuration = () => z.number().positive().optional();

const createPoolShape = () => ({
  idleTimeout: createDuration(),
  telemetry: telemetrySetting().optional(),
  fetch: functionSetting<McpConnectionPoolOptions['fetch']>().optional(),
  onElicitation: functionSetting<McpConnectionPoolOptions['onElicitation']>().optional(),
  onSampling: functionSetting<McpConnectionPoolOptions['onSampling']>().optional(),
  onLog: functionSetting<McpConnectionPoolOptions['onLog']>().optional(),
  logLevel: z
    .enum(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'])
    .optional(),
  onMessage: functionSetting<McpConnectionPoolOptions['onMessage']>().optional(),
  onStderr: functionSetting<McpConnectionPoolOptions['onStderr']>().optional(),
  onStateChange: functionSetting<McpConnectionPoolOptions['onStateChange']>().optional(),
  apps: z.boolean().optional(),
});

const poolSchema = once<z.ZodType<McpConnectionPoolOptions>>(() => z.strictObject(createPoolShape()));

const toolsSchema = once(() =>
  z.strictObject({
    ...createPoolShape(),
    timeout: createDuration(),
    totalTimeout: createDuration(),
    startupTimeout: z.number().min(0).optional(),
    toolNames: z.enum(['auto', 'prefixed']).optional(),
    requestMeta: functionSetting<McpSourceOptions['requestMeta']>().optional(),
    fingerprints: z.record(z.string(), z.record(z.string(), z.string())).optional(),
    pool: z
      .custom<McpConnectionPool>(
        value => typeof value === 'object' && value !== null && 'connectionTo' in value,
        'expected the result of createMcpConnectionPool()',
      )
      .optional(),
  }),
);

/** @throws KelivoError `invalid-settings`, naming the option, the expected and the received value. */
export function validateConnectionPoolOptions(options: unknown): McpConnectionPoolOptions {
  return parseSettings(poolSchema(), options, 'the MCP connection pool options');
}

/**
 * @param name The name of the options in error messages.
 * @throws KelivoError `invalid-settings`, naming the option, the expected and the received value.
 */
export function validateMcpToolsOptions(options: unknown, name = 'the MCP options'): McpToolsOptions {
  const { pool, ...valid } = parseSettings(toolsSchema(), options, name);
  if (pool === undefined) return valid;
  const { timeout, totalTimeout, startupTimeout, toolNames, requestMeta, fingerprints, ...poolOptions } =
    valid;
  const sourceOptions = { timeout, totalTimeout, startupTimeout, toolNames, requestMeta, fingerprints };
  const misplaced = Object.entries(poolOptions).find(([, value]) => value !== undefined)?.[0];
  if (misplaced === undefined) return { pool, ...sourceOptions };
  throw new KelivoError({
    code: 'invalid-settings',
    message:
      `Expected \`${misplaced}\` among the options of \`createMcpConnectionPool\`, ` +
      `got it together with \`pool\` in ${name}.`,
  });
}

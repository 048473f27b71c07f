import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { createPartCollector } from '../parts/collector.js';
import { streamBatches } from '../parts/batches.js';
import { turnTokenOf } from '../parts/call-marks.js';
import { isV3Host } from '../parts/call-marks.js';
import type { LearnedCompatibility } from './compatibility/send-with-fallbacks.js';
import { sendWithFallbacks } from './compatibility/send-with-fallbacks.js';
import { buildRequest } from './request/build-request.js';
import type { Compatibility } from './compatibility/compatibility.js';
import type { ResponsesRequestBody } from './wire.js';
import type { DeclaredTools } from './stream/hosted-item.js';
import { type ResponseReader, readResponse } from './stream/read-response.js';
import { supportedUrls } from './supported-urls.js';
import type { Credentials } from '../http/key-ring.js';
import type { RequestHeaders } from '../http/request-headers.js';
import { openResponse, type ResponseTimeouts } from '../http/open-response.js';
import { redactRequestBody } from '../http/redaction.js';
import { createTurnMemories } from './turn-memory.js';

/** What a model needs to know of its provider. */
export interface ResponsesModelConfig {
  readonly provider: string;
  /** Full address of the Responses endpoint. */
  readonly url: string;
  readonly credentials: Credentials;
  /** Whether a request without any key is a mistake, as it is at OpenAI. */
  readonly needsKey: boolean;
  readonly fetch: FetchFunction;
  readonly store: boolean;
  readonly systemMessageMode: 'auto' | 'system' | 'developer' | 'remove';
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  readonly timeouts: ResponseTimeouts;
  readonly override: RequestOverride;
  readonly learnedCompatibility: LearnedCompatibility;
  readonly generateId: () => string;
}

/** What the requests of this model have or take that those of others do not. */
export interface RequestOverride {
  readonly headers: RequestHeaders;
  /** Fields that replace those of the request. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly compatibility: Compatibility;
}

/**
 * One model call on the wire: a `LanguageModelV2` that sends one request to `POST …/responses` and maps its one
 * answer. It runs no tool, and repeats nothing but a request that the server refused for a known and mendable reason.
 */
export function createResponsesModel(modelId: string, config: ResponsesModelConfig): LanguageModelV2 {
  const memories = createTurnMemories();

  return {
    specificationVersion: 'v2',
    provider: config.provider,
    modelId,
    supportedUrls,

    async doStream(options) {
      const { answer, head, warnings, body, headers, close } = await open(options, { stream: true });
      head.unshift({ type: 'stream-start', warnings });
      let next: ResponseReader['next'] = async () => {
        next = answer.next;
        return head;
      };
      const stream = streamBatches({ next: () => next(), cancel: close });
      return { stream, request: { body }, response: { headers } };
    },

    async doGenerate(options) {
      const { answer, head, warnings, body, headers, close } = await open(options, { stream: false });
      try {
        const folder = createPartCollector();
        for (let parts: Parts | undefined = head; parts !== undefined; parts = await answer.next()) {
          for (const part of parts) folder.add(part);
        }
        const { response, ...result } = folder.result();
        return { ...result, warnings, request: { body }, response: { ...response, headers } };
      } finally {
        close();
      }
    },
  };

  /** Builds the request, sends it, with another key or changed where that helps, and reads the beginning of the answer. */
  async function open(options: LanguageModelV2CallOptions, { stream }: { stream: boolean }) {
    const { store, systemMessageMode, missingReasoning, override, learnedCompatibility } = config;
    const turn = turnTokenOf(options.providerOptions);
    const { messages: known, toInputJson } = memories.of(turn);
    const context = { modelId, store, systemMessageMode, missingReasoning, stream, known };
    const { body: built, warnings, toolNames } = buildRequest(options, context);
    const { opened, omitted } = await config.credentials.use(turn, headers =>
      sendWithFallbacks(built, {
        post: body => begin({ ...body, ...override.body }, headers),
        compatibility: override.compatibility,
        learned: learnedCompatibility,
      }),
    );
    return { ...opened, warnings: [...warnings, ...omitted.map(toOmittedWarning)] };

    async function begin(body: ResponsesRequestBody, headers: RequestHeaders) {
      const { url, fetch, needsKey, timeouts, generateId } = config;
      const { abortSignal: signal, includeRawChunks } = options;
      const response = await openResponse({
        url,
        headers: [headers, override.headers, options.headers],
        needsKey,
        body,
        toInputJson,
        fetch,
        signal,
        // The status of an answer that is not streamed comes with the answer.
        timeouts: stream ? timeouts : { total: timeouts.total },
      });
      const answer = readResponse({
        read: response.read,
        errorContext: response.errorContext,
        redactKnown: response.redactKnown,
        toToolName: toolNames.fromWire,
        generateId,
        declared: toDeclaredTools(options, stream),
        isKept: body.store === true || body.previous_response_id !== undefined,
        includeRawChunks,
        signal,
        close: response.close,
      });
      try {
        const head = await readHead(answer);
        // Hosts keep and log the body; the credentials of hosted MCP servers are not for that.
        return {
          answer,
          head,
          body: redactRequestBody(body).body,
          headers: response.headers,
          close: response.close,
        };
      } catch (error) {
        response.close();
        throw error;
      }
    }
  }
}

/** A setting that the call asked for and the server does not take, by the name the host knows it by. */
function toOmittedWarning(field: string): LanguageModelV2CallWarning {
  const setting = field.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
  return {
    type: 'unsupported-setting',
    setting,
    details: `${setting} is not accepted by the server for this model`,
  };
}

/** Which tools the host knows. A tool part of another one is shown as far as its host can bear it. */
function toDeclaredTools(options: LanguageModelV2CallOptions, stream: boolean): DeclaredTools {
  const { tools = [], toolChoice } = options;
  const isHidden = toolChoice?.type === 'none';
  return {
    names: new Set(isHidden ? [] : tools.map(tool => tool.name)),
    nameById: new Map(
      tools.flatMap(tool => (tool.type === 'function' ? [] : [[tool.id, tool.name] as const])),
    ),
    undeclared: isHidden ? 'none' : isV3Host(options) ? 'full' : stream ? 'result' : 'none',
  };
}

/**
 * The parts up to the first that shows something. A host repeats a rejected promise, never a stream: so an answer that
 * breaks before it said anything must reject.
 */
async function readHead(answer: ResponseReader): Promise<Parts> {
  const head: Parts = [];
  for (;;) {
    const parts = await answer.next();
    if (parts === undefined) return head;
    for (const part of parts) {
      if (part.type === 'error') throw part.error;
      head.push(part);
      if (!SILENT_PARTS.has(part.type)) return [...head, ...parts.slice(parts.indexOf(part) + 1)];
    }
  }
}

/** A text that has only begun says nothing; reasoning that has begun tells that the model thinks. */
const SILENT_PARTS: ReadonlySet<string> = new Set(['response-metadata', 'raw', 'text-start']);

type Parts = LanguageModelV2StreamPart[];

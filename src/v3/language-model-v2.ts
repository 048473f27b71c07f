import type {
  JSONObject,
  LanguageModelV2,
  LanguageModelV2FinishReason,
  LanguageModelV2StreamPart,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import { approvalMarkOf, type HostVersion, hostVersionOf } from '../parts/call-marks.js';
import type { ModelUsage } from '../parts/usage.js';
import { isPlainObject, numberOf, objectOf, objectsOf, type PlainObject, stringOf } from '../shared/json.js';
import { toApprovalCall } from './approvals.js';
import { fromCustomPart } from './custom-parts.js';
import { convertStream } from './language-model.js';
import { toLaterOptions } from './later-call-options.js';

/** Any language model of version 3 or 4, of this or another provider. */
export interface LaterLanguageModel {
  readonly specificationVersion: 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: LanguageModelV2['supportedUrls'];
  /** Returns a complete response. */
  doGenerate(options: never): PromiseLike<object>;
  /** Streams a response. */
  doStream(options: never): PromiseLike<{ stream: ReadableStream<{ type: string }> }>;
}

/**
 * Converts a model of `ai` 6 or 7 to version 2, which `withToolLoop` and `adaptModel` accept. Convert the result back with
 * `toLanguageModelV3` or `toLanguageModelV4` for the host: `custom` parts, approvals of hosted tools and the details of the
 * usage then arrive unchanged.
 *
 * Version 2 has no warnings about compatibility and no citations, so that the former become plain messages and the latter
 * are left out. A generated file that is only known by its URL is a source in hosts other than `ai@7`.
 *
 * @example
 * ```ts
 * const looped = withToolLoop(toLanguageModelV2(openai('gpt-5')), { tools: createMcpTools(mcpServers) });
 * const model = toLanguageModelV4(looped);
 * ```
 */
export function toLanguageModelV2(model: LaterLanguageModel): LanguageModelV2 {
  const version = model.specificationVersion;
  return {
    specificationVersion: 'v2',
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },

    async doGenerate(options) {
      const host = hostVersionOf(options);
      const {
        content,
        structuredOutputText: _,
        ...result
      }: PlainObject = {
        ...(await model.doGenerate(toLaterOptions(options, version) as never)),
      };
      const { convert, flush } = createContentConverter(host);
      const converted: unknown = {
        ...result,
        content: [...objectsOf(content).flatMap(convert), ...flush()],
        ...toFinish(result, host),
        warnings: objectsOf(result.warnings).map(warning => toV2Warning(warning, host)),
      };
      return converted as Awaited<ReturnType<LanguageModelV2['doGenerate']>>;
    },

    async doStream(options) {
      const host = hostVersionOf(options);
      const result = await model.doStream(toLaterOptions(options, version) as never);
      return { ...result, stream: convertStream(result.stream, createPartConverter(host)) };
    },
  };
}

/** Converts the parts of one stream. Parts of unknown types are left out, because hosts fail with them. */
function createPartConverter(host: HostVersion): (part: { type: string }) => LanguageModelV2StreamPart[] {
  const content = createContentConverter(host);
  let carriers = 0;
  return given => toParts({ ...given }) as LanguageModelV2StreamPart[];

  function toParts(part: PlainObject): unknown[] {
    switch (part.type) {
      case 'stream-start':
        return [{ ...part, warnings: objectsOf(part.warnings).map(warning => toV2Warning(warning, host)) }];
      case 'finish':
        return [...content.flush(), { ...part, ...toFinish(part, host) }];
      case 'custom': {
        const id = `custom-${carriers++}`;
        return content.convert(part).flatMap(converted =>
          converted.type === 'reasoning'
            ? ['start', 'end'].map(end => ({
                type: `reasoning-${end}`,
                id,
                providerMetadata: converted.providerMetadata,
              }))
            : [converted],
        );
      }
      case 'tool-call':
      case 'tool-approval-request':
      case 'tool-result':
      case 'file':
      case 'reasoning-file':
      case 'text-end':
        return content.convert(part);
      default:
        return EQUAL_PARTS.has(part.type) ? [...content.flush(), part] : [];
    }
  }
}

/** Parts of streams that are the same in all versions. */
const EQUAL_PARTS: ReadonlySet<unknown> = new Set([
  'response-metadata',
  'text-start',
  'text-delta',
  'reasoning-start',
  'reasoning-delta',
  'reasoning-end',
  'tool-input-start',
  'tool-input-delta',
  'tool-input-end',
  'source',
  'raw',
  'error',
]);

/** Converts the content of one response. A call is held back until it is clear that no approval request follows. */
function createContentConverter(host: HostVersion) {
  let held: PlainObject | undefined;
  const flush = (): PlainObject[] => {
    const calls = held === undefined ? [] : [held];
    held = undefined;
    return calls;
  };
  return { flush, convert };

  function convert(part: PlainObject): PlainObject[] {
    const [call] = flush();
    if (part.type === 'tool-approval-request') {
      // The tool loop marks its calls, so that they contain the request already.
      const isHosted =
        call?.toolCallId === part.toolCallId && approvalMarkOf(call?.providerMetadata) === undefined;
      return isHosted && call !== undefined ? [toApprovalCall(call, part)] : call === undefined ? [] : [call];
    }
    const before = call === undefined ? [] : [call];
    if (part.type === 'tool-call' && part.providerExecuted === true) {
      held = part;
      return before;
    }
    return [...before, ...toContent(part)];
  }

  function toContent(part: PlainObject): PlainObject[] {
    switch (part.type) {
      case 'text':
      case 'text-end': {
        const { citations: _, ...rest } = part;
        return [rest];
      }
      case 'custom': {
        const { kind, providerMetadata: metadata } = part;
        const providerMetadata = fromCustomPart({ kind: stringOf(kind), metadata: objectOf(metadata) });
        return [{ type: 'reasoning', text: '', providerMetadata }];
      }
      case 'file':
      case 'reasoning-file':
        return [toFile(part, host)];
      case 'tool-result':
        // Every result in a response belongs to a tool that the provider ran.
        return [{ ...part, providerExecuted: true }];
      case 'tool-call':
      case 'reasoning':
      case 'source':
        return [part];
      default:
        return [];
    }
  }
}

/** Version 2 has no files by URL. The facade of version 4 expects a URL object. */
function toFile({ type, data, ...part }: PlainObject, host: HostVersion): PlainObject {
  const tagged = data instanceof Uint8Array ? undefined : objectOf(data);
  const metadata = objectOf(part.providerMetadata);
  const marked =
    type === 'reasoning-file'
      ? { ...metadata, kelivo: { ...objectOf(metadata?.kelivo), reasoningFile: true } }
      : metadata;
  const providerMetadata = marked === undefined ? {} : { providerMetadata: marked };
  if (tagged?.type !== 'url')
    return { type: 'file', ...part, data: tagged?.data ?? data, ...providerMetadata };
  const url = String(tagged.url);
  return host === 'v4'
    ? { type: 'file', ...part, data: new URL(url), ...providerMetadata }
    : { type: 'source', sourceType: 'url', id: url, url, ...providerMetadata };
}

/** Converts the end of a response. The raw finish reason is passed in the metadata. */
function toFinish({ finishReason, usage, providerMetadata }: PlainObject, host: HostVersion) {
  const { unified, raw } = objectOf(finishReason) ?? {};
  const metadata = providerMetadata as SharedV2ProviderMetadata | undefined;
  return {
    // Version 2 has the reason `unknown` for a response that ended without one.
    finishReason: (unified === 'interrupted' ? 'unknown' : unified) as LanguageModelV2FinishReason,
    usage: toV2Usage(objectOf(usage) ?? {}, host),
    ...(typeof raw === 'string' && host !== 'v2'
      ? { providerMetadata: { ...metadata, kelivo: { ...metadata?.kelivo, rawFinishReason: raw } } }
      : {}),
  };
}

function toV2Usage({ inputTokens, outputTokens, raw }: PlainObject, host: HostVersion): ModelUsage {
  const input = objectOf(inputTokens);
  const output = objectOf(outputTokens);
  const [inputTotal, outputTotal] = [numberOf(input?.total), numberOf(output?.total)];
  const cacheWriteInputTokens = numberOf(input?.cacheWrite);
  return {
    inputTokens: inputTotal,
    outputTokens: outputTotal,
    totalTokens: inputTotal === undefined || outputTotal === undefined ? undefined : inputTotal + outputTotal,
    reasoningTokens: numberOf(output?.reasoning),
    cachedInputTokens: numberOf(input?.cacheRead),
    ...(host !== 'v2' && cacheWriteInputTokens !== undefined && { cacheWriteInputTokens }),
    ...(host !== 'v2' && isPlainObject(raw) && { raw: raw as JSONObject }),
  };
}

/** Converts a warning. One of a type that the host knows and version 2 does not is unchanged. */
function toV2Warning(warning: PlainObject, host: HostVersion): PlainObject {
  const { type, feature, setting, details, message } = warning;
  if (type === 'unsupported') {
    return { type: 'unsupported-setting', setting: feature, ...(details !== undefined && { details }) };
  }
  const isKnown = type === 'other' || host === 'v4' || (host === 'v3' && type === 'compatibility');
  return isKnown
    ? warning
    : { type: 'other', message: [feature ?? setting, details ?? message].filter(Boolean).join(': ') };
}

import { type Message, type Prompt, toDeniedText, type Tool } from '../core/prompt.js';
import type { Content } from '../core/part.js';
import { createRedactor, redactErrorJson, redactUrl } from '../core/redaction/redaction.js';
import { isPlainObject, objectOf, stringOf, tryParseJson } from '../core/shared/json.js';

/** The content that is recorded, and where. */
export interface ContentMode {
  readonly inputs: boolean;
  readonly outputs: boolean;
  readonly inSpans: boolean;
  readonly inEvents: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment of the process. Browsers have none. */
export const readEnvironment = (): Environment =>
  (globalThis as { process?: { env?: Environment } }).process?.env ?? {};

/**
 * Decides on content: by the settings, else by the environment variables of OpenTelemetry's instrumentations in other
 * languages. Unknown values record nothing.
 *
 * https://github.com/open-telemetry/opentelemetry-python-contrib/tree/main/util/opentelemetry-util-genai
 */
export function toContentMode(
  recordInputs: boolean | undefined,
  recordOutputs: boolean | undefined,
  environment: Environment,
): ContentMode {
  const value = environment.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.trim().toUpperCase();
  const optedIn = (environment.OTEL_SEMCONV_STABILITY_OPT_IN ?? '').split(',').map(name => name.trim());
  // The values other than `true` and `false` are those of the later conventions.
  const isLatest = optedIn.includes('gen_ai_latest_experimental');
  const inSpans = isLatest ? value === 'SPAN_ONLY' || value === 'SPAN_AND_EVENT' : value === 'TRUE';
  const inEvents = isLatest && (value === 'EVENT_ONLY' || value === 'SPAN_AND_EVENT');
  const emit = environment.OTEL_INSTRUMENTATION_GENAI_EMIT_EVENT?.trim().toLowerCase();
  const inputs = recordInputs ?? (inSpans || inEvents);
  const outputs = recordOutputs ?? (inSpans || inEvents);
  const isRecorded = inputs || outputs;
  return {
    inputs,
    outputs,
    inEvents: isRecorded && emit !== 'false' && (inEvents || emit === 'true'),
    // A setting without a place in the environment means the span.
    inSpans: isRecorded && (inSpans || !inEvents),
  };
}

/** Converts content to JSON text that contains no secret, no media and no encrypted reasoning. */
export interface ContentWriter {
  /** Adds values that are never recorded. */
  protect(secrets: readonly string[]): void;
  toText(text: string): string;
  toJson(value: unknown): string;
  toInput(prompt: Prompt): {
    readonly messages: string;
    readonly instructions: string | undefined;
  };
  toOutput(content: readonly Content[], finishReason: string | undefined): string;
  toTools(tools: readonly Tool[] | undefined): string | undefined;
  toToolOutput(output: unknown): string;
}

/** The maximum length of one recorded text, in characters. Backends truncate or reject longer attributes. */
const MAX_LENGTH = 10_000;

/** The maximum length of all messages of a request, of which the last ones are recorded. */
const MAX_MESSAGES_LENGTH = 10 * MAX_LENGTH;

export function createContentWriter(): ContentWriter {
  const secrets = new Set<string>();
  let redactor = createRedactor([]);

  const toText = (text: string): string => {
    const shown = redactor.redact(text.replace(DATA_URL, (_, type: string) => `[${type}]`));
    const omitted = shown.length - MAX_LENGTH;
    return omitted <= 0 ? shown : `${shown.slice(0, MAX_LENGTH)}… [${omitted} more characters]`;
  };
  const clean = (value: unknown): unknown => redactErrorJson(toShown(value), toText);
  const toJson = (value: unknown): string => JSON.stringify(clean(value)) ?? 'null';

  return {
    protect(values) {
      const size = secrets.size;
      for (const value of values) secrets.add(value);
      if (secrets.size > size) redactor = createRedactor([...secrets]);
    },
    toText,
    toJson,
    toInput(prompt) {
      const isSystem = (message: Message): boolean => message.role === 'system';
      const system = prompt
        .filter(isSystem)
        .map(message => ({ type: 'text', content: toText(String(message.content)) }));
      const messages = prompt
        .filter(message => !isSystem(message))
        .map(message => toMessage(message.role, Array.isArray(message.content) ? message.content : []));
      return {
        messages: toLimitedJson(messages),
        instructions: system.length === 0 ? undefined : JSON.stringify(system),
      };
    },
    toOutput(content, finishReason) {
      const message = toMessage('assistant', content);
      return JSON.stringify([
        { ...message, ...(finishReason !== undefined && { finish_reason: finishReason }) },
      ]);
    },
    toTools: tools =>
      tools &&
      toJson(
        tools.map(tool =>
          tool.type === 'function'
            ? {
                type: 'function',
                name: tool.name,
                description: tool.description,
                parameters: tool.inputSchema,
              }
            : // The arguments of hosted tools may contain credentials.
              { type: 'extension', name: tool.name },
        ),
      ),
    toToolOutput: output => toJson(objectOf(output)?.value),
  };

  function toMessage(role: string, content: readonly unknown[]): object {
    return { role, parts: content.flatMap(part => toPart(objectOf(part) ?? {}) ?? []) };
  }

  function toPart(part: Readonly<Record<string, unknown>>): object | undefined {
    const { type, text, toolCallId: id, toolName: name } = part;
    if (type === 'text') return { type, content: toText(String(text)) };
    if (type === 'reasoning') return text === '' ? undefined : { type, content: toText(String(text)) };
    if (type === 'file' || type === 'reasoning-file') {
      const { type: kind, text: fileText } = objectOf(part.data) ?? {};
      return kind === 'text' ? { type: kind, content: toText(String(fileText)) } : toMedia(part);
    }
    if (type === 'tool-call') {
      const { input } = part;
      const value = typeof input === 'string' ? (tryParseJson(input) ?? input) : input;
      return { type: 'tool_call', id, name, arguments: clean(value) };
    }
    if (type !== 'tool-result') return undefined;
    const { type: outcome, value, reason } = objectOf(part.output) ?? {};
    const shown = outcome === 'execution-denied' ? toDeniedText({ reason: stringOf(reason) }) : value;
    return { type: 'tool_call_response', id, result: clean(part.result ?? shown) };
  }

  /** Keeps the last messages up to the maximum length. */
  function toLimitedJson(messages: readonly object[]): string {
    const kept: string[] = [];
    let length = 0;
    for (const message of messages.toReversed()) {
      const json = JSON.stringify(message);
      if (kept.length > 0 && length + json.length > MAX_MESSAGES_LENGTH) break;
      length += json.length;
      kept.unshift(json);
    }
    const omitted = messages.length - kept.length;
    if (omitted > 0) {
      const content = `[${omitted} earlier messages omitted]`;
      kept.unshift(JSON.stringify({ role: 'system', parts: [{ type: 'text', content }] }));
    }
    return `[${kept.join(',')}]`;
  }
}

/** Media inside of text. */
const DATA_URL = /data:([\w.+-]+\/[\w.+-]+);base64,[A-Za-z0-9+/=_-]+/g;

/** Describes media by their type and size. The data is base64, an address, or a file of a prompt. */
function toMedia(part: Readonly<Record<string, unknown>>): object {
  const file = part.data instanceof Uint8Array ? undefined : objectOf(part.data);
  const given = file?.data ?? file?.url ?? part.data;
  const address = given instanceof URL ? given.href : given;
  const mime_type = typeof part.mediaType === 'string' ? part.mediaType : undefined;
  if (address instanceof Uint8Array) return { type: 'blob', mime_type, size: address.byteLength };
  if (typeof address !== 'string') return { type: 'blob', mime_type };
  if (/^https?:/.test(address)) return { type: 'uri', mime_type, uri: redactUrl(address).url };
  const base64 = address.slice(address.indexOf(',') + 1).replace(/={1,2}$/, '');
  return { type: 'blob', mime_type, size: Math.floor((base64.length * 3) / 4) };
}

/** Replaces media in outputs of tools, and what JSON cannot represent. */
function toShown(value: unknown): unknown {
  if (value instanceof Uint8Array) return toMedia({ data: value });
  if (Array.isArray(value)) return value.map(toShown);
  if (!isPlainObject(value)) return typeof value === 'bigint' ? String(value) : value;
  const { data, blob = data, mediaType, mimeType = mediaType } = value;
  if (typeof mimeType === 'string' && (typeof blob === 'string' || isPlainObject(blob)))
    return toMedia({ mediaType: mimeType, data: blob });
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toShown(field)]));
}

import { PbfReader } from 'pbf';
import { type Fields, isFields, listOf, numberOf, objectOf, textOf } from '../apps/fields.js';

/** A received span. Times are milliseconds since 1970. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startAt: number;
  readonly endAt: number;
  readonly attributes: Fields;
  /** The text of an error. */
  readonly problem?: string;
  readonly appName: string;
  readonly process?: number;
}

export interface ReceivedSpans {
  readonly spans: readonly ReceivedSpan[];
  /** Spans that could not be read. */
  readonly rejected: number;
}

/** Reads an export request in JSON. A malformed span loses itself only. */
export function readJsonSpans(request: unknown): ReceivedSpans {
  const found = listOf(objectOf(request)?.resourceSpans).flatMap(group => {
    const { resource, scopeSpans } = objectOf(group) ?? {};
    const attributes = readAttributes(objectOf(resource)?.attributes);
    return listOf(scopeSpans).flatMap(scope =>
      listOf(objectOf(scope)?.spans).map(span => toSpan(objectOf(span) ?? {}, attributes)),
    );
  });
  return withoutRejected(found);
}

/**
 * Reads an export request in protobuf, by the field numbers of `opentelemetry/proto/trace/v1/trace.proto`.
 *
 * @throws Error if the request itself is malformed.
 */
export function readProtobufSpans(request: Uint8Array): ReceivedSpans {
  const spans: (ReceivedSpan | undefined)[] = [];
  for (const group of readFields(request).get(1) ?? []) {
    const fields = readFields(bytesOf(group));
    const [resource] = fields.get(1) ?? [];
    const attributes = resource === undefined ? {} : readPairs(readFields(bytesOf(resource)).get(1));
    for (const scope of fields.get(2) ?? []) {
      for (const span of readFields(bytesOf(scope)).get(2) ?? []) {
        try {
          spans.push(toSpan(readSpan(readFields(bytesOf(span))), attributes));
        } catch {
          spans.push(undefined);
        }
      }
    }
  }
  return withoutRejected(spans);
}

const withoutRejected = (found: readonly (ReceivedSpan | undefined)[]): ReceivedSpans => {
  const spans = found.filter(span => span !== undefined);
  return { spans, rejected: found.length - spans.length };
};

function toSpan(span: Fields, resource: Fields): ReceivedSpan | undefined {
  const { traceId, spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano } = span;
  const startAt = readTime(startTimeUnixNano);
  const endAt = readTime(endTimeUnixNano);
  const isValid = isHex(traceId, 32) && isHex(spanId, 16) && typeof name === 'string';
  if (!isValid || startAt === undefined || endAt === undefined || endAt < startAt) return undefined;
  const status = objectOf(span.status);
  const isFailed = status?.code === 2 || status?.code === 'STATUS_CODE_ERROR';
  const process = Number(resource['process.pid']);
  return {
    traceId: traceId.toLowerCase(),
    spanId: spanId.toLowerCase(),
    ...(isHex(parentSpanId, 16) && { parentSpanId: parentSpanId.toLowerCase() }),
    name,
    startAt,
    endAt,
    attributes: isFields(span.read) ? span.read : readAttributes(span.attributes),
    ...(isFailed && { problem: textOf(status?.message) || 'The span has an error.' }),
    appName: textOf(resource['service.name']) || 'OpenTelemetry',
    ...(Number.isInteger(process) && process > 0 && { process }),
  };
}

/** Ids are hexadecimal in JSON, unlike other bytes. */
const isHex = (value: unknown, length: number): value is string =>
  typeof value === 'string' && value.length === length && /^[\da-f]+$/i.test(value) && /[^0]/.test(value);

/** Nanoseconds as text or number, to milliseconds with fractions. */
function readTime(value: unknown): number | undefined {
  const nanoseconds = typeof value === 'string' ? Number(value) : numberOf(value);
  return nanoseconds !== undefined && nanoseconds > 0 && nanoseconds < 1e20 ? nanoseconds / 1e6 : undefined;
}

const readAttributes = (list: unknown): Fields =>
  Object.fromEntries(
    listOf(list)
      .filter(isFields)
      .map(({ key, value }) => [textOf(key), readValue(objectOf(value) ?? {})]),
  );

function readValue(value: Fields): unknown {
  const { stringValue, intValue, doubleValue, boolValue, arrayValue, kvlistValue } = value;
  if (arrayValue !== undefined)
    return listOf(objectOf(arrayValue)?.values).map(one => readValue(objectOf(one) ?? {}));
  if (kvlistValue !== undefined) return readAttributes(objectOf(kvlistValue)?.values);
  if (intValue !== undefined) return Number(intValue);
  return stringValue ?? doubleValue ?? boolValue;
}

/** The values of a message by the numbers of their fields: bytes, and numbers of varints and fixed fields. */
type ProtobufFields = ReadonlyMap<number, readonly (Uint8Array | number)[]>;

function readFields(message: Uint8Array): ProtobufFields {
  const fields = new Map<number, (Uint8Array | number)[]>();
  const add = (tag: number, value: Uint8Array | number): void => {
    const known = fields.get(tag);
    if (known === undefined) fields.set(tag, [value]);
    else known.push(value);
  };
  new PbfReader(message).readFields((tag, _result, reader) => {
    const { type } = reader;
    if (type === 2) {
      const value = reader.readBytes();
      const length = value.length;
      if (reader.pos > message.length) throw new Error(`Expected ${length} bytes, got fewer.`);
      add(tag, value);
    } else if (type === 1) add(tag, tag === 4 ? reader.readDouble() : reader.readFixed64());
    else if (type === 0) add(tag, reader.readVarint(true));
    else if (type === 5) add(tag, reader.readFixed32());
  }, undefined);
  return fields;
}

const bytesOf = (value: Uint8Array | number | undefined): Uint8Array =>
  value instanceof Uint8Array ? value : new Uint8Array();

const decode = (value: Uint8Array | number | undefined): string => new TextDecoder().decode(bytesOf(value));

const toHex = (value: Uint8Array | number | undefined): string => Buffer.from(bytesOf(value)).toString('hex');

function readSpan(fields: ProtobufFields): Fields {
  const first = (tag: number) => fields.get(tag)?.[0];
  const status = first(15);
  const { 2: message, 3: code } = Object.fromEntries(status === undefined ? [] : readFields(bytesOf(status)));
  return {
    traceId: toHex(first(1)),
    spanId: toHex(first(2)),
    parentSpanId: toHex(first(4)),
    name: decode(first(5)),
    startTimeUnixNano: first(7),
    endTimeUnixNano: first(8),
    read: readPairs(fields.get(9)),
    status: { message: decode(message?.[0]), code: code?.[0] },
  };
}

const readPairs = (pairs: readonly (Uint8Array | number)[] = []): Fields =>
  Object.fromEntries(
    pairs.map(pair => {
      const fields = readFields(bytesOf(pair));
      return [decode(fields.get(1)?.[0]), readProtobufValue(bytesOf(fields.get(2)?.[0]))];
    }),
  );

function readProtobufValue(message: Uint8Array): unknown {
  const [[tag, [value]] = [0, []]] = readFields(message) as Iterable<[number, (Uint8Array | number)[]]>;
  if (tag === 1) return decode(value);
  if (tag === 2) return value !== 0;
  if (tag === 5) return (readFields(bytesOf(value)).get(1) ?? []).map(one => readProtobufValue(bytesOf(one)));
  if (tag === 6) return readPairs(readFields(bytesOf(value)).get(1));
  return typeof value === 'number' ? value : undefined;
}

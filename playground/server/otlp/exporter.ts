import { describeFailure } from '../../shared/failure.js';
import { toTrace } from '../../shared/trace.js';
import type { TraceEvent } from '../../shared/trace-event.js';
import type { Redactor } from '../redaction/redactor.js';
import { redactTraces } from '../redaction/trace-redaction.js';
import { type OtlpTraces, toOtlp } from './trace-data.js';

/** Sends each turn, when it has ended, to a collector. */
export interface OtlpExporter {
  /** Never rejects. A failure is printed. */
  send(trace: readonly TraceEvent[], options: { turnId: string }): void;
  /** Waits until everything has been sent. */
  flush(): Promise<void>;
}

export interface OtlpExporterOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly redactor: Redactor;
}

/** Milliseconds to wait for the collector. */
const TIMEOUT = 5000;

/** Returns undefined if the environment names no collector. */
export function createOtlpExporter({ environment, redactor }: OtlpExporterOptions): OtlpExporter | undefined {
  const url = toUrl(environment);
  if (url === undefined) return undefined;
  const headers = toHeaders(environment.OTEL_EXPORTER_OTLP_HEADERS);
  const pending = new Set<Promise<void>>();

  async function post(trace: readonly TraceEvent[], turnId: string): Promise<void> {
    try {
      const response = await fetch(url as string, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(toRedactedOtlp(trace, { turnId, redactor })),
        signal: AbortSignal.timeout(TIMEOUT),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`The collector returned status ${response.status}.`);
    } catch (error) {
      console.error(`Could not export a turn with OpenTelemetry: ${redactor.text(describeFailure(error))}`);
    }
  }

  return {
    send(trace, { turnId }) {
      const sent = post(trace, turnId).finally(() => pending.delete(sent));
      pending.add(sent);
    },
    async flush() {
      await Promise.all(pending);
    },
  };
}

/** Converts a stored trace to OTLP without secrets. */
export function toRedactedOtlp(
  trace: readonly TraceEvent[],
  { turnId, redactor }: { turnId: string; redactor: Redactor },
): OtlpTraces {
  // Spans have no contents of requests and responses, so these are not searched.
  const outline = trace.flatMap(event =>
    event.type === 'wire' || event.type === 'body'
      ? []
      : [event.type === 'request' ? { ...event, headers: {}, body: undefined } : event],
  );
  const [redacted = []] = redactTraces([outline], { redactor });
  return toOtlp(toTrace(redacted), { turnId });
}

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp */
function toUrl(environment: OtlpExporterOptions['environment']): string | undefined {
  const own = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const base = environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  return own || (base ? `${base.replace(/\/$/, '')}/v1/traces` : undefined);
}

/** Reads `name=value,name=value`, with values in the encoding of URLs. */
const toHeaders = (text = ''): Record<string, string> =>
  Object.fromEntries(
    text.split(',').flatMap(pair => {
      const at = pair.indexOf('=');
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]];
    }),
  );

import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { onceAborted } from '../shared/abort.js';
import {
  callTelemetryOf,
  type OperationOutcome,
  type RoundTelemetry,
  type Telemetry,
  withCallTelemetry,
  withRoundTelemetry,
} from '../shared/telemetry.js';
import { readBatches, streamBatches } from './batches.js';
import { resultToParts } from './collector.js';

/** Observes each request to a model. Returns the model itself without an observer. */
export function observeModel(model: LanguageModelV2, telemetry: Telemetry | undefined): LanguageModelV2 {
  if (telemetry === undefined) return model;
  const observer = telemetry;
  return {
    specificationVersion: 'v2',
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },

    async doStream(options) {
      const { sent, round, end } = start(options, { isStream: true });
      try {
        const { stream, ...result } = await round.run(() => model.doStream(sent));
        if (!round.isRecording) {
          end();
          return { ...result, stream };
        }
        return { ...result, stream: observeStream(stream, { round, end }) };
      } catch (error) {
        end({ error });
        throw error;
      }
    },

    async doGenerate(options) {
      const { sent, round, end } = start(options, { isStream: false });
      try {
        const result = await round.run(() => model.doGenerate(sent));
        if (round.isRecording) round.add([...resultToParts(result)]);
        end();
        return result;
      } catch (error) {
        end({ error });
        throw error;
      }
    },
  };

  function start(options: LanguageModelV2CallOptions, { isStream }: { isStream: boolean }) {
    const { provider, modelId } = model;
    const call = callTelemetryOf(options) ?? observer.startCall({});
    const inner = withCallTelemetry(options, undefined);
    const round = call.startRound({ provider, modelId, options: inner, isStream });
    const { abortSignal: signal } = options;
    // A model may ignore its signal, and a host need not read an aborted stream to its end.
    const release = signal && onceAborted(signal, () => round.end({ error: signal.reason, isAborted: true }));
    const end = (outcome?: OperationOutcome): void => {
      release?.();
      round.end(outcome);
    };
    return { sent: withRoundTelemetry(inner, round), round, end };
  }
}

function observeStream(
  stream: ReadableStream<LanguageModelV2StreamPart>,
  { round, end }: { round: RoundTelemetry; end: (outcome?: OperationOutcome) => void },
): ReadableStream<LanguageModelV2StreamPart> {
  const batches = readBatches(stream);
  return streamBatches({
    async next() {
      try {
        const parts = await batches.next();
        if (parts === undefined) end();
        else round.add(parts);
        return parts;
      } catch (error) {
        end({ error });
        throw error;
      }
    },
    cancel(reason) {
      end({ error: reason, isAborted: true });
      batches.cancel(reason);
    },
  });
}

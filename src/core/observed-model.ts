import { onceAborted } from './shared/abort.js';
import type { CoreCall } from './call.js';
import type { Part } from './part.js';
import type { CoreModel, PartSource } from './source.js';
import {
  NO_CALL_TELEMETRY,
  type OperationOutcome,
  type RoundTelemetry,
  type Telemetry,
} from './telemetry.js';

/** Observes each request to a model. */
export function observeModel(model: CoreModel, observer: Telemetry): CoreModel {
  return {
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },
    history: model.history,

    async open(received) {
      const { call, round, end } = start(received);
      try {
        const source = await round.run(() => model.open(call));
        if (round.isRecording) return observeSource(source, round, end);
        end();
        return source;
      } catch (error) {
        end({ error });
        throw error;
      }
    },
  };

  function start(received: CoreCall) {
    const { provider, modelId } = model;
    const { telemetry: begun, abortSignal: signal } = received;
    const observed = begun === NO_CALL_TELEMETRY ? observer.startCall({}) : begun;
    const call = { ...received, telemetry: NO_CALL_TELEMETRY };
    const round = observed.startRound({ provider, modelId, call });
    // A model may ignore its signal, and a host need not read an aborted stream to its end.
    const release = signal && onceAborted(signal, () => round.end({ error: signal.reason, isAborted: true }));
    const end = (outcome?: OperationOutcome): void => {
      release?.();
      round.end(outcome);
    };
    return { call: { ...call, roundTelemetry: round }, round, end };
  }
}

function observeSource(
  source: PartSource,
  round: RoundTelemetry,
  end: (outcome?: OperationOutcome) => void,
): PartSource {
  const onParts = (parts: readonly Part[] | undefined): readonly Part[] | undefined => {
    if (parts === undefined) end();
    else round.add(parts);
    return parts;
  };
  const onError = (error: unknown): never => {
    end({ error });
    throw error;
  };
  return {
    request: source.request,
    get response() {
      return source.response;
    },
    // An async function would cost two further promises per batch.
    next: () => source.next().then(onParts, onError),
    cancel(reason) {
      end({ error: reason, isAborted: true });
      source.cancel(reason);
    },
  };
}

export type { Telemetry } from '../core/telemetry.js';
export { RoundSpanProcessor } from './round-span-processor.js';
export { createTelemetry, type TelemetryOptions } from './telemetry.js';

export type { Telemetry } from '../core/telemetry.js';
export { createTelemetry, type TelemetryOptions } from './telemetry.js';

export type { Telemetry } from '../shared/telemetry.js';
export { createTelemetry, type TelemetryOptions } from './telemetry.js';

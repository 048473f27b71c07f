export { devTools } from './devtools.js';
export type { DevToolsMiddleware, DevToolsOptions, DevToolsTelemetry } from './devtools.js';

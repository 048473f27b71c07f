import { fileURLToPath } from 'node:url';

/** Returns the configuration of an MCP server that records its calls in a file. */
export const recordingServer = (effects: string) => ({
  recording: {
    command: process.execPath,
    args: [fileURLToPath(new URL('_recording-server.mjs', import.meta.url))],
    env: { EFFECTS: effects },
  },
});

import { stepCountIs } from 'ai';
import { hostTools } from '../integration/_tools.js';

/** Call options of a turn that runs two tools of the host. */
export const hostTurn = {
  prompt: 'Get the weather in Oslo and add 2 and 3',
  tools: hostTools,
  stopWhen: stepCountIs(5),
  maxRetries: 0,
};

/** Final text of the emulated model in that turn. */
export const hostResponse = 'The tool get_weather returned: Oslo: 18 degrees\nThe tool add returned: 5';

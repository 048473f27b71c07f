import { stepCountIs } from 'ai';
import { hostTools } from '../integration/_tools.js';

/** What a client is asked that runs two tools of the host and then answers. */
export const hostTurn = {
  prompt: 'Get the weather in Oslo and add 2 and 3',
  tools: hostTools,
  stopWhen: stepCountIs(5),
  maxRetries: 0,
};

/** What the emulator's model says of it in the end. */
export const hostAnswer = 'The tool get_weather returned: Oslo: 18 degrees\nThe tool add returned: 5';

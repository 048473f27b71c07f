import { tool } from 'ai';
import { z } from 'zod';

/** Tools that the host runs. */
export const hostTools = {
  get_weather: tool({
    description: 'Returns the weather of a city.',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `${city}: 18 degrees`,
  }),
  add: tool({
    description: 'Adds two numbers.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => a + b,
  }),
};

/** Tools that the loop of our provider runs. */
export const loopTools = {
  find_book: tool({
    description: 'Finds a book by its title.',
    inputSchema: z.object({ title: z.string() }),
    execute: async ({ title }) => `The book ${title} is on shelf 7`,
  }),
};

import { generateText } from 'ai';
import { observed, providers } from '../providers.mjs';

async function runTurn(turnId, prompt) {
  'use step';
  const { text, providerMetadata } = await generateText({
    model: providers.durable('gpt-5'),
    prompt,
    maxRetries: 0,
    providerOptions: { kelivo: { turnId } },
  });
  return { text, rounds: providerMetadata.kelivo.rounds, observed };
}

export async function durableTurn(turnId, prompt) {
  'use workflow';
  return runTurn(turnId, prompt);
}

import { createExecutor } from '@cherrystudio/ai-core';
import { extensionRegistry, ProviderExtension } from '@cherrystudio/ai-core/provider';
import type { TextStreamPart, ToolSet } from 'ai';
import { kelivoResponsesExtension } from 'kelivo-responses/host';
import { readFile } from 'node:fs/promises';

// The providers of the host, and what its user has configured.
extensionRegistry.register(ProviderExtension.create(kelivoResponsesExtension));
const [{ id, model, options }] = JSON.parse(
  await readFile(new URL('providers.json', import.meta.url), 'utf8'),
);

const executor = await createExecutor(id, options);
const [prompt = 'List the directory ".".'] = process.argv.slice(2);
const { fullStream } = await executor.streamText({ model, prompt });
for await (const part of fullStream as AsyncIterable<TextStreamPart<ToolSet>>) {
  if (part.type === 'tool-call') console.log(part.toolName, JSON.stringify(part.input));
  if (part.type === 'tool-result') console.log('→', JSON.stringify(part.output));
  if (part.type === 'text-delta') process.stdout.write(part.text);
  if (part.type === 'error') throw part.error;
}
console.log();

import type { AssistantPart, Message, Prompt } from '../../prompt.js';
import { type CoreModel, withChanges } from '../../source.js';

/*
 * Thoughts belong to the vendor that wrote them: others would read them as their own, reject them or repeat them. Metadata of
 * the vendor shows who wrote a part. A part without any is marked when it arrives (`origin`), so that it survives `JSON`.
 */

/** Names of one vendor in providers of models and in metadata, which are those of its packages. */
const VENDORS: readonly (readonly string[])[] = [
  ['openai', 'azure', 'azure-openai'],
  ['google', 'vertex', 'google-vertex'],
  ['anthropic', 'bedrock', 'amazon-bedrock', 'vertex-anthropic'],
];

/** Vendors that read only thoughts that they have signed or stored. */
const SIGNING = /^(?:openai|google|anthropic)$/;

/** Vendors with the Responses API whose packages write metadata under their own name. */
const RESPONSES_VENDOR = /^(?:xai|huggingface|google|anthropic)$/;

/**
 * Returns the vendors whose thoughts a provider receives. The official package writes `openai` under every name that an
 * application gives it (`proxy.responses`).
 */
function readersOf(provider = ''): readonly string[] {
  const vendor = vendorOf(provider);
  const isNamed = provider.endsWith('.responses') && !RESPONSES_VENDOR.test(vendor);
  return isNamed && vendor !== 'openai' ? [vendor, 'openai'] : [vendor];
}

/** Returns the vendor of a provider (`google.generative-ai`), or of a namespace of metadata (`vertex`). */
function vendorOf(provider = ''): string {
  const company = /anthropic/.test(provider) ? 'anthropic' : (provider.split('.')[0] ?? '');
  return VENDORS.find(names => names.includes(company))?.[0] ?? company;
}

/** Returns a prompt without the reasoning that another vendor than that of the provider has written. */
export function withoutForeignReasoning(prompt: Prompt, provider: string): Prompt {
  const vendors = readersOf(provider);
  const isKept = (part: AssistantPart): boolean =>
    (part.type !== 'reasoning' && part.type !== 'reasoning-file') || isOwn(part, vendors);
  if (prompt.every(message => message.role !== 'assistant' || message.content.every(isKept))) return prompt;
  return prompt.flatMap((message): Message[] => {
    if (message.role !== 'assistant') return [message];
    const content = message.content.filter(isKept);
    return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }];
  });
}

function isOwn({ providerOptions = {}, own = {} }: AssistantPart, vendors: readonly string[]): boolean {
  // A message at its place in the turn is no thought.
  if (own.userMessage !== undefined || own.commentary === true) return true;
  if (own.origin !== undefined) return vendors.includes(vendorOf(own.origin));
  const writers = Object.keys(providerOptions).map(vendorOf);
  return writers.length === 0
    ? !vendors.some(vendor => SIGNING.test(vendor))
    : writers.some(writer => vendors.includes(writer));
}

/**
 * Marks the reasoning of a model that its vendor has not marked.
 *
 * @param writer The model that sends the requests, if others are around it.
 */
export const markReasoning = (model: CoreModel, writer: Pick<CoreModel, 'provider'> = model): CoreModel =>
  withChanges(model, () => ({
    response: {
      part(part, emit) {
        const isMarked = part.type !== 'reasoning-start' || part.providerMetadata !== undefined;
        emit(isMarked ? part : { ...part, own: { ...part.own, origin: vendorOf(writer.provider) } });
      },
    },
  }));

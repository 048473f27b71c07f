import { toHash } from '../../core/shared/hash.js';
import { toStableJson } from '../../core/shared/json.js';
import { Memory } from '../../core/shared/memory.js';
import type { ResponsesRequestBody } from '../wire.js';
import {
  type Compatibility,
  type KnownServer,
  mergeCompatibility,
  type ServerEvidence,
  serverOf,
} from './compatibility.js';

/** The conversation in which a server has rejected something, and the texts of it that the rejection quotes. */
export interface Cause {
  readonly conversation: string;
  readonly quotes: readonly string[];
}

/** Returns the identity of a conversation: its first message, which stays the same. */
export function toConversation({ input, ...body }: ResponsesRequestBody): string {
  const first = input.find(item => 'role' in item && item.role === 'user') ?? input[0];
  const { previous_response_id: previous } = body;
  return toHash(JSON.stringify([first, first === undefined ? previous : undefined]));
}

/**
 * What the responses of one model show about its server. Users of the provider share it, so that one conversation changes
 * nothing for another one: what a rejection says counts after two conversations that share none of the texts that it quotes.
 */
export class ModelMemory {
  /** Calls of tools, although the response objects repeated none: unknown, not yet seen in a response, or seen. */
  tools: 'unknown' | 'doubtful' | 'called' = 'unknown';
  /** True after the server was asked for its models. */
  isAsked = false;
  readonly #all: ModelMemories;
  readonly #rejections = new Memory<string, Cause>('rejections');
  readonly #otherModels = new Memory<string, true>('other models');
  readonly #reported = new Set<string>();
  #learned: Compatibility | undefined;
  #server: KnownServer | undefined;
  #hasAnswered = false;

  constructor(all: ModelMemories) {
    this.#all = all;
  }

  /** The learned compatibility. Undefined without rejections. */
  get learned(): Compatibility | undefined {
    return this.#learned;
  }

  /** The server. Undefined if nothing shows it. A model that has not answered counts as one of the server that all others have. */
  get server(): KnownServer | undefined {
    if (this.#hasAnswered) return this.#server;
    const [first, ...others] = this.#all.servers();
    return others.length === 0 ? first : undefined;
  }

  /** The last word of a model that has answered. */
  get answered(): { readonly server: KnownServer | undefined } | undefined {
    return this.#hasAnswered ? { server: this.#server } : undefined;
  }

  /** Learns a change if another conversation needed it before. */
  learn(change: Compatibility, cause: Cause): void {
    if (this.#isConfirmed(`change ${toStableJson(change)}`, cause))
      this.#learned = mergeCompatibility(this.#learned ?? {}, change);
  }

  /** Takes over what a response shows. */
  see(evidence: ServerEvidence): void {
    const server = serverOf(evidence);
    if (server !== undefined || !this.#hasAnswered) this.#server = server;
    this.#hasAnswered = true;
  }

  /** Takes over what the words of a rejection show if another conversation has shown it before. */
  seeRejection(server: KnownServer, cause: Cause): void {
    if (!this.#isConfirmed(`server ${toStableJson(server.compatibility)}`, cause)) return;
    this.#server = server;
    this.#hasAnswered = true;
  }

  /** Returns true for the name of another model that has not answered before. */
  isNewModel(name: string): boolean {
    const isNew = this.#otherModels.get(name) === undefined;
    this.#otherModels.set(name, true);
    return isNew;
  }

  /** Returns true for a feature that was not reported before. There is one for each rule. */
  isNewReport(feature: string): boolean {
    const isNew = !this.#reported.has(feature);
    this.#reported.add(feature);
    return isNew;
  }

  #isConfirmed(what: string, cause: Cause): boolean {
    const before = this.#rejections.get(what);
    if (before === undefined) this.#rejections.set(what, cause);
    return (
      before !== undefined &&
      before.conversation !== cause.conversation &&
      !before.quotes.some(text => cause.quotes.includes(text))
    );
  }
}

/** The memories of the models of a provider, as long as the provider exists. */
export class ModelMemories {
  readonly #byModel = new Memory<string, ModelMemory>('models');

  of(modelId: string): ModelMemory {
    const memory = this.#byModel.get(modelId) ?? new ModelMemory(this);
    this.#byModel.set(modelId, memory);
    return memory;
  }

  /** The servers of the models that have answered, with undefined for an unknown one. */
  servers(): Set<KnownServer | undefined> {
    const answers = this.#byModel.values().flatMap(memory => memory.answered ?? []);
    return new Set(answers.map(answer => answer.server));
  }
}

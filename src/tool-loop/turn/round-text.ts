import type { Content, Part, PartOf } from '../../core/part.js';
import type { PartFacts } from '../../core/prompt.js';
import type { TurnIds } from '../context/history.js';

/*
 * The text and reasoning blocks of one round. A round whose response broke is requested again. Hosts join all text of a turn,
 * so that the repetition continues the text that was shown: what it repeats is compared and not written again. Where it
 * differs, the block that was shown ends with a mark, and the repetition is written in a block of its own.
 */

/** A text block that the host has received. */
interface ShownBlock {
  readonly id: string;
  text: string;
  /** False after the host has received its end. */
  isOpen: boolean;
}

/** The text that the broken attempts at a round have shown. */
export type ShownText = readonly ShownBlock[];

/** A block of the repetition that has begun as the shown one did. */
interface Follower {
  readonly start: PartOf<'text-start'>;
  readonly block: ShownBlock;
  /** Number of characters that are equal so far. */
  offset: number;
}

type TextEnd = PartOf<'text-end'>;
type Write = (part: Part) => void;
type BlockPart<Place extends 'start' | 'delta' | 'end'> = PartOf<`${'text' | 'reasoning'}-${Place}`>;

export interface BlockOutput {
  /** Adds a part to the response that the conversation keeps. */
  readonly keep: Write;
  /** Writes a part to the host. */
  readonly show: Write;
}

interface RoundBlocksOptions {
  readonly ids: Pick<TurnIds, 'takeBlock'>;
  readonly output: BlockOutput;
  /** Facts of the round, which its parts get. */
  readonly facts: PartFacts | undefined;
  /** The text of the attempts before this one. */
  readonly shown: ShownText;
  /** Called when the response differs from the text that was shown. Returns false if the response must end. */
  readonly onDifference: () => boolean;
}

/** Forwards text and reasoning blocks under ids that are unique in the turn. */
export class RoundBlocks {
  readonly #options: RoundBlocksOptions;
  /** The ids in the turn, by those in the response. */
  readonly #ids = new Map<string, string>();
  readonly #open = new Map<string, BlockPart<'end'>>();
  readonly #following = new Map<string, Follower>();
  /** Number of shown blocks that the response has begun to repeat. */
  #repeated = 0;
  /** The blocks of this response in their order, as the host has them. */
  readonly #blocks = new Map<string, ShownBlock>();
  /** The end of the newest text block. It is written before the next part, so that it can still be marked. */
  #end: { readonly part: TextEnd; readonly block: ShownBlock } | undefined;

  constructor(options: RoundBlocksOptions) {
    this.#options = options;
  }

  start(part: BlockPart<'start'>): void {
    const { shown } = this.#options;
    const start = withId(part, this.#idOf(part));
    const { id } = start;
    this.flush();
    if (start.type === 'text-start') {
      const earlier = shown[this.#repeated];
      if (earlier !== undefined) {
        this.#repeated++;
        this.#blocks.set(id, earlier);
        this.#following.set(id, { start, block: earlier, offset: 0 });
        this.#options.output.keep(start);
        return;
      }
      this.#blocks.set(id, { id, text: '', isOpen: true });
    }
    const type = part.type === 'text-start' ? 'text-end' : 'reasoning-end';
    this.#open.set(`${type} ${id}`, { type, id });
    this.#emit(start);
  }

  append(part: BlockPart<'delta'>): void {
    const delta = withId(part, this.#idOf(part));
    const follower = this.#following.size === 0 ? undefined : this.#following.get(delta.id);
    if (follower === undefined || delta.type !== 'text-delta') this.#emit(delta);
    else this.#follow(follower, delta);
  }

  end(part: BlockPart<'end'>): void {
    const { facts, output } = this.#options;
    const end = withId(part, this.#idOf(part));
    const { id } = end;
    if (end.type === 'reasoning-end') {
      this.#open.delete(`${end.type} ${id}`);
      return this.#emit(withRoundFacts(end, facts));
    }
    const follower = this.#following.get(id);
    if (follower !== undefined && follower.offset < follower.block.text.length && end.own?.broken !== true)
      this.#differ();
    this.#following.delete(id);
    this.#open.delete(`${end.type} ${id}`);
    const block = this.#blocks.get(id);
    if (block?.isOpen === true) this.#end = { part: end, block };
    else output.keep(end);
  }

  /** Writes the end of the newest text block, before a part that follows it. */
  flush(): void {
    if (this.#end === undefined) return;
    const { part, block } = this.#end;
    this.#end = undefined;
    this.#writeEnd(part, block);
  }

  /** Ends the blocks that a response left open. Those of a failed response are marked. */
  endAll(options: { isFailed: boolean }): void {
    const { shown } = this.#options;
    const missing = [
      ...shown.slice(this.#repeated),
      ...[...this.#following.values()].map(follower => follower.block),
    ];
    if (!options.isFailed && missing.some(block => block.text.trim() !== '')) this.#differ();
    this.flush();
    this.#endOpen('reasoning-end', options.isFailed);
    this.#endOpen('text-end', options.isFailed);
    closeShown(shown, this.#options.output.show);
  }

  /** Ends the reasoning of a response that is requested again. Its text stays open. */
  suspend(content: readonly Content[]): ShownText {
    this.#endOpen('reasoning-end', true);
    const texts = content.flatMap(part => (part.type === 'text' ? [part.text] : []));
    const blocks = [...this.#blocks.values()];
    for (const [index, block] of blocks.entries()) {
      const text = texts[index] ?? '';
      if (text.length > block.text.length) block.text = text;
    }
    return [...blocks, ...this.#options.shown.slice(this.#repeated)];
  }

  /** Returns the id of a block in the turn, which is the same one for all its parts. */
  #idOf(options: { readonly id: string }): string {
    const known = this.#ids.get(options.id);
    if (known !== undefined) return known;
    const taken = this.#options.ids.takeBlock(options.id);
    this.#ids.set(options.id, taken);
    return taken;
  }

  #follow(follower: Follower, part: PartOf<'text-delta'>): void {
    const { output } = this.#options;
    const { block } = follower;
    const head = part.delta.slice(0, block.text.length - follower.offset);
    const rest = part.delta.slice(head.length);
    const isEqual = block.text.startsWith(head, follower.offset);
    if (isEqual) follower.offset += head.length;
    output.keep(part);
    if (!isEqual || (rest !== '' && !block.isOpen)) {
      // A response that ends here adds nothing to the text that was shown.
      if (this.#differ()) output.show(isEqual ? { ...part, delta: rest } : part);
    } else if (rest !== '') {
      output.show({ ...part, id: block.id, delta: rest });
    }
  }

  /**
   * Writes what the response has repeated so far as blocks of their own, and marks those that it was compared with. Returns
   * false if the response must end instead.
   */
  #differ(): boolean {
    const { shown, output, onDifference } = this.#options;
    const unrepeated = shown.slice(this.#repeated);
    this.#repeated = shown.length;
    const followers = [...this.#following.values()];
    this.#following.clear();
    if (!onDifference()) return false;
    closeShown([...followers.map(follower => follower.block), ...unrepeated], output.show);
    for (const { start, block, offset } of followers) {
      const { id } = start;
      this.#blocks.set(id, { id, text: '', isOpen: true });
      this.#open.set(`text-end ${id}`, { type: 'text-end', id });
      output.show(start);
      if (offset > 0) output.show({ type: 'text-delta', id, delta: block.text.slice(0, offset) });
    }
    return true;
  }

  #endOpen(type: BlockPart<'end'>['type'], isBroken: boolean): void {
    for (const [key, block] of this.#open) {
      if (block.type !== type) continue;
      this.#open.delete(key);
      const end = isBroken ? { ...block, own: { broken: true } } : block;
      if (end.type === 'reasoning-end') this.#emit(end);
      else this.#writeEnd(end, this.#blocks.get(end.id) ?? { id: end.id, text: '', isOpen: true });
    }
  }

  #writeEnd(part: TextEnd, block: ShownBlock): void {
    const { facts, output } = this.#options;
    const end = withRoundFacts(part, facts);
    block.isOpen = false;
    output.keep(end);
    output.show(withId(end, block.id));
  }

  #emit(part: Part): void {
    this.#options.output.keep(part);
    this.#options.output.show(part);
  }
}

/** Ends the blocks of attempts that nothing continues. Later requests omit their text. */
export function closeShown(shown: ShownText, write: Write): void {
  for (const block of shown) {
    if (!block.isOpen) continue;
    block.isOpen = false;
    write({ type: 'text-end', id: block.id, own: { broken: true } });
  }
}

/** Returns the part with another id, or the same part if it already has that id, as most parts do. */
export const withId = <One extends { id: string }>(part: One, id: string): One =>
  part.id === id ? part : { ...part, id };

/** Adds the facts of a round to a part of its response. */
export const withRoundFacts = <Marked extends { readonly own?: PartFacts | undefined }>(
  part: Marked,
  facts: PartFacts | undefined,
): Marked => (facts === undefined ? part : { ...part, own: { ...part.own, ...facts } });

import type { FinishReason, Part, PartOf } from '../../core/part.js';
import { type CallParser, createReasoningCalls, type HeldCalls, type ReasoningCalls } from './reasoning.js';
import type { TextEvents } from './text-output.js';

/** A reasoning part of the server that is open. */
interface OpenReasoning {
  readonly id: string;
  readonly calls: ReasoningCalls;
  /** White space that is emitted with the text that follows. */
  space: string;
}

/** Reasoning that ended with calls, and the parts since its end. */
interface EndedReasoning {
  readonly id: string;
  readonly calls: HeldCalls;
  readonly space: string;
  readonly parts: Part[];
}

/**
 * Finds calls that the server left in its reasoning, because the model wrote them without closing its thoughts: complete
 * calls of declared tools at the end of the reasoning, if the response has no other text and no call after it. They are held
 * back until that is certain.
 */
export class NativeReasoning {
  private open: OpenReasoning | undefined;
  private ended: EndedReasoning | undefined;

  constructor(
    private readonly openParser: (events: TextEvents) => CallParser,
    /** The reasons of a response whose calls count. */
    private readonly finished: ReadonlySet<FinishReason['unified'] | undefined>,
    private readonly onCalls: (calls: HeldCalls) => void,
  ) {}

  /** Returns the parts that are certain with this part. */
  take(part: Part): readonly Part[] {
    switch (part.type) {
      case 'reasoning-start': {
        const released = this.release();
        this.open = { id: part.id, calls: createReasoningCalls(this.openParser), space: '' };
        return [...released, part];
      }
      case 'reasoning-delta':
        return part.id === this.open?.id ? this.add(this.open, part) : [part];
      case 'reasoning-end':
        return part.id === this.open?.id ? this.end(this.open, part) : [part];
      case 'finish':
        return [...this.complete(part.finishReason.unified), part];
      default:
        return this.pass(part);
    }
  }

  /** Returns the parts that are held back when the response ends without a reason. */
  flush(): readonly Part[] {
    return this.release();
  }

  private add(open: OpenReasoning, part: PartOf<'reasoning-delta'>): readonly Part[] {
    const text = open.space + open.calls.push(part.delta);
    const trimmed = text.trimEnd();
    open.space = text.slice(trimmed.length);
    return trimmed === '' ? [] : [{ ...part, delta: trimmed }];
  }

  private end({ id, calls, space }: OpenReasoning, part: PartOf<'reasoning-end'>): readonly Part[] {
    this.open = undefined;
    const rest = calls.end();
    const text = space + rest.reasoning;
    if (rest.calls === undefined) return [...toDelta(id, text), part];
    const trimmed = text.trimEnd();
    this.ended = { id, calls: rest.calls, space: text.slice(trimmed.length), parts: [part] };
    return toDelta(id, trimmed);
  }

  /** Returns the part, or holds it back if it says nothing about the calls. */
  private pass(part: Part): readonly Part[] {
    const isSilent =
      part.type === 'text-start' ||
      part.type === 'text-end' ||
      part.type === 'raw' ||
      (part.type === 'text-delta' && part.delta.trim() === '');
    if (this.ended !== undefined && isSilent) {
      this.ended.parts.push(part);
      return [];
    }
    return [...(CONTENT.has(part.type) ? this.release() : []), part];
  }

  /** Returns the calls as reasoning. */
  private release(): readonly Part[] {
    const { ended } = this;
    this.ended = undefined;
    return ended === undefined ? [] : [...toDelta(ended.id, ended.space + ended.calls.text), ...ended.parts];
  }

  private complete(reason: FinishReason['unified']): readonly Part[] {
    const { ended } = this;
    if (ended === undefined || !this.finished.has(reason)) return this.release();
    this.ended = undefined;
    this.onCalls(ended.calls);
    return ended.parts.filter(({ type }) => type !== 'text-delta');
  }
}

const toDelta = (id: string, delta: string): readonly Part[] =>
  delta === '' ? [] : [{ type: 'reasoning-delta', id, delta }];

/** The parts that come after a thought. */
const CONTENT: ReadonlySet<Part['type']> = new Set<Part['type']>([
  'text-delta',
  'tool-input-start',
  'tool-call',
  'tool-result',
  'tool-approval-request',
  'file',
  'reasoning-file',
  'custom',
  'error',
]);

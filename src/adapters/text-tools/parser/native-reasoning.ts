import type { FinishReason, Part, PartOf } from '../../../core/part.js';
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
    /** Receives the parts that are certain. */
    private readonly emit: (part: Part) => void,
  ) {}

  take(part: Part): void {
    switch (part.type) {
      case 'reasoning-start':
        this.release();
        this.open = { id: part.id, calls: createReasoningCalls(this.openParser), space: '' };
        break;
      case 'reasoning-delta':
        if (part.id === this.open?.id) return this.add(this.open, part);
        break;
      case 'reasoning-end':
        if (part.id === this.open?.id) return this.end(this.open, part);
        break;
      case 'finish':
        this.complete(part.finishReason.unified);
        break;
      default:
        if (this.ended !== undefined && this.holds(this.ended, part)) return;
    }
    this.emit(part);
  }

  /** Emits what is held back when the response ends without a reason. */
  flush(): void {
    this.release();
  }

  private add(open: OpenReasoning, part: PartOf<'reasoning-delta'>): void {
    const text = open.space + open.calls.push(part.delta);
    const trimmed = text.trimEnd();
    open.space = text.slice(trimmed.length);
    if (trimmed !== '') this.emit({ ...part, delta: trimmed });
  }

  private end({ id, calls, space }: OpenReasoning, part: PartOf<'reasoning-end'>): void {
    this.open = undefined;
    const rest = calls.end();
    const text = space + rest.reasoning;
    if (rest.calls === undefined) {
      this.emitText(id, text);
      return this.emit(part);
    }
    const trimmed = text.trimEnd();
    this.ended = { id, calls: rest.calls, space: text.slice(trimmed.length), parts: [part] };
    this.emitText(id, trimmed);
  }

  /** Returns true for a part that is held back, because it says nothing about the calls. Content makes them reasoning. */
  private holds(ended: EndedReasoning, part: Part): boolean {
    const isSilent =
      part.type === 'text-start' ||
      part.type === 'text-end' ||
      part.type === 'raw' ||
      (part.type === 'text-delta' && part.delta.trim() === '');
    if (isSilent) ended.parts.push(part);
    else if (CONTENT.has(part.type)) this.release();
    return isSilent;
  }

  /** Emits the calls as reasoning. */
  private release(): void {
    const { ended } = this;
    if (ended === undefined) return;
    this.ended = undefined;
    this.emitText(ended.id, ended.space + ended.calls.text);
    ended.parts.forEach(this.emit);
  }

  private complete(reason: FinishReason['unified']): void {
    const { ended } = this;
    if (ended === undefined || !this.finished.has(reason)) return this.release();
    this.ended = undefined;
    this.onCalls(ended.calls);
    for (const part of ended.parts) if (part.type !== 'text-delta') this.emit(part);
  }

  private emitText(id: string, delta: string): void {
    if (delta !== '') this.emit({ type: 'reasoning-delta', id, delta });
  }
}

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

import { type CoreModel, type PartTransformer, withChanges } from '../../core/source.js';
import { writesAnswerFormat } from './prompted-model.js';

/** White space and the opening line of fenced code. */
const OPEN = /^\s*```[a-z]*[ \t]*(?:\r?\n|(?=[{["]))/i;
/** A text that may still become `OPEN`. */
const MAYBE_OPEN = /^\s*(?:`{0,3}|```[a-z]*[ \t]*\r?)$/i;

/**
 * Removes the code fence around a JSON response. Models add it although the prompt forbids it, and hosts parse the text
 * as it is. Runs around the adapters, because calls in code fences are not read.
 */
export const withJsonAnswers = (model: CoreModel): CoreModel =>
  withChanges(model, call => (writesAnswerFormat(call) ? { response: createTransformer() } : {}));

function createTransformer(): PartTransformer {
  const texts = new Map<string, Unfencing>();
  return {
    part(part, emit) {
      if (part.type === 'text-delta') {
        const delta = texts.get(part.id)?.add(part.delta) ?? part.delta;
        if (delta !== '') emit({ ...part, delta });
        return;
      }
      if (part.type === 'text-start') texts.set(part.id, createUnfencing());
      const rest = part.type === 'text-end' ? texts.get(part.id)?.end() : undefined;
      if (part.type === 'text-end' && rest) emit({ type: 'text-delta', id: part.id, delta: rest });
      emit(part);
    },
  };
}

interface Unfencing {
  /** Returns the text that is certain. */
  add(delta: string): string;
  end(): string;
}

function createUnfencing(): Unfencing {
  let state: 'start' | 'fenced' | 'plain' = 'start';
  let held = '';
  return {
    add(delta) {
      const text = held + delta;
      held = '';
      if (state === 'plain') return text;
      if (state === 'start') {
        if (MAYBE_OPEN.test(text)) {
          held = text;
          return '';
        }
        const [open = ''] = OPEN.exec(text) ?? [];
        state = open === '' ? 'plain' : 'fenced';
        if (state === 'plain') return text;
        return this.add(text.slice(open.length));
      }
      const end = endOf(text);
      held = text.slice(end);
      return text.slice(0, end);
    },
    end() {
      const rest = held;
      held = '';
      return state === 'fenced' && rest.includes('```') ? '' : rest;
    },
  };
}

/** Returns the offset of the white space and of the fence, or its beginning, at the end of a text. */
const endOf = (text: string): number =>
  text
    .trimEnd()
    .replace(/`{1,3}$/, '')
    .trimEnd().length;

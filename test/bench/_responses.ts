import { toSse } from '../_sse.js';
import {
  functionCall,
  type ItemScript,
  message,
  reasoning,
  toStream,
} from '../responses/stream/_fixtures/wire-events.js';

export type ResponseKind = 'text' | 'arguments' | 'reasoning' | 'mix';

export const RESPONSE_KINDS: readonly ResponseKind[] = ['text', 'arguments', 'reasoning', 'mix'];

/** Returns a response body with about the given number of deltas. */
export const toResponseBody = (kind: ResponseKind, deltas: number): Uint8Array =>
  new TextEncoder().encode(toSse(toStream(SCRIPTS[kind](deltas))));

/** Returns the body of a response that writes `text` in deltas of four characters. */
export function toTextBody(text: string): Uint8Array {
  const script = message([text], { id: TEXT_ID });
  const isDelta = ({ type }: { type: string }) => type === 'response.output_text.delta';
  const delta = script.deltas.find(isDelta);
  const [added, ...others] = script.deltas.filter(event => !isDelta(event));
  if (added === undefined || delta === undefined) throw new Error('Expected a text, got an empty one.');
  const chunks = text.match(/[^]{1,4}/g) ?? [];
  const deltas = [added, ...chunks.map(chunk => ({ ...delta, delta: chunk })), ...others];
  return new TextEncoder().encode(toSse(toStream([{ ...script, deltas }])));
}

const SCRIPTS: Readonly<Record<ResponseKind, (deltas: number) => ItemScript[]>> = {
  text: deltas => [message([toWords(deltas)], { id: TEXT_ID })],
  arguments: deltas => [toCall(deltas)],
  reasoning: deltas => [
    reasoning({ id: REASONING_ID, summary: [toWords(deltas)], encrypted: 'gAAAA' }),
    message(['Done.'], { id: TEXT_ID }),
  ],
  mix: deltas => [
    reasoning({ id: REASONING_ID, summary: [toWords(deltas / 4)], encrypted: 'gAAAA' }),
    message([toWords(deltas / 2)], { id: TEXT_ID }),
    toCall(deltas / 4),
  ],
};

// Ids of OpenAI's length: they make up most of an event.
const TEXT_ID = 'msg_68a3b1c5d2f881959a0c4e7b2f9d13640a5e8c7b6d4f2e10';
const REASONING_ID = 'rs_68a3b1c2f0b08195b3d7e6a19c8f52470a5e8c7b6d4f2e10';
const CALL_ID = 'fc_68a3b1c97a4c8195a7e5d2f4b8c6910e0a5e8c7b6d4f2e10';

const WORDS = 'the quick brown fox jumps over a lazy dog and then it rests under an old tree'.split(' ');

const toWords = (count: number): string =>
  Array.from({ length: Math.ceil(count) }, (_, index) => WORDS[index % WORDS.length]).join(' ');

/** Returns a call of a host tool in deltas of seven characters. */
function toCall(deltas: number): ItemScript {
  const content = toWords((deltas * 7) / 4.8).slice(0, deltas * 7 - 40);
  return functionCall('write_file', JSON.stringify({ path: 'notes.txt', content }), {
    id: CALL_ID,
    callId: 'call_8aKQ2xWn5ZrT0vYcLmPd7sJf',
  });
}

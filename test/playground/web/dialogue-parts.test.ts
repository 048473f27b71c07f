import { describe, expect, it } from 'vitest';
import type { PlaygroundMessage } from '../../../playground/shared/playground-state.js';
import { emptyTrace } from '../../../playground/shared/trace.js';
import { toDialogue } from '../../../playground/web/traces/dialogue-parts.js';

type Parts = PlaygroundMessage['parts'];

const call: Parts[number] = {
  type: 'dynamic-tool',
  toolCallId: 'c',
  toolName: 'add',
  state: 'output-available',
  input: { a: 1 },
  output: 2,
};

describe('the dialogue of a turn', () => {
  it('has the calls of an application and texts between them, then the answer', () => {
    const parts: Parts = [{ type: 'text', text: 'Let me see.' }, call, { type: 'text', text: ' It is 2. ' }];
    const { steps, answer, calls } = toDialogue({ parts }, emptyTrace);

    expect(steps.map(({ type }) => type)).toEqual(['text', 'tool-add']);
    expect(steps[1]).toMatchObject({ state: 'output-available', input: { a: 1 }, output: 2 });
    expect({ answer, calls }).toEqual({ answer: 'It is 2.', calls: 1 });
  });

  it('has no answer if the turn ended after a call', () => {
    const parts: Parts = [{ type: 'text', text: 'Let me see.' }, call];

    expect(toDialogue({ parts }, emptyTrace)).toMatchObject({ answer: '', calls: 1 });
  });

  it('takes the calls from the trace if the message of a turn of spans has none', () => {
    const tool = {
      toolCallId: 'c',
      toolName: 'add',
      round: 1,
      startAt: 0,
      state: 'done',
      input: '{"a":1}',
    } as const;
    const parts: Parts = [{ type: 'text', text: 'It is 2.' }];
    const { steps, answer } = toDialogue({ parts }, { ...emptyTrace, tools: [tool] });

    expect(steps).toMatchObject([{ type: 'tool-add', toolCallId: 'c', input: { a: 1 } }]);
    expect(answer).toBe('It is 2.');
  });
});

import { describe, expect, it } from 'vitest';
import type { InspectedMessage } from '../../../playground/shared/mcp-inspection.js';
import { findLastChange, findProgress, summarize } from '../../../playground/web/mcp/mcp-traffic.js';

const toMessages = (...messages: unknown[]): InspectedMessage[] =>
  messages.map((message, index) => ({ number: index + 1, direction: 'sent', time: 0, message }));

const call = (progressToken: number, name = 'wait') => ({
  method: 'tools/call',
  params: { name, _meta: { progressToken } },
});
const progress = (progressToken: number, params: object) => ({
  method: 'notifications/progress',
  params: { progressToken, ...params },
});

describe('the progress of a call', () => {
  const messages = toMessages(
    call(1),
    progress(1, { progress: 9 }),
    call(2),
    progress(2, { progress: 1, total: 4, message: 'one' }),
    progress(2, { progress: 2, total: 4, message: 'two' }),
    progress(1, { progress: 10 }),
    call(3, 'other'),
  );

  it('is the last that its server has reported for it', () => {
    const found = findProgress(messages, { toolName: 'wait', after: 2 });
    expect(found).toEqual({ progress: 2, total: 4, message: 'two' });
  });

  it.each([
    { toolName: 'other', after: 0 },
    { toolName: 'wait', after: 7 },
    { toolName: 'missing', after: 0 },
  ])('is unknown for %o', options => {
    expect(findProgress(messages, options)).toBeUndefined();
  });
});

it('finds the last announcement of a changed list', () => {
  const changed = (list: string) => ({ method: `notifications/${list}/list_changed` });
  const messages = toMessages(changed('prompts'), changed('resources'), changed('prompts'), {});
  expect(findLastChange(messages, 'prompts')).toBe(3);
  expect(findLastChange(messages, 'resources')).toBe(2);
  expect(findLastChange([], 'prompts')).toBe(0);
});

it.each([
  [{ method: 'ping', id: 7 }, 'ping #7'],
  [{ method: 'notifications/progress' }, 'notifications/progress'],
  [{ id: 'a', result: {} }, 'result #a'],
  [{ id: 1, error: { code: -1 } }, 'error #1'],
])('describes %j as %s', (message, text) => {
  expect(summarize(message)).toBe(text);
});

import { expect, it } from 'vitest';
import { read } from '../structure.js';

it('jobs that may publish take their actions from commits', () => {
  const workflow = read('.github/workflows/release.yml');
  expect(workflow).toContain('id-token: write');
  const actions = [...workflow.matchAll(/uses: (\S+)(.*)/g)];
  expect(actions.length).toBeGreaterThan(0);
  for (const [, action, comment] of actions) {
    expect(action).toMatch(/@[\da-f]{40}$/);
    expect(comment).toMatch(/^ # v\d+\.\d+\.\d+$/);
  }
  expect(read('.github/workflows/ci.yml')).not.toContain('id-token');
});

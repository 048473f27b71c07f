import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Approvals } from '../../../src/tool-loop/approvals/approvals.js';
import { APPROVAL_POLICIES } from '../../../src/tool-loop/options.js';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import type { ToolDefinition } from '../../../src/tools/tool-source.js';
import { call, callRound, scriptedModel, stream, textRound } from '../_scripted-model.js';

const guide = new URL('../../../src/tool-loop/pages/approvals.md', import.meta.url);
const START =
  '<!-- approvals: written by test/tool-loop/approvals/approval-table.test.ts with UPDATE_TABLE=1 -->';
const END = '<!-- end of approvals -->';

const hints: readonly [name: string, hints: Partial<ToolDefinition>][] = [
  ['no annotations', {}],
  ['read-only', { readOnly: true }],
  ['not destructive', { destructive: false }],
  ['destructive', { destructive: true }],
  ['read-only and destructive', { readOnly: true, destructive: true }],
];

/** Returns true if the loop requests approval for a call of a tool. */
async function isAsked(approvals: Approvals, definition: Partial<ToolDefinition>): Promise<boolean> {
  let asked = false;
  const tools = {
    name: 'a tool',
    listTools: async () => ({
      tools: [{ name: 'act', inputSchema: { type: 'object' as const }, ...definition }],
      warnings: [],
    }),
    callTool: async () => ({ type: 'text' as const, value: 'ran' }),
    close: async () => {},
  };
  const approve = () => {
    asked = true;
    return true;
  };
  const model = scriptedModel(callRound(call('c1', 'act')), textRound('Done.'));
  await stream(withToolLoop(model, { tools, approve, approvals }));
  return asked;
}

async function renderTable(): Promise<string> {
  const header = `| annotations | ${APPROVAL_POLICIES.map(policy => `\`${policy}\``).join(' | ')} |`;
  const lines = [header, `| --- |${' --- |'.repeat(APPROVAL_POLICIES.length)}`];
  for (const trustAnnotations of [true, false]) {
    for (const [name, definition] of hints) {
      const cells = APPROVAL_POLICIES.map(async policy =>
        (await isAsked(policy, { ...definition, trustAnnotations })) ? 'asked' : '–',
      );
      const trust = trustAnnotations ? 'trusted' : 'not trusted';
      lines.push(`| ${name}, ${trust} | ${(await Promise.all(cells)).join(' | ')} |`);
    }
  }
  return lines.join('\n');
}

it('asks about the calls that the table of the guide names', async () => {
  const text = readFileSync(guide, 'utf8');
  const [before, rest = ''] = text.split(START);
  const [table = '', after] = rest.split(END);
  const rendered = await renderTable();
  if (process.env.UPDATE_TABLE) writeFileSync(guide, `${before}${START}\n\n${rendered}\n\n${END}${after}`);
  else expect(table.trim()).toBe(rendered);
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LOCAL_TOOL_FIELDS } from '../../src/tools/local-tools.js';
import { fieldEffects, readFields, renderFields } from './_tool-fields.js';

const fieldsOf = readFields();

it.each([...fieldsOf.keys()])('the effect of each field of a tool of `ai` %i is known', major => {
  const fields = [...(fieldsOf.get(major) ?? [])];
  expect(fields).toContain('execute');
  // A new field is carried, emulated, or named in a warning: in `FIELDS` of `local-tools.ts`, and in the table.
  expect(fields.filter(field => !LOCAL_TOOL_FIELDS.includes(field))).toEqual([]);
});

it('the table of the guide has all fields', () => {
  expect(Object.keys(fieldEffects).sort()).toEqual([...LOCAL_TOOL_FIELDS].sort());
  const guide = readFileSync(
    new URL('../../src/tool-loop/pages/tools-of-a-call.md', import.meta.url),
    'utf8',
  );
  expect(guide).toContain(renderFields(fieldsOf));
});

import { expect, it } from 'vitest';
import { formatBody } from '../../../playground/web/traces/format-body.js';

it('indents a body that is JSON, and shortens texts that no person reads', () => {
  const encrypted = 'gAAAAA'.repeat(100);
  const body = JSON.stringify({ text: 'a b '.repeat(100), encrypted_content: encrypted });

  expect(formatBody(body)).toBe(
    `{\n  "text": "${'a b '.repeat(100)}",\n  "encrypted_content": "${encrypted.slice(0, 40)}… (600 characters)"\n}`,
  );
});

it.each(['', 'Bad gateway', '{"half'])('leaves %j as it is', text => {
  expect(formatBody(text)).toBe(text);
});

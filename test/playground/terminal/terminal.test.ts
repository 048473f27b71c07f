import { expect, it } from 'vitest';
import { createTerminal } from '../../../playground/terminal/output.js';

function write(hasColours: boolean) {
  let written = '';
  const stream = { write: (text: string) => (written += text) };
  return { terminal: createTerminal(stream, { hasColours }), written: () => written };
}

it('colours text after removing its escape sequences', () => {
  const { terminal, written } = write(true);
  terminal.line('\u001b[1mwarning:\u001b[0m\r\nlook', 'yellow');
  expect(written()).toBe('\u001b[33mwarning: look\u001b[39m\n');
});

it('writes plain text without colours', () => {
  const { terminal, written } = write(false);
  terminal.write('a\tb\nc', 'dim');
  expect(written()).toBe('a\tb\nc');
});

it('removes an escape sequence that arrives in two chunks', () => {
  const { terminal, written } = write(false);
  terminal.write('one \u001b');
  terminal.write('[2J two');
  expect(written()).toBe('one [2J two');
});

import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/redaction/redaction.js';

const { redact } = createRedactor([]);

describe('time', () => {
  /** Beginnings of secrets, repeated: a pattern that searches the rest of the text from each of them is quadratic. */
  const nearMisses = [
    ...[
      'a',
      ' ',
      '\n',
      '\\',
      '/',
      '//',
      '@',
      'a://',
      '--',
      '-a-',
      '"',
      '`',
      'A',
      'Az09+/',
      '12345678',
      '1:AA',
    ],
    ...[
      'api-',
      'my_',
      'ey-',
      'ey-.',
      'eyJaaaaaaaaaaaaaaaaaaa.',
      'sk-',
      'sk-a.',
      'AKIA',
      'AIza',
      'ghp_',
      'SG.',
      'hf_',
    ],
    ...['pwd= ', 'token ', 'token ="', 'token="', 'token="a', 'token=`', "secret'", 'password\\', '--token '],
    ...[
      'Bearer ',
      'Basic  ',
      'authorization ',
      'authorization:',
      '?key',
      '?key.',
      '&a_',
      'hooks.slack.com/services',
    ],
    ...['-----BEGIN ', '-----BEGIN A', '-----BEGIN PRIVATE KEY-----'],
  ];

  /** The processor time in milliseconds, which other processes do not change. */
  const measure = (text: string): number => {
    const times = Array.from({ length: 4 }, () => {
      const before = process.cpuUsage();
      redact(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    return Math.min(...times);
  };

  it.each(nearMisses)('is linear for %j', part => {
    const short = measure(part.repeat(Math.ceil(62_500 / part.length)));
    const long = measure(part.repeat(Math.ceil(1_000_000 / part.length)));
    // 16 times the text: quadratic time is 256 times as long.
    expect(long).toBeLessThan(64 * Math.max(short, 2));
  });
});

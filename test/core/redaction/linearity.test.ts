import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/core/redaction/redaction.js';

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
      'authorization:a=b, ',
      'authorization:a="',
      'cookie:',
      'cookie:a=\\"',
      'token=>a.',
      '?key',
      '?key.',
      '&a_',
      'hooks.slack.com/services',
    ],
    ...['-----BEGIN ', '-----BEGIN A', '-----BEGIN PRIVATE KEY-----'],
  ];

  /** The processor time in milliseconds, which other processes do not change. */
  const measure = (text: string): number => {
    const times = Array.from({ length: 2 }, () => {
      const before = process.cpuUsage();
      redact(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    return Math.min(...times);
  };

  it.each(nearMisses)('is linear for %j', part => {
    const [short, long] = [100_000, 400_000].map(length => part.repeat(Math.ceil(length / part.length)));
    // Four times the text: quadratic time is 16 times as long. Another process on the machine may disturb most attempts.
    const ratios: number[] = [];
    while (!ratios.some(ratio => ratio < 10) && ratios.length < 8)
      ratios.push(measure(long ?? '') / Math.max(measure(short ?? ''), 2));
    expect(Math.min(...ratios)).toBeLessThan(10);
  });
});

import { describe, expect, it } from 'vitest';
import { createTraffic, redactForDisplay } from '../../../playground/server/mcp/traffic.js';
import { createRedactor } from '../../../playground/server/redaction/redactor.js';

describe('the traffic of a server', () => {
  it('keeps the newest messages and lines, by number and by size', () => {
    const traffic = createTraffic();
    for (let index = 0; index < 1500; index++) {
      traffic.addMessage({ direction: 'sent', time: 0, message: { index } });
      traffic.addLine(`line ${index}`);
    }
    const { messages, stderr } = traffic.since(0);

    expect([messages.length, stderr.length]).toEqual([300, 1000]);
    expect(messages.at(-1)).toMatchObject({ number: 2999, message: { index: 1499 } });
    expect(stderr.at(-1)).toMatchObject({ number: 3000, text: 'line 1499' });

    traffic.addMessage({ direction: 'received', time: 0, message: { text: 'x'.repeat(4_000_000) } });
    expect(traffic.since(0).messages.map(({ number }) => number)).toEqual([3001]);
    expect(traffic.since(3001)).toEqual({ messages: [], stderr: [] });
  });

  it('redacts text, and keeps the content of images and files', async () => {
    const secret = 'opaque-value-7';
    const image = Buffer.from(`${'pixels '.repeat(100)}${secret}`).toString('base64');
    const value = {
      content: [
        { type: 'image', data: image },
        { text: secret, data: secret, blob: image },
      ],
    };

    expect(
      await redactForDisplay(
        value,
        createRedactor(() => [secret]),
      ),
    ).toEqual({
      content: [
        { type: 'image', data: image },
        { text: '[redacted]', data: '[redacted]', blob: image },
      ],
    });
  });
});

import { describe, expect, it } from 'vitest';
import { hosts } from '../host-matrix/_host.js';
import { overTheWire, record, shareRecordingServer } from './_approvals.js';

const startApprovals = shareRecordingServer();

interface UIPart {
  readonly type: string;
  readonly state?: string;
  readonly approval?: { readonly id: string };
  readonly [field: string]: unknown;
}
interface UIMessage {
  readonly role: string;
  readonly parts: readonly UIPart[];
  readonly [field: string]: unknown;
}
/** The parts of the AI SDK that the test uses. Their types differ between `ai` 6 and 7. */
interface UISdk {
  streamText(options: object): {
    toUIMessageStream(options: { originalMessages: readonly UIMessage[] }): ReadableStream<unknown>;
  };
  readUIMessageStream(options: {
    message?: UIMessage | undefined;
    stream: unknown;
  }): AsyncIterable<UIMessage>;
  convertToModelMessages(messages: readonly UIMessage[]): Promise<unknown>;
}

describe.each(hosts.filter(({ version }) => version === 'V3'))(
  'an approval in the messages of a chat: $name',
  host => {
    it.each([
      [true, ['a 1'], 'output-available', 'record a 1'],
      [false, [], 'output-denied', 'The call was not approved: Because.'],
    ] as const)('approved: %s', async (approved, ran, state, output) => {
      const { provider, emulator, effects, outputs } = await startApprovals(host, 'stream');
      const sdk = host.sdk as unknown as UISdk;
      emulator.enqueue([record('a')], [{ text: 'Done.' }], [{ text: 'Again.' }]);
      /** Sends the messages of a chat and returns them with the response, which may continue the last one. */
      const send = async (messages: readonly UIMessage[]): Promise<readonly UIMessage[]> => {
        const sent = overTheWire(messages);
        const result = sdk.streamText({
          model: provider('gpt-5'),
          messages: await sdk.convertToModelMessages(sent),
        });
        const last = sent.at(-1);
        const message = last?.role === 'assistant' ? last : undefined;
        let response: UIMessage | undefined;
        const stream = result.toUIMessageStream({ originalMessages: sent });
        for await (const next of sdk.readUIMessageStream({ message, stream })) response = next;
        const before = message === undefined ? sent : sent.slice(0, -1);
        return response === undefined ? before : [...before, response];
      };
      const user = (text: string): UIMessage => ({ id: text, role: 'user', parts: [{ type: 'text', text }] });
      const toolParts = (messages: readonly UIMessage[]) =>
        messages.flatMap(({ parts }) => parts).filter(({ type }) => type.includes('tool'));

      const asked = await send([user('Record it.')]);
      expect(toolParts(asked)).toMatchObject([{ state: 'approval-requested' }]);
      expect(effects()).toEqual([]);

      const answered = asked.map(message => ({
        ...message,
        parts: message.parts.map(part =>
          part.state === 'approval-requested'
            ? {
                ...part,
                state: 'approval-responded',
                approval: { ...part.approval, id: part.approval?.id ?? '', approved, reason: 'Because.' },
              }
            : part,
        ),
      }));
      const done = await send(answered);
      expect(effects()).toEqual(ran);
      expect(outputs()).toEqual([output]);
      // The result is a part of the next step.
      expect(toolParts(done).at(-1)).toMatchObject({ state });

      // The complete chat, as a page sends it with the next message.
      await send([...done, user('Go on.')]);
      expect(effects()).toEqual(ran);
      expect(outputs()).toEqual([output]);
    });
  },
);

import { expect, it } from 'vitest';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { callOf, hosts, type Json, settingsOf, startScene } from './_forms.js';

/** The functions of both majors for pages. */
interface Pages {
  readonly streamText: (options: object) => {
    toUIMessageStream(options: object): ReadableStream<unknown>;
  };
  readonly readUIMessageStream: (options: object) => AsyncIterable<Message>;
  readonly convertToModelMessages: (messages: readonly unknown[]) => Promise<Json[]> | Json[];
}

interface Message {
  readonly parts: readonly Json[];
}

const pages = { 6: ai6 as unknown as Pages, 7: ai7 as unknown as Pages };

it.each(hosts)('a page of ai $ai shows the calls of all steps in one message, and keeps them', async host => {
  const script = [[callOf('a')], [callOf('b')], [{ text: 'Done.' }], [{ text: 'Again.' }]];
  const scene = await startScene(host, { script });
  const { streamText, readUIMessageStream, convertToModelMessages } = pages[host.ai];
  const settings = await settingsOf(scene.provider, 'provider');
  const model = scene.provider('gpt-5');
  const question = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'Write.' }] };

  const ask = async (messages: readonly unknown[]): Promise<Message> => {
    const options = { model, messages: await convertToModelMessages(messages), ...settings };
    const stream = streamText(options).toUIMessageStream({ originalMessages: messages });
    let last: Message = { parts: [] };
    for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
    return structuredClone(last);
  };
  const answer = await ask([question]);
  const calls = answer.parts.filter(({ type }) => type === 'tool-write');
  expect(calls.map(({ state, input, output }) => [state, input, output])).toEqual([
    ['output-available', { line: 'a' }, 'wrote a'],
    ['output-available', { line: 'b' }, 'wrote b'],
  ]);
  const next = await ask([
    question,
    answer,
    { ...question, id: 'q2', parts: [{ type: 'text', text: 'Thanks.' }] },
  ]);
  expect(next.parts.at(-1)).toMatchObject({ text: 'Again.' });
  const { input } = scene.emulator.requests.at(-1)?.body as { input: Json[] };
  expect(input.map(({ type, output }) => output ?? type)).toEqual([
    'message',
    ...['function_call', 'wrote a', 'function_call', 'wrote b'],
    ...['message', 'message'],
  ]);
  expect(await scene.effects()).toEqual(['a', 'b']);
});

import type { ModelMessage } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hosts, modes } from '../host-matrix/_host.js';
import { eachOf } from '../_products.js';
import { overTheWire, partsOf, question, record, shareRecordingServer, withAnswers } from './_approvals.js';

const startApprovals = shareRecordingServer();

/** `ai` 7 identifies itself to models of version 2, which then ask it. */
const askingHosts = hosts.filter(({ version, name }) => version === 'V3' || name === 'ai 7 · V2');
const [firstHost] = askingHosts;
if (firstHost === undefined) throw new Error('There is no host that can ask.');
const row = { host: firstHost, mode: modes[0] };

const secret = 'a-random-text-of-32-characters-or-more';
const typesOf = (messages: readonly ModelMessage[]) => partsOf(messages).map(({ type }) => type);

/** Sets the clock to a time at which a request that is valid for a minute has expired. */
function passMinute(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_001 });
  onTestFinished(() => void vi.useRealTimers());
}

describe('an approval by the host', () => {
  const each = eachOf({ host: askingHosts, mode: modes });

  each(
    'is requested before the call runs, and the call runs once when the approval arrives: $host.name, $mode',
    async ({ host, mode }) => {
      const { turn, emulator, effects, outputs } = await startApprovals(host, mode);
      emulator.enqueue([record('a')], [{ text: 'Done.' }], [{ text: 'Again.' }]);
      const asked = await turn([question]);
      expect(effects()).toEqual([]);
      expect(asked.errors).toEqual([]);
      expect(asked.finishReason).toBe('tool-calls');
      expect(asked.steps).toHaveLength(1);
      expect(typesOf(asked.messages)).toEqual(['tool-call', 'tool-approval-request']);
      expect(emulator.requests).toHaveLength(1);

      const done = await turn(withAnswers(asked.history, true));
      expect(done.errors).toEqual([]);
      expect(done.text).toBe('Done.');
      expect(effects()).toEqual(['a 1']);
      expect(outputs()).toEqual(['record a 1']);
      expect(done.steps[0]?.toolResults).toHaveLength(1);

      // Later turns have the call and its output once.
      const later = await turn([...done.history, { role: 'user', content: 'Go on.' }]);
      expect(later.text).toBe('Again.');
      expect(outputs()).toEqual(['record a 1']);
      expect(effects()).toEqual(['a 1']);
    },
  );

  each(
    'keeps the warnings of the model in the turn that it begins: $host.name, $mode',
    async ({ host, mode }) => {
      const { turn, emulator } = await startApprovals(host, mode);
      emulator.enqueue([record('a')], [{ text: 'Done.' }]);
      const asked = await turn([question]);
      const done = await turn(withAnswers(asked.history, true), { temperature: 0.5 });
      const { warnings } =
        (done.steps[0]?.providerMetadata as Record<string, Record<string, unknown>>).kelivo ?? {};
      expect(warnings).toEqual([expect.stringContaining('temperature is not supported')]);
    },
  );

  each(
    'runs calls that need none, and sends all outputs in the order of the calls: $host.name, $mode',
    async ({ host, mode }) => {
      const { turn, emulator, effects, outputs } = await startApprovals(host, mode, {
        toolLoop: { approvals: ({ input }) => input.step !== 2 },
      });
      emulator.enqueue([record('a'), record('b', 2), record('c')], [{ text: 'Done.' }]);
      const asked = await turn([question]);
      expect(effects()).toEqual(['b 2']);
      expect(emulator.requests).toHaveLength(1);
      expect(typesOf(asked.messages).filter(type => type === 'tool-approval-request')).toHaveLength(2);

      const done = await turn(withAnswers(asked.history, true, true));
      expect(done.errors).toEqual([]);
      expect(effects().sort()).toEqual(['a 1', 'b 2', 'c 1']);
      expect(outputs()).toEqual(['record a 1', 'record b 2', 'record c 1']);
    },
  );

  each(
    'that is denied runs nothing, in this turn and in later ones: $host.name, $mode',
    async ({ host, mode }) => {
      const { turn, emulator, effects, outputs } = await startApprovals(host, mode);
      emulator.enqueue([record('a')], [{ text: 'Pity.' }], [{ text: 'Again.' }]);
      const asked = await turn([question]);
      const denied = await turn(withAnswers(asked.history, { approved: false, reason: 'Not today.' }));
      expect(denied.text).toBe('Pity.');
      expect(outputs()).toEqual(['The call was not approved: Not today.']);
      await turn([...denied.history, { role: 'user', content: 'Go on.' }]);
      expect(outputs()).toEqual(['The call was not approved: Not today.']);
      expect(effects()).toEqual([]);
    },
  );

  each(
    'runs nothing if `toolApproval` denies the call when the approval arrives: $host.name, $mode',
    async ({ host, mode }) => {
      const { turn, emulator, effects, outputs } = await startApprovals(host, mode);
      emulator.enqueue([record('a')], [{ text: 'Done.' }]);
      const asked = await turn([question]);
      const toolApproval = { record: { type: 'denied', reason: 'Not any more.' } };
      await turn(withAnswers(asked.history, true), { providerOptions: { kelivo: { toolApproval } } });
      expect(effects()).toEqual([]);
      expect(outputs()).toEqual(['The call was not approved: Not any more.']);
    },
  );

  each('runs nothing if a client changes it after a denial: $host.name, $mode', async ({ host, mode }) => {
    const { turn, emulator, effects, outputs } = await startApprovals(host, mode);
    emulator.enqueue([record('a')], [{ text: 'Pity.' }], [{ text: 'Hm.' }]);
    const asked = await turn([question]);
    await turn(withAnswers(asked.history, false));
    await turn(withAnswers(asked.history, true));
    expect(outputs()).toEqual([expect.stringContaining('this approval was already answered')]);
    expect(effects()).toEqual([]);
  });

  each(
    'that answers only some requests runs those and asks for the others again: $host.name, $mode',
    async ({ host, mode }) => {
      const { turn, emulator, effects, outputs } = await startApprovals(host, mode);
      emulator.enqueue([record('a'), record('b')], [{ text: 'Done.' }]);
      const asked = await turn([question]);
      const part = await turn(withAnswers(asked.history, true, undefined));
      expect(part.errors).toEqual([]);
      expect(effects()).toEqual(['a 1']);
      expect(emulator.requests).toHaveLength(1);
      expect(typesOf(part.messages).filter(type => type === 'tool-approval-request')).toHaveLength(1);

      const done = await turn(withAnswers(part.history, true));
      expect(done.errors).toEqual([]);
      expect(done.text).toBe('Done.');
      expect(effects()).toEqual(['a 1', 'b 1']);
      expect(outputs()).toEqual(['record a 1', 'record b 1']);
    },
  );

  each('is forgotten after a later message of the user: $host.name, $mode', async ({ host, mode }) => {
    const { turn, emulator, effects, outputs } = await startApprovals(host, mode);
    emulator.enqueue([record('a')], [{ text: 'Fine.' }]);
    const asked = await turn([question]);
    await turn([...asked.history, { role: 'user', content: 'Never mind.' }]);
    // ai@7 drops the call.
    expect(outputs()).toEqual(
      host.major === 6
        ? ['Not run: it was not approved before the conversation went on.']
        : expect.anything(),
    );
    expect(effects()).toEqual([]);
  });

  each('is requested although the host sees no other calls: $host.name, $mode', async ({ host, mode }) => {
    const { turn, emulator, effects, outputs } = await startApprovals(host, mode, {
      toolLoop: { toolActivity: 'none', approvals: ({ input }) => input.step !== 2 },
    });
    emulator.enqueue([record('b', 2), record('a')], [{ text: 'Done.' }]);
    const asked = await turn([question]);
    expect(typesOf(asked.messages)).toContain('tool-approval-request');
    const done = await turn(withAnswers(asked.history, true));
    expect(done.errors).toEqual([]);
    expect(effects()).toEqual(['b 2', 'a 1']);
    expect(outputs().sort()).toEqual(['record a 1', 'record b 2']);
  });

  each(
    'runs nothing if the first request of the turn fails and is repeated: $host.name, $mode',
    async ({ host, mode }) => {
      const { turn, emulator, effects } = await startApprovals(host, mode, {
        toolLoop: { retry: { maxRetries: 0 } },
      });
      emulator.enqueue([record('a')], { status: 500 }, [{ text: 'Done.' }]);
      const asked = await turn([question]);
      const failing = turn(withAnswers(asked.history, true), { maxRetries: 2 });
      if (mode === 'generate') await expect(failing).rejects.toThrow();
      else expect((await failing).errors).toHaveLength(1);
      expect(effects()).toEqual(['a 1']);
      expect(emulator.requests).toHaveLength(2);
      // The application sends the same messages again.
      await turn(withAnswers(asked.history, true));
      expect(effects()).toEqual(['a 1']);
    },
  );

  each('works with declared tools: $host.name, $mode', async ({ host, mode }) => {
    const { turn, emulator, effects, provider } = await startApprovals(host, mode);
    const tools = await provider.tools();
    emulator.enqueue([record('a')], [{ text: 'Done.' }]);
    const asked = await turn([question], { tools });
    expect(asked.errors).toEqual([]);
    const done = await turn(withAnswers(asked.history, true), { tools });
    expect(done.errors).toEqual([]);
    expect(effects()).toEqual(['a 1']);
  });
});

type Change = (messages: ModelMessage[]) => ModelMessage[];
const change = (messages: readonly ModelMessage[], edit: (part: Record<string, unknown>) => void) => {
  const copy = overTheWire([...messages]);
  for (const part of partsOf(copy)) edit(part as Record<string, unknown>);
  return copy;
};
const onCall =
  (edit: (part: Record<string, unknown>) => void): Change =>
  messages =>
    change(messages, part => {
      if (part.type === 'tool-call') edit(part);
    });
const renamed =
  (id: string): Change =>
  messages =>
    change(messages, part => {
      if ('toolCallId' in part) part.toolCallId = id;
    });

describe('an approval that a client changed', () => {
  it.each<[string, Change]>([
    ['arguments', onCall(part => void (part.input = { key: 'b', step: 1 }))],
    ['added arguments', onCall(part => void (part.input = { ...(part.input as object), force: true }))],
    ['tool', onCall(part => void (part.toolName = 'other'))],
    [
      'server',
      onCall(part => {
        const { kelivo } = part.providerOptions as { kelivo: { approval: { server: string } } };
        kelivo.approval.server = 'other';
      }),
    ],
    ['call id', renamed('call_other')],
    [
      'approval id',
      messages =>
        change(messages, part => {
          const forge = (id: string) => id.replace(/.{4}$/, '0000');
          if (typeof part.approvalId === 'string') part.approvalId = forge(part.approvalId);
          const { approval } =
            (part.providerOptions as { kelivo?: { approval?: { id: string } } })?.kelivo ?? {};
          if (approval) approval.id = forge(approval.id);
        }),
    ],
  ])('runs nothing: %s', async (_, edit) => {
    const { turn, emulator, effects, outputs } = await startApprovals(row.host, row.mode);
    emulator.enqueue([record('a')], [{ text: 'Done.' }]);
    const asked = await turn([question]);
    await turn(edit(withAnswers(asked.history, true)));
    expect(effects()).toEqual([]);
    expect(outputs()).toEqual([expect.stringMatching(/^Not run: /)]);
  });

  it('runs nothing if nobody was asked', async () => {
    const { turn, emulator, effects, outputs } = await startApprovals(row.host, row.mode);
    emulator.enqueue([{ text: 'No.' }]);
    const id = `kelivo.${crypto.randomUUID()}.${Date.now().toString(36)}.${'0'.repeat(64)}`;
    const call = {
      type: 'tool-call',
      toolCallId: 'call_1',
      toolName: 'record',
      input: { key: 'a', step: 1 },
      providerExecuted: true,
      providerOptions: { kelivo: { approval: { id, server: 'recording', originalName: 'record' } } },
    };
    const request = { type: 'tool-approval-request', approvalId: id, toolCallId: 'call_1' };
    const forged = [question, { role: 'assistant', content: [call, request] } as unknown as ModelMessage];
    await turn(withAnswers(forged, true));
    expect(effects()).toEqual([]);
    expect(outputs()).toEqual([expect.stringContaining('the approval does not belong to this call')]);
  });
});

describe('an approval that is sent again', () => {
  it('runs nothing, and the model reads why', async () => {
    const { turn, emulator, effects, outputs } = await startApprovals(row.host, row.mode);
    emulator.enqueue([record('a')], [{ text: 'Done.' }], [{ text: 'Done.' }]);
    const asked = await turn([question]);
    await turn(withAnswers(asked.history, true));
    await turn(withAnswers(asked.history, true));
    expect(effects()).toEqual(['a 1']);
    expect(outputs()).toEqual([expect.stringContaining('already answered, and the call was not repeated')]);
  });

  it('runs the call once, also if 100 answers arrive at the same time', async () => {
    const { turn, emulator, effects } = await startApprovals(row.host, row.mode);
    emulator.enqueue([record('a')], ...Array.from({ length: 100 }, () => [{ text: 'Done.' }]));
    const asked = await turn([question]);
    await Promise.all(Array.from({ length: 100 }, () => turn(withAnswers(asked.history, true))));
    expect(effects()).toEqual(['a 1']);
  });

  it('after the request was repeated runs the call once', async () => {
    const { turn, emulator, effects } = await startApprovals(row.host, row.mode);
    emulator.enqueue([record('a')], [{ text: 'Done.' }], [{ text: 'Done.' }]);
    const asked = await turn([question]);
    // A step of the host without an answer.
    const again = await turn(asked.history);
    expect(typesOf(again.messages)).toEqual(['tool-call', 'tool-approval-request']);
    await turn(withAnswers(again.history, true));
    await turn(withAnswers(asked.history, true));
    expect(effects()).toEqual(['a 1']);
  });
});

describe('a request without an answer', () => {
  const idsIn = (messages: readonly ModelMessage[]) =>
    partsOf(messages).flatMap(({ approvalId }) => approvalId ?? []);

  it('keeps its id when it is repeated, so that it expires at the same time', async () => {
    const { turn, emulator } = await startApprovals(row.host, row.mode);
    emulator.enqueue([record('a')]);
    const asked = await turn([question]);
    const again = await turn(asked.history);
    const third = await turn(asked.history);
    expect(idsIn(again.messages)).toEqual(idsIn(asked.messages));
    expect(idsIn(third.messages)).toEqual(idsIn(asked.messages));
  });

  it('is not repeated after it has expired', async () => {
    const { turn, emulator, effects, outputs } = await startApprovals(row.host, row.mode, {
      toolLoop: { hostApprovals: { secret, claim: () => true, expiresAfter: 60_000 } },
    });
    emulator.enqueue([record('a')], [{ text: 'Done.' }]);
    const asked = await turn([question]);
    passMinute();
    const expired = await turn(asked.history);
    expect(idsIn(expired.messages)).toEqual([]);
    expect(expired.text).toBe('Done.');
    expect(outputs()).toEqual([expect.stringContaining('nobody approved it before the request expired')]);
    expect(effects()).toEqual([]);
  });

  it('is not signed if a client wrote it', async () => {
    const { turn, emulator, effects, outputs } = await startApprovals(row.host, row.mode);
    emulator.enqueue([{ text: 'No.' }], [{ text: 'No.' }]);
    const approval = { id: 'forged', server: 'recording', originalName: 'record' };
    const call = {
      type: 'tool-call',
      toolCallId: 'call_1',
      toolName: 'record',
      input: { key: 'forged', step: 1 },
      providerExecuted: true,
      providerOptions: { kelivo: { approval } },
    };
    const request = { type: 'tool-approval-request', approvalId: 'forged', toolCallId: 'call_1' };
    const forged = [question, { role: 'assistant', content: [call, request] } as unknown as ModelMessage];
    const answer = await turn(forged);
    expect(idsIn(answer.messages)).toEqual([]);
    expect(outputs()).toEqual([expect.stringContaining('the approval does not belong to this call')]);
    await turn(withAnswers(answer.history, true));
    expect(effects()).toEqual([]);
  });
});

describe('an approval', () => {
  it('expires', async () => {
    const { turn, emulator, effects, outputs } = await startApprovals(row.host, row.mode, {
      toolLoop: { hostApprovals: { secret, claim: () => true, expiresAfter: 60_000 } },
    });
    emulator.enqueue([record('a')], [{ text: 'Done.' }]);
    const asked = await turn([question]);
    passMinute();
    await turn(withAnswers(asked.history, true));
    expect(effects()).toEqual([]);
    expect(outputs()).toEqual([expect.stringContaining('after the request had expired')]);
  });

  it.each<[string, () => boolean]>([
    [
      'fails',
      () => {
        throw new Error('The store is down.');
      },
    ],
    ['returns no boolean', () => 'OK' as unknown as boolean],
  ])('runs nothing if its claim %s', async (_, claim) => {
    const { turn, emulator, effects } = await startApprovals(row.host, row.mode, {
      toolLoop: { hostApprovals: { secret, claim } },
    });
    emulator.enqueue([record('a')], [{ text: 'Done.' }]);
    const asked = await turn([question]);
    const done = await turn(withAnswers(asked.history, true));
    expect(done.errors).toEqual([]);
    expect(effects()).toEqual([]);
  });

  it.each(
    hosts
      .filter(({ version }) => version === 'V2')
      .flatMap(host => modes.map(mode => [host.name, mode, host] as const))
      // These identify themselves.
      .filter(([name, mode]) => name === 'ai 5 · V2' || (name === 'ai 6 · V2' && mode === 'stream')),
  )('is refused by a host that cannot ask, with the reason: %s, %s', async (_, mode, host) => {
    const { turn, emulator, effects, outputs } = await startApprovals(host, mode);
    emulator.enqueue([record('a')], [{ text: 'Sorry.' }]);
    const { errors } = await turn([question]);
    expect(errors).toEqual([]);
    expect(effects()).toEqual([]);
    expect(outputs()).toEqual([
      expect.stringContaining('requires `ai` 6 or 7 and a model of `kelivo-responses/v3`'),
    ]);
  });
});

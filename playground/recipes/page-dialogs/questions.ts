import { findFormIssues } from 'kelivo-responses/mcp';
import { setTimeout as delay } from 'node:timers/promises';
import type { createClient } from 'redis';
import * as z from 'zod';

/** Milliseconds until `cancel` is the answer, between two looks, and until a question of a dead process is over. */
const EXPIRY = Number(process.env.QUESTION_EXPIRY ?? 300_000);
const [POLL, LEASE] = [250, 5000];

/** A question to a user: to fill in a form, to open a page, or to let a tool run. */
export interface Question {
  /** The server that asks, by its name in the configuration. */
  readonly server: string;
  readonly message: string;
  /** A JSON Schema. */
  readonly form?: object;
  readonly url?: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

const answerSchema = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .optional(),
});

export type Answer = z.infer<typeof answerSchema>;

/** A question in a message. It has no answer, because that is for the server only. */
export type ShownQuestion = Question & { readonly state: 'open' | Answer['action'] };

/**
 * The open questions, in Redis. The process whose call waits keeps `question:<id>`, so that it ends with this process. The
 * first write of `answer:<id>` counts: that of any process which received an answer, or the `cancel` of the one that waits.
 */
export function createQuestions(redis: ReturnType<typeof createClient>) {
  const write = (id: string, answer: Answer) =>
    redis.set(`answer:${id}`, JSON.stringify(answer), {
      condition: 'NX',
      expiration: { type: 'PX', value: EXPIRY + LEASE },
    });

  return {
    /** Asks a user, and waits for the answer. `show` is called with the question, and when it is over. */
    async ask(
      { user, question, signal }: { user: string; question: Question; signal: AbortSignal },
      show: (id: string, question: ShownQuestion) => void,
    ): Promise<Answer> {
      const id = crypto.randomUUID();
      const end = Date.now() + EXPIRY;
      let answer: Answer = { action: 'cancel' };
      const keep = () =>
        redis.set(`question:${id}`, JSON.stringify({ user, form: question.form }), {
          expiration: { type: 'PX', value: LEASE },
        });
      try {
        await keep();
        show(id, { ...question, state: 'open' });
        while (Date.now() < end && !signal.aborted && (await redis.exists(`answer:${id}`)) === 0) {
          await delay(POLL, undefined, { signal }).catch(() => undefined);
          await keep();
        }
        await write(id, answer);
        answer = answerSchema.parse(JSON.parse((await redis.get(`answer:${id}`)) ?? ''));
        await redis.del(`question:${id}`);
      } finally {
        show(id, { ...question, state: answer.action });
      }
      return answer;
    },

    /** Accepts the answer of a user. Returns what is wrong with it, or nothing. */
    async answer(id: string, user: string, body: unknown): Promise<readonly string[]> {
      const question = JSON.parse((await redis.get(`question:${id}`)) ?? '{}') as Pick<Question, 'form'> & {
        user?: string;
      };
      // The question of another user looks like one that does not exist.
      if (question.user !== user) return [OVER];
      const { data } = answerSchema.safeParse(body);
      if (data === undefined) return ['Expected an action and the fields of the form.'];
      const { action, content } = data;
      const isForm = action === 'accept' && question.form !== undefined;
      const issues = isForm ? await findFormIssues(question.form, content) : [];
      if (issues.length > 0)
        return issues.map(({ field, message }) => (field ? `${field}: ${message}` : message));
      return (await write(id, { action, ...(isForm && { content: content ?? {} }) })) === null ? [OVER] : [];
    },
  };
}

const OVER = 'This question is over.';

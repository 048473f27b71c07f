import { onTestFinished } from 'vitest';

/** A client of the workers of the recipes. */
export interface TurnClient {
  start(turn: string): Promise<void>;
  answer(turn: string, questionId: string): Promise<void>;
  resume(turn: string): Promise<void>;
  /** Reads the events of a turn until it ends or the worker is killed. */
  follow(turn: string, onEvent: (event: TurnEvent) => void | Promise<void>): Promise<void>;
}

export interface TurnEvent {
  readonly type: string;
  readonly questionId?: string;
  readonly text?: string;
}

export function createTurnClient(url: string): TurnClient {
  const post = async (path: string, body: unknown = {}): Promise<void> => {
    const { status } = await fetch(`${url}/turns/${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (status !== 202) throw new Error(`The worker returned status ${status} for ${path}.`);
  };
  return {
    start: turn => post(turn, { prompt: turn }),
    answer: (turn, questionId) => post(`${turn}/answers/${questionId}`, { approved: true }),
    resume: turn => post(`${turn}/resume`),
    async follow(turn, onEvent) {
      const controller = new AbortController();
      onTestFinished(() => controller.abort());
      try {
        const { body } = await fetch(`${url}/turns/${turn}`, { signal: controller.signal });
        let rest = '';
        for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines)
            if (line.startsWith('data: '))
              await onEvent(JSON.parse(line.slice('data: '.length)) as TurnEvent);
        }
      } catch (error) {
        // The worker was killed.
        if (!(error instanceof TypeError) && !controller.signal.aborted) throw error;
      }
    },
  };
}

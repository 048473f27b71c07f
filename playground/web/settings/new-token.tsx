import { useState } from 'react';
import { callApi } from '../page/api.js';
import { signIn } from '../page/session.js';
import { describeFailure } from '../../shared/failure.js';

/** Signs out all other tabs, for a token that others may have seen. */
export function NewToken() {
  const [outcome, setOutcome] = useState<{ readonly problem?: string }>();
  const renew = async (): Promise<void> => {
    try {
      const { token } = await callApi<{ token: string }>('/session', { method: 'POST' });
      setOutcome({ problem: signIn(token) });
    } catch (error) {
      setOutcome({ problem: describeFailure(error) });
    }
  };
  return (
    <>
      <p className="hint">
        A new token signs out all other tabs. They ask for the new address, which the terminal shows. Turns
        that run continue, and applications keep sending.
      </p>
      <button type="button" className="button" onClick={() => void renew()}>
        New token
      </button>
      {outcome !== undefined && (
        <p role="status" className={outcome.problem === undefined ? 'hint' : 'note problem'}>
          {outcome.problem ?? 'Only this tab is signed in.'}
        </p>
      )}
    </>
  );
}

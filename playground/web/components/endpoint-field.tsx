import { useEffect, useState } from 'react';
import type { PlaygroundState, Settings } from '../../shared/playground-state.js';
import { Field } from './field.js';
import { Segmented } from './segmented.js';
import { TextField } from './field.js';

export interface EndpointFieldProps {
  readonly state: PlaygroundState;
  readonly change: (settings: Partial<Settings>) => Promise<void>;
  readonly keepKey: (key: string) => Promise<void>;
}

const keyHints = {
  none: 'No key: many servers of your own need none.',
  typed: 'A key is kept in the server’s memory for this endpoint. It is never sent to this page.',
  environment: 'The key of OPENAI_API_KEY is used. It is never sent to this page.',
} as const;

/** Where requests go: the emulator, or an address with a key that the page never gets to see again. */
export function EndpointField({ state, change, keepKey }: EndpointFieldProps) {
  const { endpoint } = state.settings;
  const [isOwn, setOwn] = useState(endpoint !== 'emulator');
  useEffect(() => setOwn(endpoint !== 'emulator'), [endpoint]);
  return (
    <>
      <div className="field">
        <span className="label">Endpoint</span>
        <Segmented
          label="Endpoint"
          value={isOwn ? 'own' : 'emulator'}
          options={[
            { value: 'emulator', title: 'Emulator', hint: 'Needs no key and no network' },
            { value: 'own', title: 'Base URL' },
          ]}
          onChange={kind => {
            setOwn(kind === 'own');
            if (kind === 'emulator') void change({ endpoint: 'emulator' });
          }}
        />
      </div>
      {isOwn && (
        <TextField
          label="Base URL"
          value={endpoint === 'emulator' ? '' : endpoint}
          hint="Any server that speaks the Responses API."
          input={{ type: 'url', placeholder: 'http://localhost:8000/v1', autoComplete: 'off' }}
          check={checkAddress}
          onSave={address => void change({ endpoint: address })}
        />
      )}
      {isOwn && endpoint !== 'emulator' && <KeyField source={state.key} keepKey={keepKey} />}
    </>
  );
}

/** The server has the last word on it; this says at once what is plainly wrong. */
function checkAddress(address: string): string | undefined {
  const isAddress = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  return isAddress ? undefined : 'Expected an address such as http://localhost:8000/v1.';
}

function KeyField({
  source,
  keepKey,
}: {
  source: PlaygroundState['key'];
  keepKey: (key: string) => Promise<void>;
}) {
  const [key, setKey] = useState('');
  const save = (): void => {
    if (key === '') return;
    void keepKey(key);
    setKey('');
  };
  return (
    <Field label="API key" hint={keyHints[source]}>
      {props => (
        <div className="input-row">
          <input
            {...props}
            className="input"
            type="password"
            autoComplete="off"
            placeholder={source === 'none' ? 'none' : '••••••••'}
            value={key}
            onChange={event => setKey(event.target.value)}
            onBlur={save}
            onKeyDown={event => event.key === 'Enter' && save()}
          />
          {source === 'typed' && (
            <button type="button" className="button" onClick={() => void keepKey('')}>
              Forget
            </button>
          )}
        </div>
      )}
    </Field>
  );
}

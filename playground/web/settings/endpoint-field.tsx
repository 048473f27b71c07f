import { useEffect, useState } from 'react';
import type { PlaygroundState, Settings } from '../../shared/playground-state.js';
import { Field } from '../ui/field.js';
import { Segmented } from '../ui/segmented.js';
import { TextField } from '../ui/field.js';

export interface EndpointFieldProps {
  readonly state: PlaygroundState;
  readonly change: (settings: Partial<Settings>) => Promise<void>;
  readonly saveKey: (key: string) => Promise<void>;
}

const keyHints = {
  none: 'No key. Many self-hosted servers need none.',
  typed:
    'The key for this endpoint is stored in the memory of the server only. It is never sent to this page.',
  environment: 'The key from OPENAI_API_KEY is used. It is never sent to this page.',
} as const;

/** Selects the emulator, or a base URL with a key. The page cannot read a stored key. */
export function EndpointField({ state, change, saveKey }: EndpointFieldProps) {
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
          hint="Any server with the Responses API."
          input={{ type: 'url', placeholder: 'http://localhost:8000/v1', autoComplete: 'off' }}
          check={checkAddress}
          onSave={address => void change({ endpoint: address })}
        />
      )}
      {isOwn && endpoint !== 'emulator' && <KeyField source={state.key} saveKey={saveKey} />}
    </>
  );
}

/** Reports an invalid URL immediately. The server validates it again. */
function checkAddress(address: string): string | undefined {
  const isAddress = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  return isAddress ? undefined : 'Expected a URL such as http://localhost:8000/v1.';
}

function KeyField({
  source,
  saveKey,
}: {
  source: PlaygroundState['key'];
  saveKey: (key: string) => Promise<void>;
}) {
  const [key, setKey] = useState('');
  const save = (): void => {
    if (key === '') return;
    void saveKey(key);
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
            <button type="button" className="button" onClick={() => void saveKey('')}>
              Delete
            </button>
          )}
        </div>
      )}
    </Field>
  );
}

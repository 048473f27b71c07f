import type { FaultChoice, PlaygroundState, Settings } from '../../shared/playground-state.js';
import { Field } from '../ui/field.js';

export interface FaultFieldProps {
  readonly state: PlaygroundState;
  readonly change: (settings: Partial<Settings>) => Promise<void>;
}

/** Selects a fault of the emulator and the affected request of a turn. */
export function FaultField({ state: { faults, settings }, change }: FaultFieldProps) {
  const isEmulator = settings.endpoint === 'emulator';
  const chosen = faults.find(({ name }) => name === settings.fault);
  const group = (kind: FaultChoice['kind'], label: string) => (
    <optgroup label={label}>
      {faults
        .filter(fault => fault.kind === kind)
        .map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
    </optgroup>
  );
  return (
    <>
      <Field
        label="Emulator fault"
        hint={isEmulator ? chosen?.description : 'Faults are available for the emulator only.'}
      >
        {props => (
          <select
            {...props}
            className="input"
            value={settings.fault}
            disabled={!isEmulator}
            onChange={event => {
              const fault = faults.find(({ name }) => name === event.target.value);
              void change({ fault: event.target.value, faultRequest: fault?.kind === 'dialect' ? 0 : 1 });
            }}
          >
            <option value="none">None</option>
            {group('fault', 'Faults')}
            {group('dialect', 'Dialects of other servers')}
          </select>
        )}
      </Field>
      {isEmulator && chosen !== undefined && (
        <Field label="Affected request">
          {props => (
            <select
              {...props}
              className="input"
              value={settings.faultRequest}
              onChange={event => void change({ faultRequest: Number(event.target.value) })}
            >
              <option value={1}>first request of a turn</option>
              <option value={2}>second request, after a tool call</option>
              <option value={0}>every request</option>
            </select>
          )}
        </Field>
      )}
    </>
  );
}

import type { FaultChoice, PlaygroundState, Settings } from '../../shared/playground-state.js';
import { Field } from '../ui/field.js';
import { Select } from '../ui/select.js';

export interface FaultFieldProps {
  readonly state: PlaygroundState;
  readonly change: (settings: Partial<Settings>) => Promise<void>;
}

const groups: Readonly<Record<FaultChoice['kind'], string>> = {
  fault: 'Faults',
  dialect: 'Dialects of other servers',
};

/** Selects a fault of the emulator and the affected request of a turn. */
export function FaultField({ state: { faults, settings }, change }: FaultFieldProps) {
  const isEmulator = settings.endpoint === 'emulator';
  const chosen = faults.find(({ name }) => name === settings.fault);
  return (
    <>
      <Field
        label="Emulator fault"
        hint={
          isEmulator
            ? (chosen?.description ??
              'What the emulator does wrong on purpose, so that you see how a turn copes with it.')
            : 'Only the emulator can do something wrong on purpose. Select it as the endpoint.'
        }
      >
        {props => (
          <Select
            {...props}
            value={settings.fault}
            choices={[
              { value: 'none', title: 'None' },
              ...faults.map(({ name, title, kind }) => ({ value: name, title, group: groups[kind] })),
            ]}
            disabled={!isEmulator}
            onChange={fault => {
              const isDialect = faults.some(({ name, kind }) => name === fault && kind === 'dialect');
              void change({ fault, faultRequest: isDialect ? 0 : 1 });
            }}
          />
        )}
      </Field>
      {isEmulator && chosen !== undefined && (
        <Field label="Affected request">
          {props => (
            <Select
              {...props}
              value={String(settings.faultRequest)}
              choices={[
                { value: '1', title: 'first request of a turn' },
                { value: '2', title: 'second request, after a tool call' },
                { value: '0', title: 'every request' },
              ]}
              onChange={faultRequest => void change({ faultRequest: Number(faultRequest) })}
            />
          )}
        </Field>
      )}
    </>
  );
}

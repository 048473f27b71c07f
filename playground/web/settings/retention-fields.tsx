import type { Retention } from '../../shared/playground-state.js';
import { TextField } from '../ui/field.js';

const fields = [
  { name: 'days', label: 'Maximum age in days', most: 36_500 },
  { name: 'megabytes', label: 'Maximum size in megabytes', most: 1_000_000 },
] as const;

/** Age and size at which turns of applications and the recordings of chats are deleted. */
export function RetentionFields({
  retention,
  onSave,
}: {
  retention: Retention;
  onSave: (retention: Retention) => Promise<void>;
}) {
  return (
    <>
      <p className="hint">
        The oldest turns are deleted first: those of applications as a whole, those of chats without their
        messages. Chats are kept until you delete them.
      </p>
      {fields.map(({ name, label, most }) => (
        <TextField
          key={name}
          label={label}
          value={String(retention[name])}
          input={{ inputMode: 'numeric', autoComplete: 'off' }}
          check={text =>
            /^[1-9]\d*$/.test(text) && Number(text) <= most
              ? undefined
              : `Expected a whole number from 1 to ${most}.`
          }
          onSave={text => void onSave({ ...retention, [name]: Number(text) })}
        />
      ))}
    </>
  );
}

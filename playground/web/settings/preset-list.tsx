import { useState } from 'react';
import type { Preset } from '../../shared/playground-state.js';
import type { PageHook } from '../page/use-page.js';
import { Field } from '../ui/field.js';

/** Settings under names, one of which new chats can start with. */
export function PresetList({ page }: { page: PageHook }) {
  const presets = page.state?.presets ?? [];
  const chosen = presets.find(({ isDefault }) => isDefault);
  const [name, setName] = useState('');
  return (
    <>
      <p className="hint">
        A preset keeps the settings of the chat that was open last: endpoint, model, parameters, instructions
        and tools. Keys are not part of it.
      </p>
      <fieldset className="field">
        <legend className="label">New chats start with</legend>
        <ul className="policy-list">
          <li>
            <label className="switch-row">
              <input
                type="radio"
                name="default-preset"
                checked={chosen === undefined}
                onChange={() => {
                  if (chosen !== undefined) void page.changePreset(chosen.id, { isDefault: false });
                }}
              />
              <span>the settings that were changed last</span>
            </label>
          </li>
          {presets.map(preset => (
            <PresetRow key={preset.id} preset={preset} page={page} />
          ))}
        </ul>
      </fieldset>
      <form
        onSubmit={event => {
          event.preventDefault();
          void page.addPreset(name).then(isAdded => {
            if (isAdded) setName('');
          });
        }}
      >
        <Field label="Name of a new preset">
          {props => (
            <div className="input-row">
              <input
                {...props}
                className="input"
                autoComplete="off"
                maxLength={100}
                value={name}
                onChange={event => setName(event.target.value)}
              />
              <button type="submit" className="button" disabled={name.trim() === ''}>
                Save as preset
              </button>
            </div>
          )}
        </Field>
      </form>
    </>
  );
}

function PresetRow({ preset: { id, name, settings, isDefault }, page }: { preset: Preset; page: PageHook }) {
  const [changed, setChanged] = useState<string>();
  const rename = (): void => {
    setChanged(undefined);
    const wanted = changed?.trim() ?? '';
    if (wanted !== '' && wanted !== name) void page.changePreset(id, { name: wanted });
  };
  return (
    <li>
      {changed === undefined ? (
        <label className="switch-row">
          <input
            type="radio"
            name="default-preset"
            checked={isDefault}
            onChange={() => void page.changePreset(id, { isDefault: true })}
          />
          <span>
            {name} <small>{settings.modelId}</small>
          </span>
        </label>
      ) : (
        <input
          className="input"
          aria-label={`New name of ${name}`}
          autoFocus
          maxLength={100}
          value={changed}
          onChange={event => setChanged(event.target.value)}
          onBlur={rename}
          onKeyDown={event => {
            if (event.key === 'Enter') rename();
            if (event.key === 'Escape') setChanged(undefined);
          }}
        />
      )}
      <span className="button-row">
        <button
          type="button"
          className="button"
          aria-label={`Use ${name} in this chat`}
          onClick={() => void page.change(settings)}
        >
          Use in this chat
        </button>
        <button
          type="button"
          className="button"
          aria-label={`Rename ${name}`}
          onClick={() => setChanged(name)}
        >
          Rename
        </button>
        <button
          type="button"
          className="button"
          aria-label={`Delete ${name}`}
          onClick={() => void page.removePreset(id)}
        >
          Delete
        </button>
      </span>
    </li>
  );
}

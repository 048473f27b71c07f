import type { PlaygroundState, Settings } from '../../shared/playground-state.js';

export interface AdapterListProps {
  readonly state: PlaygroundState;
  readonly change: (settings: Partial<Settings>) => Promise<void>;
}

/** The adapters that were found for the model by its name, each with a switch. */
export function AdapterList({ state: { adapters, settings }, change }: AdapterListProps) {
  const toggle = (name: string, isOn: boolean): void => {
    const others = settings.disabledAdapters.filter(other => other !== name);
    void change({ disabledAdapters: isOn ? others : [...others, name] });
  };
  return (
    <fieldset className="field">
      <legend className="label">Adapters</legend>
      {adapters.length === 0 ? (
        <p className="hint">None is needed for {settings.modelId}.</p>
      ) : (
        adapters.map(({ name, isOn }) => (
          <label key={name} className="switch-row">
            <input
              type="checkbox"
              role="switch"
              checked={isOn}
              onChange={event => toggle(name, event.target.checked)}
            />
            <span>{name}</span>
          </label>
        ))
      )}
    </fieldset>
  );
}

import { useEffect, useId, useState } from 'react';
import type { ModelList, Settings } from '../../shared/playground-state.js';
import { callApi } from '../lib/api.js';
import { TextField } from './text-field.js';

export interface ModelFieldProps {
  readonly settings: Settings;
  readonly change: (settings: Partial<Settings>) => Promise<void>;
}

/** The model's id: any, with those that the endpoint offers to choose from. */
export function ModelField({ settings: { endpoint, modelId }, change }: ModelFieldProps) {
  const listId = useId();
  const [list, setList] = useState<ModelList>();
  useEffect(() => {
    const controller = new AbortController();
    setList(undefined);
    callApi<ModelList>('/state/models', { signal: controller.signal }).then(setList, () => {});
    return () => controller.abort();
  }, [endpoint]);

  const known = list?.models.length ?? 0;
  return (
    <>
      <TextField
        label="Model"
        value={modelId}
        hint={
          list?.problem ?? (known > 0 ? `The endpoint offers ${known}; any id may be typed in.` : undefined)
        }
        input={{ list: listId, autoComplete: 'off' }}
        check={id => (id.trim() === '' ? 'Expected the id of a model.' : undefined)}
        onSave={id => void change({ modelId: id })}
      />
      <datalist id={listId}>
        {list?.models.map(id => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </>
  );
}

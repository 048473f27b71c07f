import type { PageHook } from '../page/use-page.js';
import { EndpointField } from './endpoint-field.js';
import { FaultField } from './fault-field.js';
import { Field } from '../ui/field.js';
import { ParameterFields } from './parameter-fields.js';
import { Segmented } from '../ui/segmented.js';
import { useEffect, useId, useState } from 'react';
import { type PlaygroundState, REASONING_EFFORTS, type Settings } from '../../shared/playground-state.js';
import { useModels } from '../page/use-models.js';
import { TextField } from '../ui/field.js';
import { Select } from '../ui/select.js';
import { Problem } from '../ui/problem.js';

/** Settings of the next turn of a chat, in sections beside it. The MCP servers have a page. */
export function SetupPanel({ page }: { page: PageHook }) {
  const { state, servers, problem, change, saveKey } = page;
  if (state === undefined) {
    return (
      <p className={problem === undefined ? 'quiet' : 'quiet problem'}>{problem ?? 'Loading settings …'}</p>
    );
  }
  const { settings } = state;
  return (
    <div className="setup">
      <Problem>{problem}</Problem>
      <section aria-label="Endpoint">
        <h3>Model</h3>
        <EndpointField state={state} change={change} saveKey={saveKey} />
        <ModelField settings={settings} conversationId={page.conversationId ?? ''} change={change} />
        <Field label="Reasoning effort">
          {props => (
            <Select
              {...props}
              value={settings.reasoningEffort}
              choices={REASONING_EFFORTS.map(effort => ({ value: effort, title: effort }))}
              onChange={effort => void change({ reasoningEffort: effort as typeof settings.reasoningEffort })}
            />
          )}
        </Field>
        <ParameterFields settings={settings} servers={servers} change={change} />
        <AdapterList state={state} change={change} />
      </section>
      <section aria-label="Tools">
        <h3>Tools</h3>
        <div className="field">
          <span className="label">Ask before a tool runs</span>
          <Segmented
            label="Ask before a tool runs"
            value={settings.approvals}
            options={[
              { value: 'never', title: 'Never' },
              {
                value: 'destructive',
                title: 'Destructive',
                hint: 'Tools that are not known to be harmless',
              },
              { value: 'unless-read-only', title: 'Writes', hint: 'Every tool that is not read-only' },
              { value: 'always', title: 'Always', hint: 'Every call of every tool' },
            ]}
            onChange={approvals => void change({ approvals })}
          />
        </div>
      </section>
      <section aria-label="Emulator">
        <h3>Emulator</h3>
        <FaultField state={state} change={change} />
      </section>
      <section aria-label="Instructions">
        <h3>Instructions</h3>
        <SystemPromptField
          value={settings.systemPrompt}
          onSave={systemPrompt => void change({ systemPrompt })}
        />
      </section>
    </div>
  );
}

export interface ModelFieldProps {
  readonly settings: Settings;
  readonly conversationId: string;
  readonly change: (settings: Partial<Settings>) => Promise<void>;
}

/** The model id, with suggestions from the endpoint. */
function ModelField({ settings: { endpoint, modelId }, conversationId, change }: ModelFieldProps) {
  const listId = useId();
  const list = useModels(endpoint, conversationId);
  const known = list?.models.length ?? 0;
  return (
    <>
      <TextField
        label="Model"
        value={modelId}
        hint={
          list?.problem ??
          (known > 0 ? `The endpoint lists ${known} models. You can enter any id.` : undefined)
        }
        input={{ list: listId, autoComplete: 'off' }}
        check={id => (id.trim() === '' ? 'Expected a model id.' : undefined)}
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

export interface AdapterListProps {
  readonly state: PlaygroundState;
  readonly change: (settings: Partial<Settings>) => Promise<void>;
}

/** The adapters that match the model id, each with a switch. */
function AdapterList({ state: { adapters, settings }, change }: AdapterListProps) {
  const toggle = (name: string, isOn: boolean): void => {
    const others = settings.disabledAdapters.filter(other => other !== name);
    void change({ disabledAdapters: isOn ? others : [...others, name] });
  };
  return (
    <fieldset className="field">
      <legend className="label">Adapters</legend>
      {adapters.length === 0 ? (
        <p className="hint">No adapter matches {settings.modelId}.</p>
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

/** Instructions for the model, saved on blur. */
function SystemPromptField({ value, onSave }: { value: string; onSave: (value: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <Field label="System prompt">
      {props => (
        <textarea
          {...props}
          className="input"
          rows={3}
          placeholder="none"
          value={text}
          onChange={event => setText(event.target.value)}
          onBlur={() => text !== value && onSave(text)}
        />
      )}
    </Field>
  );
}

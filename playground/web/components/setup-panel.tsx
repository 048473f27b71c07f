import type { PlaygroundStateHook } from '../hooks/use-playground-state.js';
import { AdapterList } from './adapter-list.js';
import { EndpointField } from './endpoint-field.js';
import { FaultField } from './fault-field.js';
import { Field } from './field.js';
import { ModelField } from './model-field.js';
import { Segmented } from './segmented.js';
import { SystemPromptField } from './system-prompt-field.js';

/** Everything that decides how the next question is answered, but for the MCP servers. */
export function SetupPanel({ playground }: { playground: PlaygroundStateHook }) {
  const { state, problem, change, keepKey } = playground;
  if (state === undefined) {
    return (
      <p className={problem === undefined ? 'quiet' : 'quiet problem'}>
        {problem ?? 'Reading the settings …'}
      </p>
    );
  }
  const { settings } = state;
  return (
    <div className="setup">
      {problem !== undefined && (
        <p className="note problem" role="alert">
          {problem}
        </p>
      )}
      <section aria-label="Endpoint">
        <EndpointField state={state} change={change} keepKey={keepKey} />
        <ModelField settings={settings} change={change} />
        <Field label="Reasoning effort">
          {props => (
            <select
              {...props}
              className="input"
              value={settings.reasoningEffort}
              onChange={event =>
                void change({ reasoningEffort: event.target.value as typeof settings.reasoningEffort })
              }
            >
              {['default', 'minimal', 'low', 'medium', 'high'].map(effort => (
                <option key={effort}>{effort}</option>
              ))}
            </select>
          )}
        </Field>
        <AdapterList state={state} change={change} />
      </section>
      <section aria-label="Tools">
        <div className="field">
          <span className="label">Ask before a tool runs</span>
          <Segmented
            label="Ask before a tool runs"
            value={settings.approvals}
            options={[
              { value: 'none', title: 'Never' },
              {
                value: 'destructive',
                title: 'Destructive',
                hint: 'Tools that say that they may destroy something',
              },
              { value: 'all', title: 'All', hint: 'Every tool that is not read-only' },
            ]}
            onChange={approvals => void change({ approvals })}
          />
        </div>
      </section>
      <section aria-label="Emulator">
        <FaultField state={state} change={change} />
      </section>
      <section aria-label="Instructions">
        <SystemPromptField
          value={settings.systemPrompt}
          onSave={systemPrompt => void change({ systemPrompt })}
        />
      </section>
    </div>
  );
}

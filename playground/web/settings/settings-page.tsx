import type { PageHook } from '../page/use-page.js';
import { NewToken } from './new-token.js';
import { PresetList } from './preset-list.js';
import { PriceTableForm } from './price-table.js';
import { RetentionFields } from './retention-fields.js';
import { SetupPanel } from './setup-panel.js';
import { ThemeField } from './theme-field.js';

/** The settings of the chat that was open last, and those of the page. */
export function SettingsPage({ page }: { page: PageHook }) {
  const { state, conversation } = page;
  return (
    <main className="content settings-page">
      <h2>Settings</h2>
      <section aria-label="Settings of the chat">
        <h3>{conversation ? `Chat “${conversation.title}”` : 'New chat'}</h3>
        <p className="hint">Each chat keeps its own settings. Changes here do not affect other chats.</p>
        <SetupPanel page={page} />
      </section>
      <section aria-label="Presets">
        <h3>Presets</h3>
        <PresetList page={page} />
      </section>
      <section aria-label="Allowed tools">
        <h3>Tools that run without a question</h3>
        {state?.policies.length === 0 && (
          <p className="hint">
            None. The card of a call that waits has “Allow for this chat” and “Always allow”. A tool that its
            server changes is asked about again.
          </p>
        )}
        <ul className="policy-list">
          {state?.policies.map(policy => (
            <li key={`${policy.conversationId} ${policy.server} ${policy.tool}`}>
              <span>
                <code>{policy.tool}</code> {policy.server !== '' && `of “${policy.server}” `}
                {policy.conversationId === undefined
                  ? 'in all chats'
                  : `in “${
                      page.conversations?.find(({ id }) => id === policy.conversationId)?.title ?? 'a chat'
                    }”`}
              </span>
              <button
                type="button"
                className="button"
                aria-label={`Remove ${policy.tool}`}
                onClick={() => void page.removePolicy(policy)}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="Prices">
        <h3>Prices</h3>
        {state === undefined ? (
          <p className="quiet">Loading settings …</p>
        ) : (
          <PriceTableForm prices={state.prices} modelId={state.settings.modelId} onSave={page.savePrices} />
        )}
      </section>
      <section aria-label="Stored turns">
        <h3>Stored turns</h3>
        {state !== undefined && <RetentionFields retention={state.retention} onSave={page.saveRetention} />}
      </section>
      <section aria-label="Colours">
        <h3>Colours</h3>
        <ThemeField />
      </section>
      <section aria-label="Signed-in tabs">
        <h3>Signed-in tabs</h3>
        <NewToken />
      </section>
    </main>
  );
}

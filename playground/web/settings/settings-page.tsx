import type { PageHook } from '../page/use-page.js';
import { PriceTableForm } from './price-table.js';
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
        <p className="hint">
          Each chat keeps its own settings. A new chat starts with those that were changed last.
        </p>
        <SetupPanel page={page} />
      </section>
      <section aria-label="Prices">
        <h3>Prices</h3>
        {state === undefined ? (
          <p className="quiet">Loading settings …</p>
        ) : (
          <PriceTableForm prices={state.prices} modelId={state.settings.modelId} onSave={page.savePrices} />
        )}
      </section>
      <section aria-label="Colours">
        <h3>Colours</h3>
        <ThemeField />
      </section>
    </main>
  );
}

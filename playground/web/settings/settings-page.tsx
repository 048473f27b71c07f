import type { PageHook } from '../page/use-page.js';
import { paths, toLink } from '../page/routes.js';
import { NewToken } from './new-token.js';
import { PresetList } from './preset-list.js';
import { PriceTableForm } from './price-table.js';
import { RetentionFields } from './retention-fields.js';
import { ThemeField } from './theme-field.js';

/** The sections of the page, in their order. */
const sections = [
  ['chat', 'Single chat'],
  ['presets', 'Presets'],
  ['allowed', 'Allowed tools'],
  ['prices', 'Prices'],
  ['stored', 'Stored turns'],
  ['colours', 'Colours'],
  ['signed-in', 'Signed-in tabs'],
] as const;

/** The settings of all chats and of the page. Those of one chat are beside it. */
export function SettingsPage({ page, conversationId }: { page: PageHook; conversationId: string }) {
  const { state, conversation } = page;
  const title = conversation ? `the chat “${conversation.title}”` : 'the new chat';
  return (
    <main className="content settings-page">
      <h2>Settings</h2>
      <nav aria-label="Sections of the settings">
        {sections.map(([id, name]) => (
          <a key={id} href={`#${id}`}>
            {name}
          </a>
        ))}
      </nav>
      <section id="chat" aria-label="Single chat">
        <h3>Single chat</h3>
        <p className="hint">
          Endpoint, model, tools, faults and instructions are beside the chat that they change, because each
          chat keeps its own: <a {...toLink(paths.chat(conversationId))}>open {title}</a>.
        </p>
      </section>
      <section id="presets" aria-label="Presets">
        <h3>Presets</h3>
        <PresetList page={page} />
      </section>
      <section id="allowed" aria-label="Allowed tools">
        <h3>Allowed tools</h3>
        {state?.policies.length === 0 && (
          <p className="hint">
            No tool runs without a question. The card of a call that waits has “Allow for this chat” and
            “Always allow”. A tool that its server changes is asked about again.
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
      <section id="prices" aria-label="Prices">
        <h3>Prices</h3>
        {state === undefined ? (
          <p className="quiet">Loading settings …</p>
        ) : (
          <PriceTableForm prices={state.prices} modelId={state.settings.modelId} onSave={page.savePrices} />
        )}
      </section>
      <section id="stored" aria-label="Stored turns">
        <h3>Stored turns</h3>
        {state !== undefined && <RetentionFields retention={state.retention} onSave={page.saveRetention} />}
      </section>
      <section id="colours" aria-label="Colours">
        <h3>Colours</h3>
        <ThemeField />
      </section>
      <section id="signed-in" aria-label="Signed-in tabs">
        <h3>Signed-in tabs</h3>
        <NewToken />
      </section>
    </main>
  );
}

import { Tabs as BaseTabs } from '@base-ui-components/react/tabs';
import type { ReactNode } from 'react';

export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly content: ReactNode;
}

/** Tabs with arrow key navigation. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <BaseTabs.Root className="tabs" defaultValue={tabs[0]?.name}>
      <BaseTabs.List className="tab-list" aria-label={label} activateOnFocus>
        {tabs.map(({ name, title }) => (
          <BaseTabs.Tab key={name} value={name}>
            {title}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map(({ name, content }) => (
        <BaseTabs.Panel key={name} className="tab-panel" value={name}>
          {content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}

import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import { type ReactNode, useState } from 'react';

export interface Tab {
  readonly name: string;
  readonly title: string;
  /** Number and name of things that need attention. @default none */
  readonly badge?: { readonly count: number; readonly name: string };
  readonly content: ReactNode;
}

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** Keeps the content of the tabs that were visited, so that inputs and results stay. @default false */
  readonly keepsVisited?: boolean;
  /** The open tab, if its name is kept elsewhere. */
  readonly current?: string;
  readonly onChange?: (name: string) => void;
}

/** Tabs with arrow key navigation. */
export function Tabs({ label, tabs, keepsVisited = false, current, onChange }: TabsProps) {
  const [visited, setVisited] = useState<readonly unknown[]>([current ?? tabs[0]?.name]);
  return (
    <BaseTabs.Root
      className="tabs"
      {...(current === undefined ? { defaultValue: tabs[0]?.name } : { value: current })}
      onValueChange={(name: unknown) => {
        setVisited([...visited, name]);
        onChange?.(String(name));
      }}
    >
      <BaseTabs.List className="tab-list" aria-label={label} activateOnFocus>
        {tabs.map(({ name, title, badge }) => (
          <BaseTabs.Tab key={name} value={name}>
            {badge === undefined ? title : `${title} `}
            {badge !== undefined && (
              <span className="tab-badge" title={`${badge.count} ${badge.name}`}>
                {badge.count}
                <span className="hidden"> {badge.name}</span>
              </span>
            )}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map(({ name, content }) => (
        <BaseTabs.Panel
          key={name}
          className="tab-panel"
          value={name}
          keepMounted={keepsVisited && visited.includes(name)}
        >
          {content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}

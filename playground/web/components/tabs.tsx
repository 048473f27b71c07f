import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';

export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly content: ReactNode;
}

/** Tabs with arrow key navigation. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(tabs[0]?.name);
  const active = tabs.find(({ name }) => name === chosen) ?? tabs[0];

  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined || active === undefined) return;
    const next = tabs.at((tabs.indexOf(active) + step) % tabs.length);
    setChosen(next?.name);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next?.name}"]`)?.focus();
  };

  return (
    <div className="tabs">
      <div className="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            role="tab"
            data-tab={name}
            id={`${id}-${name}`}
            aria-selected={name === active?.name}
            aria-controls={`${id}-panel`}
            tabIndex={name === active?.name ? 0 : -1}
            onClick={() => setChosen(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div
        className="tab-panel"
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${active?.name}`}
        tabIndex={-1}
      >
        {active?.content}
      </div>
    </div>
  );
}

import { Combobox } from '@base-ui/react/combobox';
import { useState } from 'react';

export interface SelectChoice {
  readonly value: string;
  readonly title: string;
  /** Heading above adjacent choices of the same group. Shown for many choices. */
  readonly group?: string;
}

export interface SelectProps {
  /** With `-label`, the id of its label. */
  readonly id?: string;
  /** Accessible name without a label. */
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string;
  readonly value: string;
  readonly choices: readonly SelectChoice[];
  readonly onChange: (value: string) => void;
  /** @default false */
  readonly disabled?: boolean;
}

/** Rendered choices. The search finds the others. */
const LIMIT = 200;

/** A field that filters a list of choices while text is typed. It always has a value. */
// `lazy` requires a default export.
export default function SearchableSelect({ value, choices, onChange, disabled, ...props }: SelectProps) {
  /** The typed text. Without one, the field shows the title of the chosen item. */
  const [query, setQuery] = useState<string>();
  const titles = new Map(choices.map(choice => [choice.value, choice.title]));
  const groups = [...new Set(choices.map(({ group }) => group))].map(title => ({
    title,
    items: choices.filter(({ group }) => group === title).map(choice => choice.value),
  }));
  return (
    <Combobox.Root
      items={groups}
      value={value}
      itemToStringLabel={(one: string) => titles.get(one) ?? one}
      onValueChange={chosen => chosen !== null && onChange(chosen)}
      inputValue={query ?? titles.get(value) ?? ''}
      onInputValueChange={(text, { reason }) => {
        if (reason === 'input-change' || reason === 'input-clear') setQuery(text);
      }}
      onOpenChange={isOpen => !isOpen && setQuery(undefined)}
      autoHighlight
      limit={LIMIT}
      disabled={disabled}
    >
      <Combobox.Input
        {...props}
        // While the list is open, the library hides the rest of the page, and with it a label that is not named here.
        aria-labelledby={props.id === undefined ? undefined : `${props.id}-label`}
        className="input"
        spellCheck={false}
        // The next text replaces the title of the chosen one.
        onBlur={() => setQuery(undefined)}
        onFocus={event => event.currentTarget.select()}
        onClick={event => event.currentTarget.select()}
        onKeyDown={event => {
          // In a closed list it would delete the title.
          if (event.key === 'Escape' && event.currentTarget.ariaExpanded !== 'true')
            event.preventBaseUIHandler();
        }}
      />
      <Combobox.Portal>
        <Combobox.Positioner className="choice-position" sideOffset={4} align="start">
          <Combobox.Popup className="choice-popup">
            <Combobox.Empty>
              <p className="choice-empty">Nothing matches.</p>
            </Combobox.Empty>
            <Combobox.List>
              {({ title, items }: (typeof groups)[number]) => (
                <Combobox.Group key={title ?? ''} items={items}>
                  {title !== undefined && (
                    <Combobox.GroupLabel className="label">{title}</Combobox.GroupLabel>
                  )}
                  <Combobox.Collection>
                    {(one: string) => (
                      <Combobox.Item key={one} className="choice" value={one}>
                        {titles.get(one)}
                      </Combobox.Item>
                    )}
                  </Combobox.Collection>
                </Combobox.Group>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

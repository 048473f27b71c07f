import { Combobox } from '@base-ui/react/combobox';
import type { SelectChoice, SelectProps } from './select.js';

/** Rendered choices. The search finds the others. */
const LIMIT = 200;

/** A field that filters a list of choices while text is typed. It always has a value. */
// `lazy` requires a default export.
export default function SearchableSelect({ value, choices, onChange, disabled, ...props }: SelectProps) {
  const groups = [...new Set(choices.map(({ group }) => group))].map(title => ({
    title,
    items: choices.filter(({ group }) => group === title),
  }));
  return (
    <Combobox.Root
      items={groups}
      value={choices.find(choice => choice.value === value) ?? null}
      itemToStringLabel={({ title }: SelectChoice) => title}
      isItemEqualToValue={(one, other) => one.value === other.value}
      onValueChange={chosen => chosen !== null && onChange(chosen.value)}
      autoHighlight
      limit={LIMIT}
      disabled={disabled}
    >
      <Combobox.Input
        {...props}
        className="input"
        spellCheck={false}
        // The next text replaces the title of the chosen one.
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
            <Combobox.List className="choice-list">
              {({ title, items }: (typeof groups)[number]) => (
                <Combobox.Group key={title ?? ''} items={items}>
                  {title !== undefined && (
                    <Combobox.GroupLabel className="label">{title}</Combobox.GroupLabel>
                  )}
                  <Combobox.Collection>
                    {(choice: SelectChoice) => (
                      <Combobox.Item key={choice.value} className="choice" value={choice}>
                        {choice.title}
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

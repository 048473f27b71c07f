import { useState } from 'react';
import { Segmented } from '../ui/segmented.js';
import { applyTheme, readTheme, type Theme } from '../ui/theme.js';

/** The colours of the page, which this browser keeps. */
export function ThemeField() {
  const [theme, setTheme] = useState(readTheme);
  return (
    <Segmented<Theme>
      label="Colours"
      value={theme}
      options={[
        { value: 'system', title: 'As the system' },
        { value: 'light', title: 'Light' },
        { value: 'dark', title: 'Dark' },
      ]}
      onChange={next => {
        applyTheme(next);
        setTheme(next);
      }}
    />
  );
}

import { useState } from 'react';
import { applyTheme, readTheme, type Theme } from '../lib/theme.js';
import { Icon, type IconName } from './icon.js';

const order: Readonly<Record<Theme, { next: Theme; icon: IconName; title: string }>> = {
  system: { next: 'light', icon: 'auto', title: 'as the system has it' },
  light: { next: 'dark', icon: 'sun', title: 'light' },
  dark: { next: 'system', icon: 'moon', title: 'dark' },
};

export function ThemeToggle() {
  const [theme, setTheme] = useState(readTheme);
  const { next, icon, title } = order[theme];
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={`Colours: ${title}. Change to ${order[next].title}`}
      title={`Colours: ${title}`}
      onClick={() => {
        applyTheme(next);
        setTheme(next);
      }}
    >
      <Icon name={icon} />
    </button>
  );
}

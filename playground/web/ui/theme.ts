export type Theme = 'system' | 'light' | 'dark';

const KEY = 'theme';
const themes: readonly Theme[] = ['system', 'light', 'dark'];

export const readTheme = (): Theme => {
  const stored = localStorage.getItem(KEY);
  return themes.find(theme => theme === stored) ?? 'system';
};

export function applyTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

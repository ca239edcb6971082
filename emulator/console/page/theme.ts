/** A colour scheme, or that of the system. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'intern-emulator.theme';
const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };

/** The theme that was chosen before in this browser. */
export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Shows the page in a theme. */
export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Chooses the one after this, shows it, and keeps it for the next visit. */
export function nextTheme(theme: Theme): Theme {
  const next = NEXT[theme];
  if (next === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  showTheme(next);
  return next;
}

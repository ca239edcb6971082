import { useState } from 'preact/hooks';
import { Button } from '../ui/button.js';
import type { IconName } from '../ui/icons.js';

const KEY = 'intern-emulator.theme';

interface Row {
  readonly name: string;
  readonly icon: IconName;
  readonly next: Theme;
}
/** A colour scheme, or that of the system. */
type Theme = 'system' | 'light' | 'dark';
const THEMES: Readonly<Record<Theme, Row>> = {
  system: { name: 'as the system', icon: 'system', next: 'light' },
  light: { name: 'light', icon: 'sun', next: 'dark' },
  dark: { name: 'dark', icon: 'moon', next: 'system' },
};

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Goes from the system's colours to light to dark ones, and keeps the choice for the next visit. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(chosenTheme);
  const { name, icon, next } = THEMES[theme];
  const change = () => {
    if (next === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
    showTheme(next);
    setTheme(next);
  };
  return <Button small tone="ghost" icon={icon} label={`Colours: ${name}`} onClick={change} />;
}

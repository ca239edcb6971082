import { useState } from 'preact/hooks';
import { chosenTheme, nextTheme, type Theme } from '../theme.js';
import { Button } from '../ui/button.js';

const NAMES: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' };

/** Goes from the system's colours to light to dark ones. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <Button
      small
      tone="ghost"
      icon={theme === 'system' ? 'system' : theme === 'light' ? 'sun' : 'moon'}
      label={`Colours: ${NAMES[theme]}`}
      onClick={() => setTheme(nextTheme(theme))}
    />
  );
}

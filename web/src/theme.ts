import { store } from './api/store.ts';
import { chooseTheme, chosenTheme, markTheme, type Theme } from './chosen-theme.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');
const present = (): Theme => chosenTheme() ?? (dark.matches ? 'dark' : 'light');

export const theme = store<Theme>(present());

export function applyTheme() {
  markTheme();
  theme.set(present());
}

export function toggleTheme() {
  chooseTheme(present() === 'dark' ? 'light' : 'dark');
  applyTheme();
}

dark.addEventListener('change', applyTheme);

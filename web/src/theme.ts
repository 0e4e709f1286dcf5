import { store } from './api/store.ts';

const KEY = 'stakegraph:theme';
type Theme = 'light' | 'dark';
const dark = matchMedia('(prefers-color-scheme: dark)');
const chosen = () => localStorage.getItem(KEY) as Theme | null;
const present = (): Theme => chosen() ?? (dark.matches ? 'dark' : 'light');

export const theme = store<Theme>(present());

/** Colours follow `color-scheme` in styles.css. */
export function applyTheme() {
  const own = chosen();
  if (own) document.documentElement.dataset.theme = own;
  else delete document.documentElement.dataset.theme;
  theme.set(present());
}

export function toggleTheme() {
  localStorage.setItem(KEY, present() === 'dark' ? 'light' : 'dark');
  applyTheme();
}

dark.addEventListener('change', applyTheme);

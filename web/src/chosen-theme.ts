const KEY = 'stakegraph:theme';
export type Theme = 'light' | 'dark';

export const chosenTheme = () => localStorage.getItem(KEY) as Theme | null;
export const chooseTheme = (theme: Theme) => localStorage.setItem(KEY, theme);

/** Colours follow `color-scheme` in styles.css. */
export function markTheme() {
  const own = chosenTheme();
  if (own) document.documentElement.dataset.theme = own;
  else delete document.documentElement.dataset.theme;
}

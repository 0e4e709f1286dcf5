/** The texts of a source, of which titles of tests are some. */
const TEXT = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g;
/** What `it.each` and template strings put a value for. */
const VALUE = /%[sdifjo#]|\$\{[^}]*\}|\$[a-z]\w*(?:\.\w+)*/gi;

/** Finds the title of a test as it is written in its file, without the values of `it.each`. */
export function titlesIn(source: string): { of(name: string): string; has(title: string): boolean } {
  const texts = [...source.matchAll(TEXT)].map((match) =>
    (match[1] ?? match[2] ?? match[3] ?? '').replace(/\\(.)/g, '$1'),
  );
  const titles = [...new Set(texts)]
    .filter((text) => /\w{2}/.test(text.replace(VALUE, '')))
    .sort((a, b) => b.replace(VALUE, '').length - a.replace(VALUE, '').length)
    .map((text) => {
      const parts = text.split(VALUE).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      return { text, pattern: new RegExp(`^${parts.join('.*')}$`, 's') };
    });
  return {
    of(name) {
      return titles.find(({ pattern }) => pattern.test(name))?.text ?? name;
    },
    has: (title) => texts.includes(title),
  };
}

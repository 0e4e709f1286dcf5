export const slug = (title: string) => title.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/** Saves a file that is named after what it shows. */
export function save(title: string, kind: string, blob: Blob) {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: url, download: `${slug(title)}.${kind}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

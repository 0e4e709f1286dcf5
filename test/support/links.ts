import { posix } from 'node:path';

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
/** Those of the headings, and those that `<a id="…">` names. */
const anchorsOf = (text: string) =>
  [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$|^<a id="([^"]+)"><\/a>$/gm)].map(
    ([, heading, id]) => id ?? anchorOf(heading as string),
  );

/** Relative links of a Markdown page to a missing file or heading. `read` throws for a missing file. */
export function brokenLinks(page: string, read: (path: string) => string): string[] {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string);
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [file, anchor] = link.split('#') as [string, string?];
    const path = file ? posix.join(posix.dirname(page), file) : page;
    try {
      const text = read(path);
      return anchor !== undefined && !anchorsOf(text).includes(anchor);
    } catch {
      return true;
    }
  });
}

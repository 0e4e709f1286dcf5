/** Undefined if `JSON.parse` may have lost digits or a repeated key. */
export function exactly(text: string): unknown {
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === withoutSpaces(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Texts, and the spaces between values. */
const TEXTS_OR_SPACES = /("[^"\\]*(?:\\.[^"\\]*)*")|[ \t\r\n]+/g;

/** Most writers put each value on a line, or spaces after commas and colons. */
function withoutSpaces(text: string): string {
  if (text.includes('\n')) return text.replaceAll(TEXTS_OR_SPACES, '$1');
  return text.includes('": ')
    ? text.replaceAll('": ', '":').replaceAll(', "', ',"').replaceAll('}, {', '},{')
    : text;
}

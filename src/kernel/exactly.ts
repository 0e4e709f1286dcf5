/** Undefined if `JSON.parse` may have lost digits or a repeated key. */
export function exactly(text: string): unknown {
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === withoutSpaces(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Some writers put spaces after commas and colons. */
const withoutSpaces = (text: string) =>
  text.includes('": ')
    ? text.replaceAll('": ', '":').replaceAll(', "', ',"').replaceAll('}, {', '},{')
    : text;

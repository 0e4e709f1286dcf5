import { isLosslessNumber, parse } from 'lossless-json';

/** `path` is a jq path; `text` is true for JSON inside a string. */
type Found = { fields: number; path: string; text: boolean };

const MAX_DEPTH = 12;
const MAX_KEYS = 8;

const member = (at: string, key: string) => {
  if (!/^[A-Za-z_]\w*$/.test(key)) return `${at || '.'}[${JSON.stringify(key)}]`;
  return at.endsWith('.') ? at + key : `${at}.${key}`;
};
const hasMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !isLosslessNumber(value);

function jsonText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function bestIn(value: unknown, known: ReadonlySet<string>, at = '', text = false, depth = 0): Found {
  const own = hasMembers(value) && !Array.isArray(value) ? Object.keys(value) : [];
  let best: Found = { fields: own.filter((key) => known.has(key)).length, path: at || '.', text };
  const look = (inner: unknown, path: string, isText = text) => {
    if (depth >= MAX_DEPTH) return;
    const found = bestIn(inner, known, path, isText, depth + 1);
    if (found.fields > best.fields) best = found;
  };
  if (Array.isArray(value)) look(value[0], `${at || '.'}[]`);
  else if (hasMembers(value)) {
    for (const key of own) look(value[key], member(at, key));
  } else if (typeof value === 'string') {
    const parsed = jsonText(value);
    if (parsed !== undefined) look(parsed, `${at} | fromjson | .`, true);
  }
  return best;
}

/** Describes a value that is not a row, such as a wrapper. */
export function unlikeRow(value: unknown, resource: string, fields: readonly string[]): string | undefined {
  if (!hasMembers(value) || Array.isArray(value)) return undefined;
  const keys = Object.keys(value);
  const own = keys.filter((key) => fields.includes(key)).length;
  const best = bestIn(value, new Set(fields));
  const most = keys.slice(0, MAX_KEYS).map((key) => key.slice(0, 40));
  const keyList = `${most.join(', ')}${keys.length > most.length ? ', …' : ''}`;
  if (best.fields > Math.max(own, 1)) {
    const looks = best.text
      ? 'a capture with its body as text'
      : hasMembers(value.data)
        ? 'a GraphQL response, or a row in a wrapper'
        : 'rows in a wrapper';
    return `looks like ${looks} (its keys are ${keyList}); load its rows with: jq -c '${best.path}' FILE | stakegraph import ${resource} -`;
  }
  if (own > 0 || keys.length === 0) return undefined;
  return `has no field of ${resource}: its keys are ${keyList}; accepted are REST bodies, rows as JSON or NDJSON, and CSV with the fields as header`;
}

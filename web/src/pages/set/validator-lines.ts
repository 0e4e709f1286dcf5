/** How the mutations name a validator. */
export type ValidatorBy = { index: number } | { pubkey: string };

export type Entry = { by: ValidatorBy; key: string; line: number };
export type WrongLine = { line: number; text: string; why: string };

const LARGEST_INDEX = 2 ** 31 - 1;
const PUBKEY = /^(?:0x)?([0-9a-f]{96})$/i;

function reasonOf(text: string): string {
  if (/^\d+$/.test(text)) return 'is too large for an index';
  const digits = text.replace(/^0x/i, '');
  if (/^[0-9a-f]+$/i.test(digits) && digits.length > 9)
    return `has ${digits.length} hexadecimal digits; a public key has 96`;
  return 'is neither an index nor a public key';
}

function byOf(text: string): ValidatorBy | undefined {
  if (/^\d+$/.test(text)) return Number(text) <= LARGEST_INDEX ? { index: Number(text) } : undefined;
  const [, digits] = PUBKEY.exec(text) ?? [];
  return digits ? { pubkey: `0x${digits.toLowerCase()}` } : undefined;
}

/** Indices and public keys of a text, separated by line ends, commas, semicolons or spaces. */
export function readLines(text: string) {
  const entries = new Map<string, Entry>();
  const wrong: WrongLine[] = [];
  let repeated = 0;
  for (const [at, content] of text.split('\n').entries())
    for (const word of content.split(/[\s,;"']+/).filter(Boolean)) {
      const by = byOf(word);
      const line = at + 1;
      if (!by) {
        wrong.push({ line, text: word, why: reasonOf(word) });
        continue;
      }
      const key = String(Object.values(by)[0]);
      if (entries.has(key)) repeated++;
      else entries.set(key, { by, key, line });
    }
  return { entries: [...entries.values()], wrong, repeated };
}

/** The text without some of its lines. */
export const withoutLines = (text: string, lines: Set<number>) =>
  text
    .split('\n')
    .filter((_, at) => !lines.has(at + 1))
    .join('\n');

import { hash, randomBytes } from 'node:crypto';
import type { Fault } from '../kernel/refusal.ts';

/**
 * A token is `sgt_`, 256 random bits in base64url and six characters of checksum. The checksum tells a mistyped token
 * from an unknown one in the log; it is no secret and proves nothing.
 */
const PREFIX = 'sgt_';
const CHECK_LENGTH = 6;

const checksum = (body: string) => hash('sha256', PREFIX + body, 'base64url').slice(0, CHECK_LENGTH);

/** A new token. Shown once; only its hash is kept. */
export function newToken(): string {
  const body = randomBytes(32).toString('base64url');
  return PREFIX + body + checksum(body);
}

/** Whether the text has the form of a token of ours, checksum included. */
export function isWellFormed(token: string): boolean {
  const match = /^sgt_([\w-]{43})([\w-]{6})$/.exec(token);
  return match !== null && checksum(match[1] as string) === match[2];
}

/** A token within a longer text, whatever its checksum: a mistyped one is nearly a secret. */
export const TOKEN_IN_TEXT = /sgt_[\w-]{40,}/;

const TOKENS_IN_TEXT = new RegExp(TOKEN_IN_TEXT, 'g');

/** A text without the tokens in it. */
export const withoutTokens = (text: string): string => text.replace(TOKENS_IN_TEXT, 'sgt_…');

/** A fault as it may be told: it quotes what was sent, which may be a token in a wrong place, also as a name. */
export const shownFault = ({ loc, msg, type }: Fault): Fault => ({
  loc: loc.map((part) => (typeof part === 'string' ? withoutTokens(part) : part)),
  msg: withoutTokens(msg),
  type,
});

/** What is stored of a token, in hexadecimal digits: 256 random bits need no salt and no slow hash. */
export const tokenHash = (token: string): string => hash('sha256', token, 'hex');

/** What may be shown of a token to tell it from others. */
export const tokenPrefix = (token: string): string => token.slice(0, PREFIX.length + 6);

import { hash, randomBytes } from 'node:crypto';
import type { Fault } from '../kernel/refusal.ts';

/** A token is `sgt_`, 256 random bits in base64url, and a checksum that reveals mistyped tokens. */
const PREFIX = 'sgt_';
const CHECK_LENGTH = 6;

const checksum = (body: string) => hash('sha256', PREFIX + body, 'base64url').slice(0, CHECK_LENGTH);

export function newToken(): string {
  const body = randomBytes(32).toString('base64url');
  return PREFIX + body + checksum(body);
}

export function isWellFormed(token: string): boolean {
  const match = /^sgt_([\w-]{43})([\w-]{6})$/.exec(token);
  return match !== null && checksum(match[1] as string) === match[2];
}

/** Also matches tokens with a wrong checksum, because a mistyped token reveals most of the real one. */
export const TOKEN_IN_TEXT = /sgt_[\w-]{40,}/;

const TOKENS_IN_TEXT = new RegExp(TOKEN_IN_TEXT, 'g');

export const withoutTokens = (text: string): string => text.replace(TOKENS_IN_TEXT, 'sgt_…');

/** Hides tokens, because faults quote the request. */
export const shownFault = ({ loc, msg, type }: Fault): Fault => ({
  loc: loc.map((part) => (typeof part === 'string' ? withoutTokens(part) : part)),
  msg: withoutTokens(msg),
  type,
});

/** 256 random bits need no salt and no slow hash. */
export const tokenHash = (token: string): string => hash('sha256', token, 'hex');

export const tokenPrefix = (token: string): string => token.slice(0, PREFIX.length + 6);

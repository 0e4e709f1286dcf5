import type { Logger } from 'pino';
import { AUDIT_CHANNEL, notifiedEntry } from '../db/audit.ts';
import { listen } from '../db/changes/listen.ts';
import type { Queryable } from '../db/pool.ts';
import { withDeadline } from '../kernel/deadline.ts';
import { serialize } from '../kernel/serialize.ts';
import type { Caller } from './caller.ts';
import { allowanceOf, type TierLimits, tierSets } from './tiers.ts';
import { isWellFormed, tokenHash, withoutTokens } from './token-format.ts';
import { type ActiveToken, activeTokens, noteUse, TOKENS_CHANNEL } from './tokens.ts';

const RELOAD_MS = 10_000;
const FLUSH_MS = 30_000;

export type TokenDirectory = {
  /** Finds tokens by hash, so that the duration reveals nothing about valid tokens. */
  find(authorization: string | undefined, now: Date): Caller | undefined;
  byId(tokenId: string, now: Date): Caller | undefined;
  stop(): Promise<void>;
};

type Known = { caller: Caller; expiresAtMs: number };

const callerOf = (token: ActiveToken, limits: TierLimits): Caller => ({
  accountId: token.accountId,
  account: token.account,
  tokenId: token.tokenId,
  tokenName: withoutTokens(token.name), // names are logged
  tier: token.tier,
  rateLimit: token.rateLimit ?? limits.rates[token.tier],
  allowance: allowanceOf(limits, token.tier, token.unitAllowance),
  setLimit: tierSets[token.tier],
});

/** Rereads tokens on NOTIFY, and every ten seconds in case NOTIFY is lost. */
export async function openDirectory(options: {
  url: string;
  db: Queryable;
  log: Logger;
  limits: TierLimits;
}): Promise<TokenDirectory> {
  const { db, log, limits } = options;
  let tokens = new Map<string, Known>();
  let ids = new Map<string, Known>();
  const uses = new Map<string, Date>();

  const read = async () => {
    try {
      const active = await withDeadline(activeTokens(db));
      tokens = new Map(
        active.map((token) => [
          token.hash,
          { caller: callerOf(token, limits), expiresAtMs: token.expiresAtMs ?? Number.POSITIVE_INFINITY },
        ]),
      );
      ids = new Map([...tokens.values()].map((known) => [known.caller.tokenId, known]));
    } catch (error) {
      log.warn({ err: error }, 'tokens could not be reread; the last known ones stay in use');
    }
  };
  // Reads run one at a time, because a late result of an older read could restore a revoked token.
  const reading = serialize(read);
  const flush = async () => {
    if (uses.size === 0) return;
    const batch = new Map(uses);
    uses.clear();
    await noteUse(db, batch).catch((error) => {
      for (const [tokenId, at] of batch) if (!uses.has(tokenId)) uses.set(tokenId, at);
      log.warn({ err: error }, 'last use of tokens could not be stored; will retry');
    });
  };

  // Every role of the database may send notifications, so the entry is read from the table.
  const logEntry = async (payload: string) => {
    const entry = await notifiedEntry(db, payload).catch((error) => {
      log.warn({ err: error }, 'an entry of the audit log could not be read');
      return null;
    });
    if (entry) log.info({ audit: JSON.parse(withoutTokens(entry)) }, 'audit');
    else if (entry === undefined)
      log.warn({ channel: AUDIT_CHANNEL }, 'a notification is not of an entry of the audit log');
  };

  let logging = Promise.resolve();
  await reading.run();
  const listener = listen(options.url, [TOKENS_CHANNEL, AUDIT_CHANNEL], (notification) => {
    // One after the other, so that the log keeps the order of the entries.
    if (notification?.channel === AUDIT_CHANNEL)
      logging = logging.then(() => logEntry(notification.payload ?? ''));
    else void reading.run();
  });
  const timers = [
    setInterval(() => void reading.run(), RELOAD_MS),
    setInterval(() => void flush(), FLUSH_MS),
  ];
  for (const timer of timers) timer.unref();

  return {
    find(authorization, now) {
      const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
      const token = tokens.get(tokenHash(given));
      if (!token || token.expiresAtMs <= now.getTime()) {
        const typo = !isWellFormed(given);
        log.debug({ reason: token ? 'expired' : typo ? 'malformed' : 'unknown' }, 'token refused');
        return undefined;
      }
      uses.set(token.caller.tokenId, now);
      return token.caller;
    },
    byId(tokenId, now) {
      const token = ids.get(tokenId);
      return token && token.expiresAtMs > now.getTime() ? token.caller : undefined;
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all([listener.stop(), reading.stop()]);
      await logging;
      await flush();
    },
  };
}

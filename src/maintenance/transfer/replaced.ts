import type pg from 'pg';
import { listed, type Table } from './catalog.ts';

export type Token = { id: string; name: string };

/** What replacing all data must neither lose nor change silently. */
export type Replaced = {
  /** Adds those entries of the replaced audit log that the loaded one lacks, with new ids. */
  keepEntries(): Promise<void>;
  /** Tokens that became valid. */
  revivedTokens(): Promise<Token[]>;
};

export async function replacedOf(client: pg.ClientBase, tables: Table[]): Promise<Replaced> {
  const log = tables.find(({ name }) => name === 'audit_log');
  if (log) await client.query('create temp table replaced_entries on commit drop as table audit_log');
  const before = await tokensOf(client, tables);
  return {
    async keepEntries() {
      if (!log) return;
      const columns = listed(log.columns.filter((name) => name !== 'entry_id'));
      await client.query(
        `/* keepEntries */ insert into audit_log (${columns})
        select ${columns} from replaced_entries r
        where not exists (select from audit_log a where a.entry_id = r.entry_id and a.at = r.at)
        order by entry_id`,
      );
    },
    async revivedTokens() {
      if (before.length === 0) return [];
      const valid = new Set(before.filter((token) => token.valid).map(({ id }) => id));
      const after = await tokensOf(client, tables);
      return after
        .filter((token) => token.valid && !valid.has(token.id))
        .map(({ id, name }) => ({ id, name }));
    },
  };
}

async function tokensOf(client: pg.ClientBase, tables: Table[]): Promise<(Token & { valid: boolean })[]> {
  if (!tables.some(({ name }) => name === 'tokens')) return [];
  const { rows } = await client.query(
    `/* validTokens */ select token_id::text as id, name,
      revoked_at is null and (expires_at is null or expires_at > now()) as valid
    from tokens order by created_at, token_id`,
  );
  return rows;
}

import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';
import { dropFacts } from './kept-facts.ts';
import { firstOpenEpoch } from './periods.ts';
import { RECORD_VERSION } from './record.ts';

type Marker = { first: number; epoch: number; version: number };

/** Throws if another process has written since `known`. */
export async function takeMarker(
  client: pg.ClientBase,
  network: Network,
  known: number | null,
  epoch: number,
): Promise<Marker | undefined> {
  const { rows } = await client.query<Marker>(
    `/* indexMarker */ select first_epoch as first, epoch, version from index_state where network = $1`,
    [network],
  );
  const [marker] = rows;
  if (known === null) return marker;
  if (marker?.epoch !== known)
    throw new Error(
      `Another process indexes ${network}: the newest epoch is ${marker?.epoch ?? 'gone'}, not ${known}. Stop one of the two.`,
    );
  if (epoch !== known && epoch !== known + 1)
    throw new Error(`Epoch ${epoch} of ${network} does not follow epoch ${known}.`);
  return marker;
}

/** Also removes records before a gap. Returns the first remaining epoch. */
export async function storeRecord(
  client: pg.ClientBase,
  network: Network,
  epoch: number,
  { record, changes }: { record: Buffer; changes: Buffer },
  marker: Marker | undefined,
): Promise<number> {
  const first = (await followsOn(client, network, epoch, marker)) && marker ? marker.first : epoch;
  await client.query(
    `/* dropOther */
    delete from index_epochs where network = $1 and (epoch < $2 or epoch >= $3)`,
    [network, first, epoch],
  );
  await client.query(
    '/* storeRecord */ insert into index_epochs (network, epoch, facts, effective_changes) values ($1, $2, $3, $4)',
    [network, epoch, record, changes],
  );
  return first;
}

async function followsOn(client: pg.ClientBase, network: Network, epoch: number, marker: Marker | undefined) {
  if (!marker || marker.version !== RECORD_VERSION) return false;
  if (epoch <= marker.first || epoch > marker.epoch + 1) return false;
  const from = Math.max(marker.first, firstOpenEpoch(network, epoch - 1));
  const { rows } = await client.query<{ stored: number }>(
    `/* openRecords */
    select count(*)::int as stored from index_epochs where network = $1 and epoch >= $2 and epoch < $3`,
    [network, from, epoch],
  );
  return rows[0]?.stored === epoch - from;
}

export async function setMarker(
  client: pg.ClientBase,
  network: Network,
  { first, epoch, genesisRoot }: Pick<Marker, 'first' | 'epoch'> & { genesisRoot: string | null },
  state: Buffer,
): Promise<void> {
  await client.query(
    `/* setMarker */
    insert into index_state as i
      (network, first_epoch, epoch, state, version, written_at, genesis_validators_root)
    values ($1, $2, $3, $4, $5, now(), $6)
    on conflict (network) do update
      set (first_epoch, epoch, state, version, written_at, genesis_validators_root)
        = (excluded.first_epoch, excluded.epoch, excluded.state, excluded.version, excluded.written_at,
          coalesce(excluded.genesis_validators_root, i.genesis_validators_root))`,
    [network, first, epoch, state, RECORD_VERSION, genesisRoot],
  );
  await client.query(
    `/* growRange */
    with inside as (
      select from index_ranges where network = $1 and $2 between first_epoch and last_epoch
    ), above as (
      delete from index_ranges where network = $1 and first_epoch = $2 + 1 and not exists (select from inside)
      returning last_epoch
    ), joined as (
      select coalesce((select last_epoch from above), $2) as last_epoch
    ), grown as (
      update index_ranges r set last_epoch = j.last_epoch from joined j
      where r.network = $1 and r.last_epoch = $2 - 1 and not exists (select from inside)
      returning 1
    )
    insert into index_ranges (network, first_epoch, last_epoch)
    select $1, $2, last_epoch from joined where not exists (select from inside) and not exists (select from grown)`,
    [network, epoch],
  );
  await dropFacts(client, network, { first, epoch });
}

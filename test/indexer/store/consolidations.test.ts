import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/indexer/store/index.ts';
import { createDatabase } from '../../support/gateway.ts';
import { chance, type Made, madeFacts, madeRegistry, savedAs } from './made-facts.ts';
import { NETWORK, query } from './rows.ts';

const EPOCH = 2_300;
const made: Made = { size: 700, owners: 12 };
const ETH = 1_000_000_000;

it('consolidations of each epoch leave the totals and lists of entities that a whole computation gives', async () => {
  const { pool, drop } = await createDatabase('empty');
  onTestFinished(drop);
  const store = openStore(pool, NETWORK);
  await store.resume();
  await store.setLabels([
    ...Array.from({ length: 3 }, (_, at) => ({
      ...{ validatorPubkey: null, validatorIndex: null, firstIndex: at * 100, lastIndex: at * 100 + 60 },
      ...{
        withdrawalAddress: null,
        depositAddress: null,
        nodeOperator: `N${at}`,
        pool: at ? 'P' : null,
        line: at,
      },
    })),
  ]);
  for (const [nth, count] of [0, 130, 1, 60, 0, 9].entries()) {
    const facts = madeFacts(made, EPOCH + nth, EPOCH);
    const consolidations = Array.from({ length: count }, (_, at) => ({
      ...{ source: nth * 130 + at, target: 660 + chance(20, nth, at), epoch: EPOCH + nth },
      amount: (32 + chance(9, nth, at)) * ETH,
    }));
    const fitting = consolidations.filter(({ source }) => source < 650);
    await store.write({ ...facts, consolidations: fitting }, savedAs('x'), madeRegistry(made));
  }
  const entity = 'e.id_type, e.operator_id, e.share_of';
  const totals = () =>
    Promise.all(
      [
        `select to_jsonb(e) - 'entity' as row from consolidation_entities e order by ${entity}`,
        `select ${entity}, to_jsonb(c) - 'entity' as row from entity_consolidations c
          join consolidation_entities e using (entity) order by ${entity}, c.source_index`,
        `select ${entity}, to_jsonb(s) - 'entity' as row from consolidation_epochs s
          join consolidation_entities e using (entity) order by ${entity}, s.epoch`,
      ].map(async (text) => (await query(pool, text)).rows),
    );
  const stored = await totals();
  for (const rows of stored) expect(rows.length).toBeGreaterThan(10);
  for (const table of ['consolidation_entities', 'entity_consolidations', 'consolidation_epochs'])
    await query(pool, `delete from ${table}`);
  await query(pool, 'select store_consolidation_totals($1)', [NETWORK]);
  expect(await totals()).toEqual(stored);
});

it('labels that change later change the totals of entities, and the revision of validators', async () => {
  const { pool, drop } = await createDatabase('empty');
  onTestFinished(drop);
  const store = openStore(pool, NETWORK);
  const consolidations = [{ source: 3, target: 9, epoch: EPOCH, amount: 32 * ETH }];
  const facts = madeFacts({ size: 20 }, EPOCH);
  await store.write({ ...facts, consolidations }, savedAs('x'), madeRegistry({ size: 20 }));
  const revision = async () =>
    (await query(pool, `select revision::int from datasets where name = 'validators'`)).rows[0]
      ?.revision as number;
  const before = await revision();
  const rule = { validatorPubkey: null, firstIndex: null, lastIndex: null, withdrawalAddress: null };
  const rules = [{ ...rule, depositAddress: null, validatorIndex: 3, nodeOperator: 'N', pool: 'P', line: 1 }];
  expect(await store.setLabels(rules)).toBe(1);
  const { rows } = await query(
    pool,
    `select id_type, operator_id, share_of, consolidation_count as n from consolidation_entities
    where id_type in ('nodeOperator', 'pool', 'poolShare') and consolidation_count > 0 order by id_type`,
  );
  expect(rows).toEqual([
    { id_type: 'nodeOperator', operator_id: 'N', share_of: '', n: 1 },
    { id_type: 'pool', operator_id: 'P', share_of: '', n: 1 },
    { id_type: 'poolShare', operator_id: 'N', share_of: 'P', n: 1 },
  ]);
  expect(await revision()).toBe(before + 1);
  expect(await store.setLabels(rules)).toBe(0);
  expect(await revision()).toBe(before + 1);
});

import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import { idOfTag, normaliseId, type OperatorTag } from '../../resources/operators/record.ts';
import type { Fault } from '../importer/importer.ts';
import { isLiquidStakingPool } from './liquid-staking.ts';

export type Parents = { poolId: string | null; nodeOperatorId: string | null };

type Tag = Pick<OperatorTag, 'name'> & Partial<OperatorTag>;
type Tagged = { idType: string; operatorTags: readonly Tag[] };

/** `none` means neither `cex` nor `lst`, even if tags or name suggest one. */
const importedPoolTypes = ['cex', 'lst', 'none'] as const;
type ImportedPoolType = (typeof importedPoolTypes)[number];

export function parentsByTags(tags: readonly Tag[]): Parents {
  const idOf = (idType: string) => {
    const tag = tags.find((one) => one.idType === idType);
    return tag ? idOfTag(tag) : null;
  };
  return { poolId: idOf('pool'), nodeOperatorId: idOf('nodeOperator') };
}

export function parentsOf(row: Tagged & Parents): Parents {
  if (row.idType !== 'poolShare') return { poolId: null, nodeOperatorId: null };
  const byTags = parentsByTags(row.operatorTags);
  const normal = (id: string | null) => (id === null ? null : normaliseId(id));
  return {
    poolId: normal(row.poolId ?? byTags.poolId),
    nodeOperatorId: normal(row.nodeOperatorId ?? byTags.nodeOperatorId),
  };
}

const Id = Leaf.text(256).min(1);

export function parentFaults(row: Tagged & Parents): Fault[] {
  if (row.idType !== 'poolShare') return [];
  return Object.entries(parentsOf(row))
    .filter(([, id]) => id !== null && !Id.safeParse(id).success)
    .map(([name]) => ['operatorTags', `have an invalid ${name}; an id has 1 to 256 characters`]);
}

export function poolTypeFaults(row: { idType: string; poolType: ImportedPoolType | null }): Fault[] {
  if (row.poolType === null || row.idType === 'pool') return [];
  return [['poolType', `is only for pools; leave it out of a row of ${row.idType}`]];
}

export const ImportedPoolType = z.enum(importedPoolTypes).nullable();

const exchangeTags = new Set(['exchange', 'cex']);
const liquidTags = new Set(
  ['', ' token', ' derivative', ' pool', ' protocol']
    .map((more) => `liquid staking${more}`)
    .concat('lst', 'lsd'),
);

export function poolTypeByTags(tags: readonly Tag[]): 'cex' | 'lst' | null {
  const names = tags.map((tag) => tag.name.toLowerCase().replace(/[\s_-]+/g, ' '));
  if (names.some((name) => exchangeTags.has(name))) return 'cex';
  return names.some((name) => liquidTags.has(name)) ? 'lst' : null;
}

/** The type of a share follows from its pool's name, and is used only while that pool is not stored. */
export function poolTypeOf(
  row: Tagged & Parents & { id: string; poolType: ImportedPoolType | null },
): 'cex' | 'lst' | null {
  const byName = (name: string | null) => (name !== null && isLiquidStakingPool(name) ? 'lst' : null);
  if (row.idType === 'poolShare') return byName(parentsOf(row).poolId);
  if (row.idType !== 'pool' || row.poolType === 'none') return null;
  return row.poolType ?? poolTypeByTags(row.operatorTags) ?? byName(row.id);
}

export const tagShown = ({ name, path, idType }: Tag): OperatorTag => ({
  name,
  path: path ?? null,
  idType: idType ?? null,
});

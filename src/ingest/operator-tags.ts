import { z } from 'zod';
import { text } from '../kernel/leaves.ts';
import { normaliseId, type OperatorTag } from '../resources/operators/record.ts';
import { isLiquidStakingPool } from './liquid-staking.ts';

/** Whose a pool share is. */
export type Parents = { poolId: string | null; nodeOperatorId: string | null };

type Tag = Pick<OperatorTag, 'name'> & Partial<OperatorTag>;
type Tagged = { idType: string; operatorTags: readonly Tag[] };

/** The kinds of pool that an import may name: `none` says that it is neither, whatever its tags and its name are. */
const toldPoolTypes = ['cex', 'lst', 'none'] as const;
type ToldPoolType = (typeof toldPoolTypes)[number];

/** The id in a path `/o/<id>`, percent-decoded; as it stands where that is no percent-encoding. Undefined for other paths. */
function idInPath(path: string | null | undefined): string | undefined {
  const id = path?.startsWith('/o/') ? path.slice('/o/'.length) : '';
  if (id === '') return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/**
 * Whose a pool share is by its tags: a pool's tag has its id in `name`, a node operator's in `path`, where `name` is a label
 * ("Tags" in the decisions). A tag of a node operator with another path, or none, can only mean its name.
 */
export function parentsByTags(tags: readonly Tag[]): Parents {
  const tagged = (idType: string) => tags.find((tag) => tag.idType === idType);
  const operator = tagged('nodeOperator');
  return {
    poolId: tagged('pool')?.name ?? null,
    nodeOperatorId: (operator && (idInPath(operator.path) ?? operator.name)) ?? null,
  };
}

/** Whose a pool share is: told outright, or by its tags. Nobody's for other classes. */
export function parentsOf(row: Tagged & Parents): Parents {
  if (row.idType !== 'poolShare') return { poolId: null, nodeOperatorId: null };
  const told = parentsByTags(row.operatorTags);
  const normal = (id: string | null) => (id === null ? null : normaliseId(id));
  return {
    poolId: normal(row.poolId ?? told.poolId),
    nodeOperatorId: normal(row.nodeOperatorId ?? told.nodeOperatorId),
  };
}

const Id = text(256).min(1);

/** Refuses parents in tags that cannot be ids. */
export function checkParents(row: Tagged & Parents, context: z.RefinementCtx): void {
  for (const [name, id] of Object.entries(parentsOf(row))) {
    if (id === null || Id.safeParse(id).success) continue;
    const message = `name a ${name} that is no id of 1 to 256 characters`;
    context.addIssue({ code: 'custom', path: ['operatorTags'], message });
  }
}

/** Refuses the kind of a pool for what is none. */
export function checkPoolType(
  row: { idType: string; poolType: ToldPoolType | null },
  context: z.RefinementCtx,
): void {
  if (row.poolType === null || row.idType === 'pool') return;
  const message = `is of pools; leave it out of a row of ${row.idType}`;
  context.addIssue({ code: 'custom', path: ['poolType'], message });
}

export const ToldPoolType = z.enum(toldPoolTypes).nullable();

const exchangeTags = new Set(['exchange', 'cex']);
const liquidTags = new Set(
  ['', ' token', ' derivative', ' pool', ' protocol']
    .map((more) => `liquid staking${more}`)
    .concat('lst', 'lsd'),
);

/** `cex` where a tag says exchange, `lst` where one says liquid staking (decisions on operators). */
export function poolTypeByTags(tags: readonly Tag[]): 'cex' | 'lst' | null {
  const names = tags.map((tag) => tag.name.toLowerCase().replace(/[\s_-]+/g, ' '));
  if (names.some((name) => exchangeTags.has(name))) return 'cex';
  return names.some((name) => liquidTags.has(name)) ? 'lst' : null;
}

/**
 * The kind of a pool by itself: as told, else by its tags, else by its name where that is known for liquid staking. Of a
 * pool share, by the name of its pool, which counts while that is not stored.
 */
export function poolTypeOf(
  row: Tagged & Parents & { id: string; poolType: ToldPoolType | null },
): 'cex' | 'lst' | null {
  const byName = (name: string | null) => (name !== null && isLiquidStakingPool(name) ? 'lst' : null);
  if (row.idType === 'poolShare') return byName(parentsOf(row).poolId);
  if (row.idType !== 'pool' || row.poolType === 'none') return null;
  return row.poolType ?? poolTypeByTags(row.operatorTags) ?? byName(row.id);
}

/** A tag as it is stored and shown, with its keys in their order. */
export const tagShown = ({ name, path, idType }: Tag): OperatorTag => ({
  name,
  path: path ?? null,
  idType: idType ?? null,
});

import type { operatorsQuery } from '../../__generated__/operatorsQuery.graphql';
import { count } from '../../parts/format.ts';
import { total } from '../../parts/sums.ts';

type Data = operatorsQuery['response'];

const nameOf = (idType: string) => (idType === 'POOL' ? 'in no pool' : 'without a node operator');

/** Figures of the network less those of all its pools; undefined unless all of these are known and of the same days. */
function restOf({ operators, largest, networkOverview: all }: Data) {
  const rows = (largest?.nodes ?? []).map(({ summary }) => summary);
  const isOfSameDays = operators?.nodes.every(({ summary }) => summary?.asOf?.epoch === all?.endEpoch);
  if (!all || !isOfSameDays || rows.length === 0 || rows.length !== operators?.totalCount) return undefined;
  const sums = rows.map((row) => ({
    validators: row?.validatorCount,
    missed: row?.missedProposalCount,
    due: row?.proposerDutyCount,
  }));
  const less = (of: string | number | null | undefined, field: 'validators' | 'missed' | 'due') =>
    of == null || sums.some((row) => row[field] == null)
      ? undefined
      : BigInt(of) - BigInt(total(sums, (row) => String(row[field])));
  const { missedProposalCount: missed, proposedCount: proposed } = all;
  const rest = {
    validators: less(all.validatorCount, 'validators'),
    missed: less(missed, 'missed'),
    due: less(missed == null || proposed == null ? null : String(BigInt(missed) + BigInt(proposed)), 'due'),
  };
  const { validators, missed: lost, due } = rest;
  // Imported figures of operators may count a validator for two pools.
  if (validators === undefined || lost === undefined || due === undefined) return undefined;
  return validators < 0n || lost < 0n || lost > due
    ? undefined
    : { validators, lost, due, of: all.validatorCount };
}

/** Which validators are in no row of the list, and how many blocks they missed. */
export function restText(data: Data, idType: string): string {
  if (idType !== 'POOL' && idType !== 'NODE_OPERATOR') return '';
  const rest = restOf(data);
  return rest
    ? `Validators in no pool are in no row: ${count(rest.validators)} of all ${count(rest.of)}, which missed ${count(rest.lost)} of ${count(rest.due)} blocks.`
    : `Validators ${nameOf(idType)} are in no row.`;
}

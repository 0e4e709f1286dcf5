// placeholder until the generator lands
import type { Network } from '../chain/networks.ts';
import type { OperatorSummary } from '../resources/operators/record.ts';
import type { Slashing } from '../resources/slashings/record.ts';
export type SampleOperator = OperatorSummary & { network: Network; poolId?: string; nodeOperatorId?: string };
export type SampleSlashing = Slashing & { network: Network };
export function* sampleOperators(): Generator<SampleOperator> {}
export function* sampleSlashings(): Generator<SampleSlashing> {}

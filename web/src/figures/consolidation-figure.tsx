import { useMemo } from 'react';
import { graphql } from 'react-relay';
import type { consolidationFigure_consolidation$data } from '../__generated__/consolidationFigure_consolidation.graphql';
import type { Network } from '../url/network.ts';
import { gweiColumn, timeColumn, validatorColumn } from './columns.tsx';
import { PagedFigure } from './paged-figure.tsx';
import type { Column } from './table.tsx';

graphql`
  fragment consolidationFigure_consolidation on Consolidation {
    id
    timestamp
    sourceValidatorIndex
    targetValidatorIndex
    consolidatedBalance
  }
`;

type Consolidation = Omit<consolidationFigure_consolidation$data, ' $fragmentType'>;

const columnsOf = (network?: Network): Column<Consolidation>[] => [
  timeColumn(({ timestamp }) => timestamp),
  validatorColumn('From', (row) => row.sourceValidatorIndex, network ? { network } : {}),
  validatorColumn('To', (row) => row.targetValidatorIndex, network ? { network } : {}),
  gweiColumn('Moved', (row) => row.consolidatedBalance),
];

/** Consolidations of an operator or a set. `network` is that of the links, the present one by default. */
export function ConsolidationFigure(props: {
  of: Parameters<typeof PagedFigure<Consolidation>>[0]['of'];
  note: string;
  list: string;
  network?: Network;
}) {
  const { of, note, list, network } = props;
  const columns = useMemo(() => columnsOf(network), [network]);
  return (
    <PagedFigure
      title="Consolidations"
      note={note}
      columns={columns}
      of={of}
      label="consolidations"
      list={list}
      empty="None of its validators was consolidated in this range."
    />
  );
}

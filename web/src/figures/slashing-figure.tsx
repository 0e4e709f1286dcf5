import { useMemo } from 'react';
import { graphql } from 'react-relay';
import type { slashingFigure_slashing$data } from '../__generated__/slashingFigure_slashing.graphql';
import type { Network } from '../url/network.ts';
import { dateColumn, gweiColumn, numberColumn, validatorColumn } from './columns.tsx';
import { PagedFigure } from './paged-figure.tsx';
import type { Column } from './table.tsx';

graphql`
  fragment slashingFigure_slashing on Slashing {
    id
    date
    slashingEpoch
    validatorIndex
    slashingPenalties
  }
`;

type Slashing = Omit<slashingFigure_slashing$data, ' $fragmentType'>;

const columnsOf = (network?: Network): Column<Slashing>[] => [
  dateColumn(({ date }) => date),
  numberColumn('Epoch', (row) => row.slashingEpoch),
  validatorColumn('Validator', (row) => row.validatorIndex, network ? { network } : {}),
  gweiColumn('Penalties', (row) => row.slashingPenalties),
];

/** Slashings of an operator or a set. `network` is that of the links, the present one by default. */
export function SlashingFigure(props: {
  of: Parameters<typeof PagedFigure<Slashing>>[0]['of'];
  note: string;
  list: string;
  network?: Network;
}) {
  const { of, note, list, network } = props;
  const columns = useMemo(() => columnsOf(network), [network]);
  return (
    <PagedFigure
      title="Slashings"
      note={note}
      columns={columns}
      of={of}
      label="slashings"
      list={list}
      empty="None of its validators was slashed in this range."
    />
  );
}

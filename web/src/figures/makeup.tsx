import { graphql } from 'react-relay';
import type { makeup_summary$data } from '../__generated__/makeup_summary.graphql';
import { ratio } from '../parts/format.ts';
import { Share } from '../parts/share.tsx';
import { Figure } from './figure.tsx';
import type { Column } from './table.tsx';

type Summary = Partial<Omit<makeup_summary$data, ' $fragmentType'>>;
type Part = { name: string; ratio: number };
const shareColumns = (head: string): Column<Part>[] => [
  { head, value: ({ name }) => name },
  {
    head: 'Share',
    csv: 'Share (0–1)',
    value: (row) => row.ratio,
    show: (row) => <Share value={row.ratio} text={ratio(row.ratio)} />,
    numeric: true,
  },
];

const clientColumns = shareColumns('Client');
const relayColumns = shareColumns('Relay');

graphql`
  fragment makeup_summary on OperatorSummary {
    clientPercentages {
      client
      ratio
    }
    relayerPercentages {
      relayer
      ratio
    }
  }
`;

/** Clients and relays of an operator or a set. */
export function Makeup({ summary }: { summary: Summary | null | undefined }) {
  const clients = (summary?.clientPercentages ?? []).map(({ client, ratio }) => ({
    id: client,
    name: client,
    ratio,
  }));
  const relays = (summary?.relayerPercentages ?? []).map(({ relayer, ratio }) => ({
    id: relayer,
    name: relayer,
    ratio,
  }));
  const unknown = [
    clients.length === 0 && 'client of a validator',
    relays.length === 0 && 'relay of its blocks',
  ]
    .filter(Boolean)
    .join(' and no ');
  return (
    <>
      {clients.length > 0 && (
        <Figure
          title="Clients"
          parts={[summary?.clientPercentages]}
          note="Consensus clients, by share of the validators."
          columns={clientColumns}
          rows={clients}
        />
      )}
      {relays.length > 0 && (
        <Figure
          title="Relays"
          parts={[summary?.relayerPercentages]}
          note="Relays of its blocks, by share of the blocks."
          columns={relayColumns}
          rows={relays}
        />
      )}
      {unknown && <p className="hint">{`No ${unknown} is known.`}</p>}
    </>
  );
}

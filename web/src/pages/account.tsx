import { graphql } from 'react-relay';
import type { accountQuery } from '../__generated__/accountQuery.graphql';
import { type Request, requests } from '../api/environment.ts';
import { Figure } from '../figures/figure.tsx';
import type { Column } from '../figures/table.tsx';
import { page } from '../page.tsx';
import { ago, count, momentUtc, ratio } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { Share } from '../parts/share.tsx';
import { Tile, Tiles } from '../parts/tiles.tsx';

const query = graphql`
  query accountQuery {
    viewer {
      account
      tier
      rateLimit {
        remaining
        requestsPerSecond
      }
      usage {
        period
        requests
        resetsAt
        unitsAllowed
        unitsRemaining
        unitsUsed
      }
    }
  }
`;

type Data = accountQuery['response'];
type Usage = Data['viewer']['usage'];

const tiers = {
  FREE: 'Free',
  STARTER: 'Starter',
  BUILD: 'Build',
  GROWTH: 'Growth',
  ENTERPRISE: 'Enterprise',
};
const periods = { MONTH: 'this month (UTC)', LIFE: 'in the life of the account' };
const PARTS = 10_000n;

/** The quotient of two whole numbers, for a bar and a percentage. */
const share = (part: string, of: string) =>
  BigInt(of) === 0n ? 1 : Number((BigInt(part) * PARTS) / BigInt(of)) / Number(PARTS);

const columns: Column<Request>[] = [
  { head: 'View', value: ({ view }) => view, show: ({ view }) => <code>{view}</code> },
  { head: 'Query', value: ({ name }) => name },
  {
    head: 'Time (UTC)',
    value: ({ time }) => time,
    show: ({ time }) => (
      <time dateTime={time} title={ago(time)}>
        {momentUtc(time)}
      </time>
    ),
  },
  {
    head: 'Units',
    value: ({ charged }) => charged,
    show: ({ charged }) => count(charged),
    numeric: true,
  },
];

function Allowance({ usage }: { usage: Usage }) {
  const { period, unitsUsed, unitsAllowed, unitsRemaining, resetsAt } = usage;
  if (unitsAllowed == null) return null;
  const used = share(unitsUsed, unitsAllowed);
  return (
    <section className="figure allowance" aria-labelledby="allowance">
      <h2 id="allowance">Allowance</h2>
      <p>
        {count(unitsUsed)} of {count(unitsAllowed)} units were used {periods[period]}; {count(unitsRemaining)}{' '}
        are left.
        {resetsAt && ` The next period begins ${momentUtc(resetsAt)}.`}
      </p>
      <Share value={used} text={ratio(used)} />
    </section>
  );
}

function View({ data }: { data: Data }) {
  const { account, tier, rateLimit, usage } = data.viewer;
  const { period, unitsUsed, unitsAllowed, unitsRemaining, resetsAt, requests: answered } = usage;
  const sent = requests.use();
  const cost = sent.reduce((sum, { charged }) => sum + charged, 0);
  return (
    <>
      <Heading title="Account" about={`The token belongs to the account ${account}.`} />
      <Tiles>
        <Tile label="Tier">{tiers[tier]}</Tile>
        <Tile
          label="Rate"
          {...(rateLimit && { unit: 'requests a second' })}
          note={rateLimit ? `${count(rateLimit.remaining)} left in this second` : 'no limit for this account'}
        >
          {rateLimit ? count(rateLimit.requestsPerSecond) : 'No limit'}
        </Tile>
        <Tile label="Units used" note={`${periods[period]}, by ${count(answered)} requests`}>
          {count(unitsUsed)}
        </Tile>
        <Tile
          label="Units left"
          note={resetsAt ? `until ${momentUtc(resetsAt)}` : 'of the allowance of the account'}
        >
          {unitsAllowed == null ? 'No limit' : count(unitsRemaining)}
        </Tile>
        <Tile label="Units of this session" note="since this tab was loaded">
          {count(cost)}
        </Tile>
      </Tiles>
      <Allowance usage={usage} />
      <Figure
        title="What the views of this session cost"
        note="Every query that this tab sent since it was loaded, newest first, in compute units."
        columns={columns}
        rows={sent}
        empty="No query was sent yet."
      />
    </>
  );
}

export default page<accountQuery>({ query, variables: () => ({}), View, fresh: true });

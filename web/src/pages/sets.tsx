import { useRef, useState } from 'react';
import { graphql } from 'react-relay';
import { Link, useNavigate } from 'react-router';
import type { setsQuery } from '../__generated__/setsQuery.graphql';
import { Figure } from '../figures/figure.tsx';
import type { Column } from '../figures/table.tsx';
import { page } from '../page.tsx';
import { ago, calendarDate, count, momentUtc } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { Pager } from '../parts/pager.tsx';
import { paths } from '../url/links.ts';
import { pageOf } from '../url/url-state.ts';
import { useHref, useNetwork } from '../url/use-network.ts';
import { type Counts, type Send, told } from './set/batches.ts';
import { addValidators, createSet } from './set/private-sets.ts';
import { ValidatorsForm } from './set/validators-form.tsx';

const query = graphql`
  query setsQuery($network: Network!, $first: Int, $after: String, $last: Int, $before: String) {
    privateSets(network: $network, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
      nodes {
        id
        setId
        name
        createdAt
        createdBy
        updatedAt
        validators(first: 1) {
          totalCount
        }
      }
    }
  }
`;

type Data = setsQuery['response'];
type PrivateSet = NonNullable<Data['privateSets']>['nodes'][number];

const PAGE_SIZE = 50;

function SetLink({ setId, children }: { setId: string; children: string }) {
  const href = useHref();
  return <Link to={href(paths.set(setId))}>{children}</Link>;
}

const day = (value: string) => (
  <time dateTime={value} title={`${momentUtc(value)}, ${ago(value)}`}>
    {calendarDate(value.slice(0, 10))}
  </time>
);

const columns: Column<PrivateSet>[] = [
  {
    head: 'Name',
    value: ({ name }) => name,
    show: ({ setId, name }) => <SetLink setId={setId}>{name}</SetLink>,
  },
  {
    head: 'Validators',
    value: ({ validators }) => validators?.totalCount,
    show: ({ validators }) => count(validators?.totalCount),
    numeric: true,
  },
  { head: 'Changed (UTC)', value: ({ updatedAt }) => updatedAt, show: ({ updatedAt }) => day(updatedAt) },
  {
    head: 'Created (UTC)',
    value: ({ createdAt }) => createdAt,
    show: ({ createdAt }) => day(createdAt),
  },
  { head: 'By token', value: ({ createdBy }) => createdBy },
];

/** A set is made with its first validators, so that none is made when one of them is wrong. */
function NewSet() {
  const network = useNetwork();
  const navigate = useNavigate();
  const href = useHref();
  const [name, setName] = useState('');
  const made = useRef<string>(undefined);
  const send: Send = async (validators, waits) => {
    if (made.current) return addValidators(made.current, validators, waits);
    const { setId, refused } = await createSet({ name, network, validators }, waits);
    made.current = setId;
    return refused;
  };
  const tell = (counts: Counts) => {
    if (made.current) return `The set was made. ${told(counts, 'added')}`;
    return counts.unknown > 0
      ? 'It is not known whether the set was made: look for it in the list before you make it again.'
      : 'The set was not made.';
  };
  const onDone = async () => {
    if (made.current) await navigate(href(paths.set(made.current)));
  };
  return (
    <section className="figure" aria-labelledby="new-set">
      <h2 id="new-set">New set</h2>
      <ValidatorsForm
        label="Validators"
        action={(validators) => (validators ? `Make a set of ${validators}` : 'Make an empty set')}
        send={send}
        tell={tell}
        onDone={onDone}
        optional
      >
        <label htmlFor="set-name">Name</label>
        <input
          id="set-name"
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </ValidatorsForm>
    </section>
  );
}

function View({ data }: { data: Data }) {
  const { nodes = [], totalCount = 0, pageInfo } = data.privateSets ?? {};
  const network = useNetwork().toLowerCase();
  return (
    <>
      <Heading
        title="My sets"
        about={`Validators of ${network} that your account has put together. Other accounts do not see them.`}
      />
      <div className="beside">
        <Figure
          title="Sets"
          columns={columns}
          rows={nodes}
          empty={`Your account has no set of validators of ${network} yet. Make the first one here.`}
        >
          {pageInfo && totalCount > PAGE_SIZE && <Pager info={pageInfo} total={totalCount} label="sets" />}
        </Figure>
        <NewSet />
      </div>
    </>
  );
}

export default page<setsQuery>({
  query,
  variables: ({ network, search }) => ({ network, ...pageOf(search, PAGE_SIZE) }),
  View,
});

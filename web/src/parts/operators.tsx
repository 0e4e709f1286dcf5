import { paths, slugOf } from '../url/links.ts';
import { ChangeLink } from './controls.tsx';
import { ratio, shortHex } from './format.ts';
import { PageLink } from './page-links.tsx';

/** The classes that have lists, as the URL names them. */
export const classNames = {
  pool: 'Pools',
  'node-operator': 'Node operators',
  'pool-share': 'Pool shares',
  'deposit-address': 'Deposit addresses',
  'withdrawal-address': 'Withdrawal addresses',
};

type Named = {
  readonly idType: string;
  readonly operatorId: string;
  readonly displayName?: string | null | undefined;
};

export const fullNameOf = ({ displayName, operatorId }: Named) => displayName ?? operatorId;

export const nameOf = ({ displayName, operatorId }: Named) =>
  displayName ?? (operatorId.startsWith('0x') ? shortHex(operatorId) : operatorId);

/** What REST and the tags call a pool share: its operator within its pool. */
export const longNameOf = (operator: Named) =>
  operator.idType === 'POOL_SHARE' ? operator.operatorId : nameOf(operator);

/** `params` are those of the page of the operator, such as the range of the figure beside the link. */
export const OperatorLink = (props: {
  operator: Named;
  name?: string;
  params?: Readonly<Record<string, string>>;
}) => {
  const { operator, name, params = {} } = props;
  return (
    <PageLink to={`${paths.operator(operator.idType, operator.operatorId)}?${new URLSearchParams(params)}`}>
      <span title={operator.operatorId}>{name ?? longNameOf(operator)}</span>
    </PageLink>
  );
};

/** Links with full names, beside each other. */
export const OperatorLinks = ({ operators }: { operators: readonly Named[] }) =>
  operators.length === 0
    ? '–'
    : operators.map((operator, index) => (
        <span key={`${operator.idType} ${operator.operatorId}`}>
          {index > 0 && ', '}
          <OperatorLink operator={operator} name={fullNameOf(operator)} />
        </span>
      ));

/** The operators by which people know a validator: its node operator and pool, else its addresses. */
export function knownBy<T extends Named>(operators: readonly T[]): readonly T[] {
  const named = operators.filter(({ idType }) => idType === 'NODE_OPERATOR' || idType === 'POOL');
  return named.length > 0 ? named : operators.slice(0, 1);
}

/** The tags of an operator that say more than its class. */
export const labelsOf = <Tag extends { readonly name: string }>(idType: string, tags: readonly Tag[]) =>
  tags.filter(({ name }) => name !== slugOf(idType));

const SHOWN_TAGS = 2;

/** Links that show only operators with the tag; a row has room for some. */
export function Tags({ names }: { names: readonly string[] }) {
  const hidden = names.slice(SHOWN_TAGS);
  return (
    <span className="chips">
      {names.slice(0, SHOWN_TAGS).map((name) => (
        <ChangeLink key={name} className="chip" changes={{ tag: name }}>
          {name}
        </ChangeLink>
      ))}
      {hidden.length > 0 && <span title={hidden.join(', ')}>+{hidden.length}</span>}
    </span>
  );
}

/** A mean of the validators of a summary; without validators it is stored as 0, but nothing was measured. */
export const measured = (
  of: { readonly validatorCount?: number } | null | undefined,
  mean: number | null | undefined,
) => (mean === 0 && of?.validatorCount === 0 ? null : mean);

/** A ratio of the network with as many digits as small operators need. */
export const stakeShare = (value: number | null | undefined) =>
  ratio(value, value != null && value < 0.001 ? 4 : 2);

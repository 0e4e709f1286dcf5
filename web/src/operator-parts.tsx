import { ratio, shortHex } from './format.ts';
import { paths } from './links.ts';
import { ChangeLink, PageLink } from './parts.tsx';

/** The classes that have lists, as the URL names them. */
export const classNames = {
  pool: 'Pools',
  'node-operator': 'Node operators',
  'pool-share': 'Pool shares',
  'deposit-address': 'Deposit addresses',
  'withdrawal-address': 'Withdrawal addresses',
};

export type Named = { operatorId: string; displayName?: string | null | undefined; idType: string };

export const nameOf = ({ displayName, operatorId }: Named) =>
  displayName ?? (operatorId.startsWith('0x') ? shortHex(operatorId) : operatorId);

/** What REST and the tags call a pool share: its operator within its pool. */
export const longNameOf = (operator: Named) =>
  operator.idType === 'POOL_SHARE' ? operator.operatorId : nameOf(operator);

export const OperatorLink = ({ operator, name }: { operator: Named; name?: string }) => (
  <PageLink to={paths.operator(operator.idType, operator.operatorId)}>
    <span title={operator.operatorId}>{name ?? longNameOf(operator)}</span>
  </PageLink>
);

/** Links that show only operators with the tag. */
export const Tags = ({ names }: { names: readonly string[] }) => (
  <span className="chips">
    {names.map((name) => (
      <ChangeLink key={name} className="chip" changes={{ tag: name }}>
        {name}
      </ChangeLink>
    ))}
  </span>
);

/** A ratio of the network with as many digits as small operators need. */
export const stakeShare = (value: number | null | undefined) =>
  ratio(value, value != null && value < 0.001 ? 4 : 2);

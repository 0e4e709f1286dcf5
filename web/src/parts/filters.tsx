import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { Failure } from '../api/failure.ts';
import { idTypeOf } from '../url/links.ts';
import { oneOf, param, text } from '../url/url-state.ts';
import { ChangeLink } from './controls.tsx';

/** Classes that validators belong to, as in addresses. */
export const classNames = {
  pool: 'Pool',
  'node-operator': 'Node operator',
  'deposit-address': 'Deposit address',
  'withdrawal-address': 'Withdrawal address',
};
export type ClassSlug = keyof typeof classNames;
export const classes = oneOf('class', Object.keys(classNames) as ClassSlug[], 'pool');
export const operatorName = text('operator');
export const classOf = (slug: ClassSlug) => idTypeOf(slug);

export const sizes = oneOf('size', ['20', '50', '100', '200'], '20');

/** The operator that the URL names, as the schema takes it. */
export function operatorOf(search: URLSearchParams) {
  const operatorId = operatorName.read(search);
  return operatorId ? { operatorId, idType: idTypeOf(classes.read(search)) } : undefined;
}

/** Variables that ask whether the operator that the URL names is stored. */
export function askedOf(search: URLSearchParams) {
  const operator = operatorOf(search);
  return {
    operatorId: operator?.operatorId ?? '',
    operatorClass: operator?.idType ?? 'POOL',
    hasOperator: operator !== undefined,
  } as const;
}

/** Says that no operator has the name in the URL, given whether it was found. */
export function unknownOperator(search: URLSearchParams, found: unknown): string | undefined {
  const operator = operatorOf(search);
  if (!operator || found) return undefined;
  const name = classNames[classes.read(search)].toLowerCase();
  return `No ${name} has “${operator.operatorId}” in its name.`;
}

const isIndex = (given: string) => /^\d{1,9}$/.test(given);
const isKey = (given: string) => /^0x[0-9a-f]{96}$/i.test(given);

export const validator = (name: string) =>
  param(
    name,
    '',
    (given) => (isIndex(given) || isKey(given) ? given : undefined),
    'the index or the public key of a validator',
  );

/** The validator that a text names, as the schema takes it. */
export function validatorOf(given: string) {
  if (isIndex(given)) return { index: Number(given) };
  if (isKey(given)) return { pubkey: given };
  throw new Failure('input', `${given} is neither the index nor the public key of a validator.`);
}

/** A row of inputs, with a link that removes what they say. */
export function Filters({ names, children }: { names: readonly string[]; children: ReactNode }) {
  const [search] = useSearchParams();
  const isSet = names.some((name) => search.has(name));
  return (
    <search className="filters">
      {children}
      {isSet && (
        <ChangeLink changes={Object.fromEntries(names.map((name) => [name, undefined]))}>Clear</ChangeLink>
      )}
    </search>
  );
}

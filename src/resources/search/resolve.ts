import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { loadBlock } from '../blocks/loaders.ts';
import type { IdType } from '../operators/record.ts';
import { loadValidator } from '../validators/loaders.ts';
import {
  addressesByBeginning,
  authoritiesByBeginning,
  type NameRow,
  namedKinds,
  namesByBeginning,
  namesBySimilarity,
  setsByBeginning,
  slotsByHash,
  validatorsByBeginning,
} from './queries.ts';
import { meaningOf, type SearchKind, type SearchMatch } from './record.ts';

export type Target =
  | { type: 'operator'; network: Network; idType: IdType; id: string }
  | { type: 'validator'; network: Network; validatorIndex: number }
  | { type: 'block'; network: Network; slot: number }
  | { type: 'stakeAuthority'; id: string }
  | { type: 'privateSet'; id: string };

export type Hit = {
  kind: SearchKind;
  text: string;
  matched: SearchMatch;
  score: number;
  size: number;
  target: Target;
};

export type Search = { text: string; kinds: readonly SearchKind[]; network: Network; first: number };

const EXACT = 1;
/** Less than the beginning of a word in a name (0.8), more than a similar name (at most 0.7). */
const BEGINNING_OF_KEY = 0.75;
const scoreOfKey = (key: string, given: string) => (key === given ? EXACT : BEGINNING_OF_KEY);

export async function search(ctx: Context, query: Search): Promise<Hit[]> {
  const { number, hex, base58 } = meaningOf(query.text);
  const wanted = new Set(query.kinds);
  const found = await Promise.all([
    byName(ctx, query, wanted),
    wanted.has('operator') && hex && hex.length <= 42 ? byAddress(ctx, query, hex) : [],
    wanted.has('validator') && number !== undefined ? byIndex(ctx, query, number) : [],
    wanted.has('validator') && hex ? byPublicKey(ctx, query, hex) : [],
    wanted.has('block') && number !== undefined ? bySlot(ctx, query, number) : [],
    wanted.has('block') && hex?.length === 66 ? byHash(ctx, query, hex) : [],
    wanted.has('stakeAuthority') && base58 ? byAuthority(ctx, query, base58) : [],
    wanted.has('privateSet') ? byOwnName(ctx, query) : [],
  ]);
  const hits = found.flat();
  return hits.sort((a, b) => b.score - a.score || b.size - a.size).slice(0, query.first);
}

const MIN_SIMILAR = 3;

async function byName(ctx: Context, search: Search, wanted: ReadonlySet<SearchKind>): Promise<Hit[]> {
  const kinds = namedKinds.filter((kind) => wanted.has(kind));
  if (kinds.length === 0) return [];
  const { network, text, first } = search;
  const names = { kinds, network, text, most: first };
  const found = await namesByBeginning(ctx.db, names);
  const hits = found.map((row) => namedHit(row, network, 'name'));
  if (found.length >= first || [...text].length < MIN_SIMILAR) return hits;
  const known = new Set(found.map(nameKey));
  for (const row of await namesBySimilarity(ctx.db, names)) {
    if (known.has(nameKey(row))) continue;
    known.add(nameKey(row));
    hits.push(namedHit(row, network, 'similarName'));
  }
  return hits;
}

const nameKey = ({ kind, idType, id }: NameRow) => `${kind} ${kind === 'tag' ? '' : idType} ${id}`;

function namedHit(row: NameRow, network: Network, matched: SearchMatch): Hit {
  const { kind, name: text, score, size } = row;
  const target: Target =
    kind === 'stakeAuthority'
      ? { type: 'stakeAuthority', id: row.id }
      : { type: 'operator', network, idType: row.idType as IdType, id: row.taggedId ?? row.id };
  return { kind, text, matched, score, size, target };
}

async function byAddress(ctx: Context, { network, first }: Search, hex: string): Promise<Hit[]> {
  const found = await addressesByBeginning(ctx.db, network, hex, first);
  return found.map(({ id, idType, size }) => {
    const target: Target = { type: 'operator', network, idType, id };
    return { kind: 'operator', text: id, matched: 'address', score: scoreOfKey(id, hex), size, target };
  });
}

async function byIndex(ctx: Context, { network }: Search, validatorIndex: number): Promise<Hit[]> {
  const found = await loadValidator(ctx, { network, validatorIndex });
  const target: Target = { type: 'validator', network, validatorIndex };
  const text = String(validatorIndex);
  return found ? [{ kind: 'validator', text, matched: 'index', score: EXACT, size: 0, target }] : [];
}

async function byPublicKey(ctx: Context, { network, first }: Search, hex: string): Promise<Hit[]> {
  const found = await validatorsByBeginning(ctx.db, network, hex, first);
  return found.map(({ validatorIndex, validatorPubkey: text }) => {
    const target: Target = { type: 'validator', network, validatorIndex };
    return { kind: 'validator', text, matched: 'publicKey', score: scoreOfKey(text, hex), size: 0, target };
  });
}

async function bySlot(ctx: Context, { network }: Search, slot: number): Promise<Hit[]> {
  const found = await loadBlock(ctx, { network, slot }, []);
  const target: Target = { type: 'block', network, slot };
  return found ? [{ kind: 'block', text: String(slot), matched: 'slot', score: EXACT, size: 0, target }] : [];
}

async function byHash(ctx: Context, { network }: Search, text: string): Promise<Hit[]> {
  const found = await slotsByHash(ctx.db, network, text);
  return found.map(({ slot }) => {
    const target: Target = { type: 'block', network, slot };
    return { kind: 'block', text, matched: 'blockHash', score: EXACT, size: 0, target };
  });
}

async function byAuthority(ctx: Context, { first }: Search, base58: string): Promise<Hit[]> {
  const found = await authoritiesByBeginning(ctx.db, base58, first);
  return found.map(({ id, size }) => {
    const target: Target = { type: 'stakeAuthority', id };
    return {
      kind: 'stakeAuthority',
      text: id,
      matched: 'address',
      score: scoreOfKey(id, base58),
      size,
      target,
    };
  });
}

async function byOwnName(ctx: Context, { network, text, first }: Search): Promise<Hit[]> {
  const found = await setsByBeginning(ctx.primary, ctx.caller.accountId, network, text, first);
  return found.map(({ id, name, score }) => {
    const target: Target = { type: 'privateSet', id };
    return { kind: 'privateSet', text: name, matched: 'name', score, size: 0, target };
  });
}

import { attestationsOf } from '../attestations/graphql.ts';
import { figuresOf } from '../figures/graphql.ts';
import { setFigures } from '../figures/resolve.ts';
import { PrivateSet } from '../tags/graphql.ts';
import type { TagRow } from '../tags/loaders.ts';

const keyOf = (set: TagRow) => ({ network: set.network, idType: 'privateSet' as const, id: set.id });

figuresOf(PrivateSet, keyOf, setFigures, {
  also: (name) => `REST: GET /v1/eth/sets/{id}/${name}.`,
  sorted: true,
});

attestationsOf(PrivateSet, keyOf, 'Attestation duties over time. REST: GET /v1/eth/sets/{id}/attestations.');

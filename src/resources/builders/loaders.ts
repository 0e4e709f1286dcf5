import { rowReader } from '../../db/batch/readers.ts';
import { type BuilderKey, buildersByPubkey } from './queries.ts';

/** Public keys must be in lower case. */
export const loadBuilder = rowReader({
  keyOf: ({ network, pubkey }: BuilderKey) => `${network}:${pubkey}`,
  load: buildersByPubkey,
});

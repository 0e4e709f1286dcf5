import { privateListReader, privateTotalReader } from '../../db/batch/loaders.ts';
import { listReader, rowReader, totalReader } from '../../db/batch/readers.ts';
import { storedEpochs, storedReader } from '../../db/batch/stored.ts';
import { sql } from '../../db/rows.ts';
import { operatorIdText } from '../operators/loaders.ts';
import type { SetKey } from '../private-sets/set-days.ts';
import { pubkeyText, validatorKeyText } from '../validators/loaders.ts';
import {
  operatorSlashingPages,
  operatorSlashingTotals,
  setSlashingPages,
  setSlashingTotals,
  slashingsByPubkey,
  slashingsByValidator,
} from './queries.ts';

export const loadSlashing = rowReader({ keyOf: validatorKeyText, load: slashingsByValidator });

/** Epochs that an index has processed, or that stored rows have. */
export const loadStoredSlashingEpochs = storedReader({
  statement: 'storedSlashingEpochs',
  ends: () => storedEpochs(sql`s.slashing_epoch`, sql`slashings s where s.network = k.network`),
});

/** Public keys must be in lower case. */
export const loadSlashingByPubkey = rowReader({ keyOf: pubkeyText, load: slashingsByPubkey });

export const loadOperatorSlashings = listReader({
  keyOf: operatorIdText,
  load: operatorSlashingPages,
});

export const loadOperatorSlashingTotal = totalReader({
  keyOf: operatorIdText,
  load: operatorSlashingTotals,
});

const setText = ({ id }: SetKey) => id;

export const loadSetSlashings = privateListReader({
  name: 'slashingsOfSet',
  keyOf: setText,
  load: setSlashingPages,
});

export const loadSetSlashingTotal = privateTotalReader({
  name: 'setSlashingTotal',
  keyOf: setText,
  load: setSlashingTotals,
});

import type { ObjectRef } from '@pothos/core';
import type { z } from 'zod';
import { builder, type Schema } from '../../graphql/schema/builder.ts';
import { sizesText } from '../../graphql/schema/connection.ts';
import { capitalized } from '../../kernel/names.ts';
import { periodType } from '../../periods/graphql.ts';
import { PERIODS_SIZES } from '../../periods/params.ts';
import { Operator, operatorOfPeriod } from '../operators/graphql.ts';
import type { OperatorId } from '../operators/loaders.ts';
import { ValidatorType } from '../validators/graphql.ts';
import type { FigureName, Figures } from './loaders.ts';
import { EffectivenessRecord, PayloadRecord, RewardRecord } from './record.ts';
import { operatorFigures, type ReadFigures, storedFigures, validatorFigures } from './resolve.ts';

const figureType = <Name extends FigureName>(
  name: Name,
  type: string,
  record: z.ZodObject,
  figures: string,
  list = figures,
) => {
  const periods = periodType<never, Figures[Name]>(type, record, {
    description: `${figures} of an operator, private set or validator over a period.`,
    list: `${list} over time`,
    cursors: name,
    operator: operatorOfPeriod,
  });
  return { ...periods, list };
};

const types = {
  effectiveness: figureType(
    'effectiveness',
    'EffectivenessRecord',
    EffectivenessRecord,
    'Effectiveness',
    'Effectiveness of the validators',
  ),
  proposals: figureType('proposals', 'ProposalRecord', PayloadRecord, 'Block proposals'),
  rewards: figureType('rewards', 'RewardRecord', RewardRecord, 'Rewards'),
};
const figureNames = Object.keys(types) as FigureName[];

export function figuresOf<Row>(
  owner: ObjectRef<Schema, Row, Row>,
  keyOf: (row: Row) => OperatorId,
  readFigures: ReadFigures<Row>,
  { also }: { also: (name: FigureName) => string },
) {
  for (const name of figureNames) {
    const { pages, list, args, read } = types[name];
    builder.objectField(owner, name, (t) =>
      pages(t, {
        extensions: { operation: `listSet${capitalized(name)}` },
        description: `${list} over time. ${sizesText(PERIODS_SIZES)} ${also(name)}`,
        args,
        resolve: (row, given, ctx, info) =>
          read(keyOf(row), given, info, {
            read: (...page) => readFigures(ctx, row, name, ...page) as never,
            stored: (query) => storedFigures(ctx, keyOf(row), query),
          }) as never,
      }),
    );
  }
}

figuresOf(Operator, (row) => row, operatorFigures, {
  also: () =>
    'Computed from days of validators: empty where only published figures are stored, and for the class ENTITY.',
});

figuresOf(
  ValidatorType,
  ({ network, validatorIndex }) => ({ network, idType: 'validator', id: String(validatorIndex) }),
  validatorFigures,
  { also: () => 'From the stored days of the validator.' },
);

import type { ObjectRef } from '@pothos/core';
import type { z } from 'zod';
import { builder, type Schema } from '../../graphql/schema/builder.ts';
import { sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { capitalized } from '../../kernel/names.ts';
import {
  type OwnedPeriod,
  periodArgs,
  periodFields,
  periodLists,
  recordIsNoNode,
} from '../../periods/graphql.ts';
import { PERIODS_SIZES } from '../../periods/params.ts';
import type { EntityKey } from '../../periods/sources.ts';
import { addOperator } from '../attestations/graphql.ts';
import { Operator } from '../operators/graphql.ts';
import { ValidatorType } from '../validators/graphql.ts';
import type { FigureName, Figures } from './loaders.ts';
import { EffectivenessRecord, PayloadRecord, RewardRecord } from './record.ts';
import { operatorFigures, type ReadFigures, storedFigures, validatorFigures } from './resolve.ts';

function figureType<Name extends FigureName>(
  type: string,
  record: z.ZodObject,
  { list, description }: { list: string; description: string },
) {
  const ref = builder.objectRef<OwnedPeriod<Figures[Name]>>(type).implement({
    description: `${description} ${recordIsNoNode}`,
    fields: (t) => periodFields(t, type, record) as never,
  });
  addOperator(ref);
  return {
    type,
    record,
    list,
    pages: pagesOf(ref, { name: type, row: 'A period', list: `${list} over time`, stored: 'date' }),
    args: periodArgs(type, record),
  };
}

const types = {
  effectiveness: figureType<'effectiveness'>('EffectivenessRecord', EffectivenessRecord, {
    list: 'Effectiveness of the validators',
    description: 'Effectiveness of an operator, private set or validator over a period.',
  }),
  proposals: figureType<'proposals'>('ProposalRecord', PayloadRecord, {
    list: 'Block proposals',
    description: 'Block proposals of an operator, private set or validator over a period.',
  }),
  rewards: figureType<'rewards'>('RewardRecord', RewardRecord, {
    list: 'Rewards',
    description: 'Rewards of an operator, private set or validator over a period.',
  }),
};
const figureNames = Object.keys(types) as FigureName[];

export function figuresOf<Row>(
  owner: ObjectRef<Schema, Row, Row>,
  keyOf: (row: Row) => EntityKey,
  read: ReadFigures<Row>,
  { also }: { also: (name: FigureName) => string },
) {
  for (const name of figureNames) {
    const { pages, list, record, args } = types[name];
    const lists = periodLists<never, never>(name, record);
    builder.objectField(owner, name, (t) =>
      pages(t, {
        extensions: { operation: `listSet${capitalized(name)}` },
        description: `${list} over time. ${sizesText(PERIODS_SIZES)} ${also(name)}`,
        args,
        resolve: (row, given, ctx, info) =>
          lists(keyOf(row), given, info, {
            read: (...page) => read(ctx, row, name, ...page) as never,
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

import { memberClasses, type OperatorScope } from '../../db/operator-members.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { enumName } from '../../graphql/schema/enums.ts';
import { textFault } from '../../kernel/params.ts';
import { badInput } from '../../kernel/refusal.ts';
import { IdTypeEnum } from './graphql.ts';
import { type IdType, normaliseId } from './record.ts';

const classes = memberClasses.map(enumName).join(', ');

export const OperatorBy = builder.inputType('OperatorBy', {
  description: 'An operator of a class that validators belong to.',
  fields: (t) => ({
    operatorId: t.string({ required: true, description: 'Name or address of the operator.' }),
    idType: t.field({
      type: IdTypeEnum,
      required: true,
      description: `Class of the operator: ${classes}.`,
    }),
  }),
});

/** Throws BAD_INPUT for a malformed id and for an `idType` outside `memberClasses`. */
export function readOperatorBy(
  by: { operatorId: string; idType: IdType } | null | undefined,
  path: string,
): OperatorScope | null {
  if (by == null) return null;
  const refused = (name: string, msg: string) =>
    badInput([{ loc: ['argument', ...path.split('.'), name], msg, type: 'value_error' }]);
  const idType = memberClasses.find((known) => known === by.idType);
  if (!idType)
    throw refused('idType', `${path}.idType is ${enumName(by.idType)}; one of ${classes} is needed.`);
  const fault = textFault(by.operatorId);
  if (fault) throw refused('operatorId', `${path}.operatorId ${fault}.`);
  return { idType, id: normaliseId(by.operatorId) };
}

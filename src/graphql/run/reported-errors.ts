import {
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from './introspection.ts';
import { isSkipped, type Values } from './size-arguments.ts';

type Level = { set: SelectionSetNode; type: GraphQLNamedType };
type Path = readonly (string | number)[];
/**
 * `order` has, for each step of the path, its index among its siblings. `nullAt` is the length of the part that is
 * null.
 */
type Place = { order: number[]; nullAt: number };

/** Like graphql-js, sorts errors as in the document, and omits errors below a parent that an earlier error nulled. */
export function reportedErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Values,
  errors: readonly GraphQLError[],
): GraphQLError[] {
  const fragments = fragmentsOf(document);
  const places = new Map<string, Place>();

  function fieldsOf({ set, type }: Level): [FieldNode, GraphQLNamedType][] {
    return set.selections.flatMap((selection): [FieldNode, GraphQLNamedType][] => {
      if (isSkipped(selection, values)) return [];
      if (selection.kind === Kind.FIELD) return [[selection, type]];
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      const condition = fragment?.typeCondition?.name.value;
      const inner = condition ? schema.getType(condition) : type;
      return fragment && inner ? fieldsOf({ set: fragment.selectionSet, type: inner }) : [];
    });
  }

  function placeOf(path: Path): Place {
    const order: number[] = [];
    let nullAt = 0;
    let levels: Level[] = [{ set: operation.selectionSet, type: schema.getQueryType() as GraphQLNamedType }];
    let type: GraphQLOutputType | undefined;
    for (const [index, step] of path.entries()) {
      if (typeof step === 'number') {
        const list = type && getNullableType(type);
        type = isListType(list) ? (list.ofType as GraphQLOutputType) : undefined;
        order.push(0);
      } else {
        const fields = levels.flatMap(fieldsOf);
        const keyOf = ({ alias, name }: FieldNode) => (alias ?? name).value;
        order.push([...new Set(fields.map(([node]) => keyOf(node)))].indexOf(step));
        const own = fields.filter(([node]) => keyOf(node) === step);
        const [node, parent] = own[0] ?? [];
        type =
          node && (isObjectType(parent) || isInterfaceType(parent))
            ? parent.getFields()[node.name.value]?.type
            : undefined;
        const inner = type && getNamedType(type);
        levels = own.flatMap(([{ selectionSet: set }]) => (set && inner ? [{ set, type: inner }] : []));
      }
      if (!isNonNullType(type)) nullAt = index + 1;
    }
    return { order, nullAt };
  }

  function placed(error: GraphQLError) {
    const path: Path = error.path ?? [];
    const key = path.map((step) => (typeof step === 'number' ? '' : step)).join();
    const place = places.get(key) ?? placeOf(path);
    places.set(key, place);
    const order = place.order.map((at, index) => (typeof path[index] === 'number' ? path[index] : at));
    return { error, path, order, nullAt: place.nullAt };
  }

  const ended = new Set<string>();
  return errors
    .map(placed)
    .sort((one, other) => compare(one.order, other.order))
    .filter(({ path, nullAt }) => {
      for (let length = 0; length <= path.length; length += 1)
        if (ended.has(JSON.stringify(path.slice(0, length)))) return false;
      if (nullAt < path.length) ended.add(JSON.stringify(path.slice(0, nullAt)));
      return true;
    })
    .map(({ error }) => error);
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [index, at] of one.entries()) {
    const difference = at - (other[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

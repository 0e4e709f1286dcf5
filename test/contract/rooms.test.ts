import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, specifiedScalarTypes } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/run/schema.ts';
import { rooms, routes } from '../../src/resources/index.ts';

const folder = fileURLToPath(new URL('../../src/resources/', import.meta.url));
const folders = readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory());

describe('rooms', () => {
  it.each(folders)('%s is registered, with each of its APIs', (name) => {
    expect(Object.keys(rooms)).toContain(name);
    const index = readFileSync(join(folder, 'index.ts'), 'utf8');
    expect(index).toContain(`'./${name}/graphql.ts'`);
    // A room that the interface documents no path for has no such file, and says so in the list.
    if (existsSync(join(folder, name, 'rest.ts'))) expect(index).toContain(`'./${name}/rest.ts'`);
    else expect(rooms[name]).toEqual([]);
  });

  it.each(folders)('%s has files of the known names only, and tests of its own', (name) => {
    const known = [
      'record.ts',
      'queries.ts',
      'loaders.ts',
      'resolve.ts',
      'graphql.ts',
      'orders.ts',
      'rest.ts',
      'mutations.ts',
      'subscriptions.ts',
    ];
    if (['operators', 'stake-authorities'].includes(name)) known.push('summary.ts'); // the figures of a window
    if (name === 'validators') known.push('status.ts'); // the status follows from two epochs and the newest one
    if (name === 'operators') known.push('operator-by.ts', 'reads.ts'); // arguments that name an operator, and their cost
    if (name === 'private-sets') {
      known.push('set-days.ts'); // other rooms' figures use it
      known.push('set-figures.ts', 'set-figures-rest.ts', 'summary-loaders.ts', 'summary-queries.ts');
    }
    if (name === 'validator-ranking') known.push('sums.ts'); // what it adds up, which archived months keep
    if (name === 'network-rewards') known.push('networks'); // the records of each of its networks
    for (const file of readdirSync(join(folder, name))) expect(known).toContain(file);
    expect(existsSync(join(folder, `../../test/resources/${name}.test.ts`))).toBe(true);
  });

  it('have one route for each method of a path, and an example that belongs to it', () => {
    const asked = routes.map(({ method = 'GET', path }) => `${method} ${path}`);
    expect(new Set(asked).size).toBe(routes.length);
    for (const route of routes) {
      const pattern = new RegExp(`^${route.path.replace(/:\w+/g, '[^/?]+')}(\\?|$)`);
      expect(route.example).toMatch(pattern);
    }
  });
});

function* descriptions(): Generator<[name: string, description: string | null | undefined]> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    yield [type.name, type.description];
    const values = isEnumType(type) ? type.getValues() : [];
    for (const { name, description } of values) yield [`${type.name}.${name}`, description];
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      yield [`${type.name}.${field.name}`, field.description];
      const args = 'args' in field ? field.args : [];
      for (const { name, description } of args) yield [`${type.name}.${field.name}(${name})`, description];
    }
  }
}

describe('the GraphQL schema', () => {
  it('describes every type, field, argument and enum value', () => {
    const bare = [...descriptions()].filter(([, description]) => !description);
    expect(bare.map(([name]) => name)).toEqual([]);
  });

  it('describes each in sentences, from a capital letter or a name to a full stop', () => {
    const others = new Set(specifiedScalarTypes.map(({ name }) => name));
    const own = [...descriptions()].filter(([name]) => !others.has(name));
    expect(own.filter(([, description]) => !/^[A-Z`].*\.$/s.test(description ?? ''))).toEqual([]);
  });

  it('gives the values of an enum different descriptions', () => {
    const alike = Object.values(schema.getTypeMap()).flatMap((type) => {
      const values = isEnumType(type) ? type.getValues() : [];
      return new Set(values.map(({ description }) => description)).size < values.length ? [type.name] : [];
    });
    expect(alike).toEqual([]);
  });
});

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isEnumType, isSpecifiedScalarType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema/index.ts';
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
    ];
    if (['operators', 'stake-authorities'].includes(name)) known.push('summary.ts'); // the figures of a window
    if (name === 'private-sets') known.push('set-days.ts'); // the days of sets, which other rooms' figures use
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

describe('the GraphQL schema', () => {
  it('describes every type, field, argument and enum value', () => {
    const bare: string[] = [];
    for (const type of Object.values(schema.getTypeMap()) as any[]) {
      if (type.name.startsWith('__')) continue;
      if (!type.description) bare.push(type.name);
      for (const value of type.getValues?.() ?? [])
        if (!value.description) bare.push(`${type.name}.${value.name}`);
      for (const field of Object.values(type.getFields?.() ?? {}) as any[]) {
        if (!field.description) bare.push(`${type.name}.${field.name}`);
        for (const arg of field.args ?? []) {
          if (!arg.description) bare.push(`${type.name}.${field.name}(${arg.name})`);
        }
      }
    }
    expect(bare).toEqual([]);
  });

  it('describes each in sentences, from a capital letter or a name to a full stop', () => {
    const wrong: string[] = [];
    const check = (name: string, description: string | null | undefined) => {
      if (!/^[A-Z`].*\.$/s.test(description ?? '')) wrong.push(`${name}: ${description}`);
    };
    for (const type of Object.values(schema.getTypeMap()) as any[]) {
      if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue;
      check(type.name, type.description);
      for (const value of type.getValues?.() ?? []) check(`${type.name}.${value.name}`, value.description);
      for (const field of Object.values(type.getFields?.() ?? {}) as any[]) {
        check(`${type.name}.${field.name}`, field.description);
        for (const arg of field.args ?? []) check(`${type.name}.${field.name}(${arg.name})`, arg.description);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('gives the values of an enum different descriptions, unless it is of deprecated arguments only', () => {
    const deprecated = /Sort$/;
    const alike = Object.values(schema.getTypeMap()).flatMap((type) => {
      const values = isEnumType(type) && !deprecated.test(type.name) ? type.getValues() : [];
      return new Set(values.map(({ description }) => description)).size < values.length ? [type.name] : [];
    });
    expect(alike).toEqual([]);
  });
});

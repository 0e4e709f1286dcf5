import { z } from 'zod';
import { param } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { envelopeV1, linksV1 } from '../../kernel/envelopes.ts';
import { route } from '../../kernel/route.ts';
import { readValidatorName, type ValidatorName } from '../validators/record.ts';
import {
  MAX_VALIDATORS,
  NewSet,
  readSetId,
  SetMember,
  SetName,
  SetPubkeys,
  Tag,
  TagWithProgress,
  tagOf,
  ValidatorsAdded,
} from './record.ts';
import {
  addValidators,
  countSetMembers,
  countSets,
  createSet,
  deleteSet,
  membersOfSet,
  ownSet,
  privateSets,
  removeValidators,
  renameSet,
  SETS_SIZES,
} from './resolve.ts';

const tag = 'Tags';
const EXAMPLE = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';

export const setIdParam = () =>
  param.form(
    {
      description: 'Identifier of the tag, a UUID; the network header is ignored.',
      form: 'a UUID',
    },
    { type: 'string', format: 'uuid' },
    readSetId,
  );
const validatorParam = () =>
  param.form<ValidatorName, { description: string; form: string }>(
    { description: 'Public key or index of the validator.', form: 'a public key or an index' },
    { type: ['string', 'integer'] },
    readValidatorName,
  );

const pageQuery = z.object(param.page(SETS_SIZES));
const one = z.object({ id: setIdParam() });

const BASE = '/v1/eth/tags';

const routes = [
  route({
    path: BASE,
    operationId: 'listTags',
    tag,
    summary: 'Tags of the account',
    description: "The account's tags of the network, oldest first.",
    example: BASE,
    query: pageQuery,
    reply: envelopeV1(Tag),
    async handle(ctx: Context, { query }, call) {
      const page = await privateSets(ctx, ctx.network, { ...query, ascending: true, rowsOnly: true });
      const count = await countSets(ctx, ctx.network);
      return { body: { ...linksV1(call, { ...query, count }), results: page.rows } };
    },
  }),
  route({
    method: 'POST',
    path: BASE,
    operationId: 'createTag',
    tag,
    summary: 'Create a tag',
    description:
      'A tag groups validators of the network into a private set, whose figures only its account sees. An account has as many as its tier allows: build 4, growth 20, enterprise any number, free and starter none (403). A tag with an unknown validator is refused.',
    example: BASE,
    exampleBody: { name: 'My validators', validators: [] },
    body: NewSet,
    status: 201,
    reply: TagWithProgress,
    reads: ({ sizes, network }, { body }) => (body.validators?.length ?? 0) * sizes.days(network),
    handle: async (ctx: Context, { body }) => ({
      body: tagOf(await createSet(ctx, ctx.network, body, 'body')),
    }),
  }),
  route({
    path: `${BASE}/:id`,
    operationId: 'getTag',
    tag,
    summary: 'One tag',
    description: 'A tag of the account; 404 for a tag of another account.',
    example: `${BASE}/${EXAMPLE}`,
    params: one,
    reply: TagWithProgress,
    handle: async (ctx: Context, { params }) => ({ body: tagOf(await ownSet(ctx, params.id)) }),
  }),
  route({
    method: 'PATCH',
    path: `${BASE}/:id`,
    operationId: 'renameTag',
    tag,
    summary: 'Rename a tag',
    description: 'Renames a tag.',
    example: `${BASE}/${EXAMPLE}`,
    exampleBody: { name: 'My first validators' },
    params: one,
    body: SetName,
    reply: TagWithProgress,
    handle: async (ctx: Context, { params, body }) => ({
      body: tagOf(await renameSet(ctx, params.id, body.name)),
    }),
  }),
  route({
    method: 'DELETE',
    path: `${BASE}/:id`,
    operationId: 'deleteTag',
    tag,
    summary: 'Delete a tag',
    description: 'Deletes a tag with all figures of its set, past days included.',
    example: `${BASE}/${EXAMPLE}`,
    params: one,
    status: 204,
    reply: z.null(),
    async handle(ctx: Context, { params }) {
      await deleteSet(ctx, params.id);
      return { body: null };
    },
  }),
  route({
    path: `${BASE}/:id/validators`,
    operationId: 'listTagValidators',
    tag,
    summary: 'Validators of a tag',
    description: 'The current validators of the tag, by index.',
    example: `${BASE}/${EXAMPLE}/validators`,
    params: one,
    query: pageQuery,
    reply: envelopeV1(SetMember),
    reads: (_ctx, { query }) => query.offset,
    async handle(ctx: Context, { params, query }, call) {
      const { id } = await ownSet(ctx, params.id);
      const page = await membersOfSet(ctx, id, { ...query, ascending: true, rowsOnly: true });
      const count = await countSetMembers(ctx, id);
      return { body: { ...linksV1(call, { ...query, count }), results: page.rows } };
    },
  }),
  route({
    method: 'POST',
    path: `${BASE}/:id/validators`,
    operationId: 'addTagValidators',
    tag,
    summary: 'Add validators to a tag',
    description: `Adds validators of the tag's network, which then count on all stored days; a validator that was removed before counts from the day of its return. A tag has at most ${MAX_VALIDATORS} validators. A request with an unknown validator is refused as a whole.`,
    example: `${BASE}/${EXAMPLE}/validators`,
    exampleBody: { pubkeys: [`0x${'8'.repeat(96)}`] },
    params: one,
    body: SetPubkeys,
    status: 201,
    reply: ValidatorsAdded,
    reads: ({ sizes, network }, { body }) => body.pubkeys.length * sizes.days(network),
    async handle(ctx: Context, { params, body }) {
      const { tag, pubkeysAdded } = await addValidators(ctx, params.id, body.pubkeys, ['body', 'pubkeys']);
      return { body: { tag: tagOf(tag), pubkeysAdded } };
    },
  }),
  route({
    method: 'DELETE',
    path: `${BASE}/:id/validators/:pubkey`,
    operationId: 'removeTagValidator',
    tag,
    summary: 'Remove a validator from a tag',
    description:
      'A validator stops counting on the UTC date of its removal and still counts on earlier days. 404 when it is not in the tag.',
    example: `${BASE}/${EXAMPLE}/validators/0x${'8'.repeat(96)}`,
    params: z.object({ id: setIdParam(), pubkey: validatorParam() }),
    status: 204,
    reply: z.null(),
    async handle(ctx: Context, { params }) {
      await removeValidators(ctx, params.id, [params.pubkey]);
      return { body: null };
    },
  }),
];

const short = (route: (typeof routes)[number]): typeof route => ({
  ...route,
  path: route.path.replace(BASE, '/v1/tags'),
  example: route.example.replace(BASE, '/v1/tags'),
  operationId: `${route.operationId}Short`,
  units: route.operationId,
});

export const setRoutes = [...routes, ...routes.map(short)];

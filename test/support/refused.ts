/** The body of a refusal: GraphQL has `errors` beside `detail`. */
export const refusedBody = (path: string, code: string, detail: string) => ({
  detail,
  ...(path.startsWith('/graphql') && { errors: [{ message: detail, extensions: { code } }] }),
});

/** Where a tab has its access token, see token.ts. */
export const TOKEN_KEY = 'stakegraph:token';

export const token = () => sessionStorage.getItem(TOKEN_KEY);

import { Refusal, unknownPath } from '../../kernel/refusal.ts';
import { routes } from '../../resources/index.ts';

function allowed(): Map<string, string> {
  const found = new Map(
    ['/', '/docs', '/openapi.json', '/health', '/ready', '/metrics'].map((path) => [path, 'GET, HEAD']),
  );
  for (const { path, method = 'GET' } of routes) {
    const own = method === 'GET' ? 'GET, HEAD' : method;
    const known = found.get(path);
    found.set(path, known ? `${known}, ${own}` : own);
  }
  return found.set('/graphql', 'GET, POST').set('/page-token', 'POST');
}
const known = [...allowed()].map(([path, allow]) => ({
  pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`),
  allow,
  of: path,
}));

export const methodNotAllowed = (method: string, allow: string): Refusal =>
  new Refusal('METHOD_NOT_ALLOWED', `${method} is not served here; use ${allow}.`, { headers: { allow } });

/** Returns 405 for known paths, otherwise 404. `absent`: path that only another port serves. */
export function refusalOf({ method, url }: { method: string; url: string }, absent?: string): Refusal {
  const path = url.split('?', 1)[0] as string;
  const match = known.find(({ pattern, of }) => of !== absent && pattern.test(path));
  if (!match) return unknownPath();
  return methodNotAllowed(method, match.allow);
}

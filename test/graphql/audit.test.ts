import { serverAudits } from 'graphql-http';
import { describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway({ template: 'empty' });

// The audits are listed before the gateway listens: the place of /graphql is filled in at each call.
const audits = serverAudits({
  url: 'http://gateway/graphql',
  fetchFn: (url: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${gateway.token}`);
    return fetch(String(url).replace('http://gateway', gateway.url), { ...init, headers });
  },
});

describe('GraphQL over HTTP', () => {
  it('is audited on all 61 points', () => expect(audits).toHaveLength(61));

  it.each(audits)('$name ($id)', async (audit) => {
    const result = await audit.fn();
    expect(result, 'reason' in result ? result.reason : undefined).toMatchObject({ status: 'ok' });
  });
});

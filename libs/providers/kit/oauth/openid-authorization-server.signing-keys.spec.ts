import { exportJWK, generateKeyPair, type FlattenedJWSInput } from 'jose';
import { ScriptedEgress, type Scripted } from '../testing/scripted-egress.js';
import { SigningKeys } from './id-token.js';
import { TokenExchange } from './openid-authorization-server.js';

const URL_ = 'https://google.example/oauth2/v3/certs';
const { publicKey } = await generateKeyPair('RS256');
const jwk = await exportJWK(publicKey);
const keySet = (kid: string): Scripted => ({
  headers: { 'cache-control': 'public, max-age=20000' },
  json: { keys: [{ ...jwk, kid, alg: 'RS256', use: 'sig' }] },
});

function bench(...responses: [Scripted, ...Scripted[]]) {
  const clock = { nowMs: 0 };
  const egress = new ScriptedEgress().on('GET /oauth2/v3/certs', ...responses);
  const keys = new SigningKeys(URL_, () => clock.nowMs);
  const exchange = new TokenExchange({ provider: 'Google', egress, nowMs: () => 0 }, new AbortController().signal);
  const find = async (kid: string): Promise<string> => {
    try {
      await keys.finder(exchange)({ alg: 'RS256', kid }, {} as FlattenedJWSInput);
      return 'found';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  return { clock, egress, find };
}

describe('SigningKeys', () => {
  it('finds new keys before the old ones are out of date, once a minute at most', async () => {
    const { clock, egress, find } = bench(keySet('k1'), keySet('k2'));
    expect(await find('k1')).toBe('found');
    clock.nowMs += 59_000;
    expect(await find('k2')).toBe('ERR_JWKS_NO_MATCHING_KEY');
    expect(egress.requests).toHaveLength(1);
    clock.nowMs += 1_000;
    expect(await find('k2')).toBe('found');
    expect(await find('made-up')).toBe('ERR_JWKS_NO_MATCHING_KEY');
    expect(egress.requests).toHaveLength(2);
  });

  it('asks again once the keys are out of date', async () => {
    const { clock, egress, find } = bench(keySet('k1'));
    await find('k1');
    clock.nowMs += 19_999_000;
    await find('k1');
    expect(egress.requests).toHaveLength(1);
    clock.nowMs += 1_000;
    await find('k1');
    expect(egress.requests).toHaveLength(2);
  });

  it.each<Scripted>([{ status: 404, json: {} }, { json: { keys: 7 } }, { json: [] }, { text: '<html>' }, 'reset'])(
    'has no keys after %j, and asks again the next time',
    async (failure) => {
      const { find } = bench(failure, keySet('k1'));
      expect(await find('k1')).toBe('ProviderUnavailable');
      expect(await find('k1')).toBe('found');
    },
  );
});

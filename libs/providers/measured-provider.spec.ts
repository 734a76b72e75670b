import { PROVIDER_TYPES, type AuthorizationServer, type CalendarProvider } from '#domain';
import { measuredTry } from '#providers/kit/calls';
import { CATALOGUE, exposition } from '#telemetry';
import { measuredProvider } from './measured-provider.js';

class Double {
  readonly type = 'GOOGLE';
  readonly #secret = 'kept';
  readonly push = null;
  readonly authorization = {
    isIssuer: () => true,
    refresh: () => measuredTry(async () => 'tokens'),
  } as unknown as AuthorizationServer;

  listEvents(...given: unknown[]): Promise<unknown[]> {
    return measuredTry(async () => [this.#secret, ...given]);
  }
}

const provider = measuredProvider(new Double() as unknown as CalendarProvider);
const operations = async () => {
  const { body } = await exposition(undefined);
  return [...body.matchAll(/_count\{provider="GOOGLE",operation="([\w.]+)",outcome="ok"\} (\d+)$/gm)].map((found) =>
    found.slice(1),
  );
};

describe('measuredProvider', () => {
  it('measures what a provider is asked for by its name, and changes nothing else', async () => {
    expect(await provider.listEvents('session' as never, 'c', 'list' as never)).toEqual([
      'kept',
      'session',
      'c',
      'list',
    ]);
    expect(await provider.authorization?.refresh({} as never)).toBe('tokens');
    expect(provider.authorization?.isIssuer('x')).toBe(true);
    expect([provider.type, provider.push]).toEqual(['GOOGLE', null]);
    expect(await operations()).toEqual([
      ['events.list', '1'],
      ['token.refresh', '1'],
    ]);
  });

  it('knows all providers', () => {
    expect(CATALOGUE.calendar_provider_call_duration_seconds.values.provider).toEqual(PROVIDER_TYPES);
  });
});

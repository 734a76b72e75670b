import { GuardedEgress } from '#egress';
import { EndpointUrlPolicy } from './endpoint-url.js';

const names: Record<string, string[]> = {
  'hooks.example.com': ['198.51.99.1'],
  'private.example.com': ['10.0.0.1'],
  'mixed.example.com': ['198.51.99.1', '127.0.0.1'],
  'nowhere.example.com': [],
};

function checked(url: string, allow = ''): Promise<void> {
  const egress = new GuardedEgress({ allow, resolver: { lookup: async (name) => names[name] ?? [] } });
  return new EndpointUrlPolicy(egress).assertAllowed(url, 'webhookUrl').finally(() => egress.close());
}

const notAllowed = {
  code: 'ServerNotAllowed',
  message: 'webhookUrl is not allowed: it must be a public address.',
};

describe('EndpointUrlPolicy', () => {
  it.each([
    'https://hooks.example.com',
    'https://hooks.example.com:8443/a/b?token=x%20y',
    'https://198.51.99.1/hook',
    `https://hooks.example.com/${'a'.repeat(2_022)}`,
  ])('permits %s', async (url) => expect(await checked(url)).toBeUndefined());

  it.each([
    '',
    'hooks.example.com/hook',
    '/hook',
    'http://hooks.example.com/hook',
    'ftp://hooks.example.com/hook',
    'javascript:alert(1)',
    'https://user@hooks.example.com/hook',
    'https://user:secret@hooks.example.com/hook',
    'https://hooks.example.com/hook#part',
    'https://hooks.example.com:22/hook',
    'https://hooks.example.com/\r\nx: y',
    `https://hooks.example.com/${'a'.repeat(2_023)}`,
  ])('N22 finds %j invalid', async (url) =>
    expect(checked(url)).rejects.toMatchObject({ code: 'ValidationFailed', details: [{ path: 'webhookUrl' }] }),
  );

  it.each([
    'https://127.0.0.1/hook',
    'https://2130706433/hook',
    'https://[::1]/hook',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/hook',
    'https://private.example.com/hook',
    'https://mixed.example.com/hook',
    'https://nowhere.example.com/hook',
  ])('N27 says the same of %s as of any place that we do not go to', async (url) =>
    expect(checked(url)).rejects.toMatchObject(notAllowed),
  );

  it('permits what the operator does, plain http included', async () => {
    expect(await checked('http://127.0.0.1:8080/hook', '127.0.0.1:8080')).toBeUndefined();
  });

  it('does not blame the URL for our own shutdown', async () => {
    const egress = new GuardedEgress({ resolver: { lookup: () => new Promise(() => undefined) } });
    const judgement = new EndpointUrlPolicy(egress).assertAllowed('https://hooks.example.com', 'url');
    await egress.close();
    await expect(judgement).rejects.toMatchObject({ name: 'EgressError', failure: 'aborted' });
  });
});

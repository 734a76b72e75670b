import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotificationUrls } from '#application/channels';
import { CallbackUrls } from '../../libs/application/src/oauth/callback-urls.js';
import { DEFAULT_SCOPES as GOOGLE_SCOPES } from '../../libs/providers/google/scopes.js';
import { DEFAULT_SCOPES as MICROSOFT_SCOPES } from '../../libs/providers/microsoft/scopes.js';

const page = (name: string) =>
  readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'operations', `${name}.md`), 'utf8');
const PUBLIC_URL = '{PUBLIC_URL}';

describe.each([
  { name: 'google', type: 'GOOGLE', scopes: GOOGLE_SCOPES },
  { name: 'microsoft', type: 'MICROSOFT', scopes: MICROSOFT_SCOPES },
] as const)('the page on registering with $name', ({ name, type, scopes }) => {
  it('says where the service takes users and pushes', () => {
    expect(page(name)).toContain(`\`${new CallbackUrls(PUBLIC_URL).of(type)}\``);
    expect(page(name)).toContain(`\`${new NotificationUrls(PUBLIC_URL).of(type).notificationUrl}\``);
  });

  it('says what is asked for by default', () => {
    expect(page(name)).toContain(`\`${scopes.join(' ')}\``);
  });
});

it('Microsoft has to reach where it tells of subscriptions, too', () => {
  expect(page('microsoft')).toContain(`\`${new NotificationUrls(PUBLIC_URL).of('MICROSOFT').lifecycleUrl}\``);
});

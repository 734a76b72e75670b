import { allowConnections } from '../support/postgres.js';
import {
  OAUTH_PROVIDERS,
  startOAuthFixture,
  type OAuthProviderType,
  type OAuthFixture,
} from '../support/oauth-subject.js';
import { eventually } from '../support/processes.js';

/** Nothing is sent there: no worker is running, and what pushes lead to stays as it is. */
const WEBHOOK_URL = 'https://8.8.8.8/hooks';

let fixture: OAuthFixture;

beforeAll(async () => {
  fixture = await startOAuthFixture();
});

afterEach(() => fixture?.calm());

afterAll(() => fixture?.stop());

interface SyncedCalendarRow {
  lastNotification: number;
  asks: number;
  isDue: boolean;
}

/** The primary calendar of somebody, with a subscription. */
interface Subscribed {
  providerType: OAuthProviderType;
  email: string;
  accountId: string;
  calendarId: string;
  /** Its row, when nothing had been changed yet. */
  before: SyncedCalendarRow;
}

async function rowOf({ accountId }: Pick<Subscribed, 'accountId'>): Promise<SyncedCalendarRow> {
  const [row] = await fixture.GOOGLE.admin(
    'select last_notification::int as "lastNotification", reconcile_requests::int as asks, next_sync_at < now() + interval \'3 seconds\' as "isDue" ' +
      'from synced_calendar where end_user_account_id = $1',
    [accountId],
  );
  return row as SyncedCalendarRow;
}

/** The row once it satisfies. */
function rowThat(
  what: string,
  subscribed: Subscribed,
  isWanted: (row: SyncedCalendarRow) => boolean,
): Promise<SyncedCalendarRow> {
  return eventually(what, async () => {
    const row = await rowOf(subscribed);
    return isWanted(row) ? row : undefined;
  });
}

const isPushed =
  ({ before }: Subscribed) =>
  ({ lastNotification }: SyncedCalendarRow) =>
    lastNotification > before.lastNotification;

/** A calendar that is subscribed to, and nothing is due; what is new with it is a hint, too. */
async function calmCalendar(providerType: OAuthProviderType): Promise<Subscribed> {
  const email = fixture[providerType].someone();
  const { accountId, calendarId } = await fixture[providerType].connected(email);
  const body = { calendarId, webhookUrl: WEBHOOK_URL };
  const { status } = await fixture.service.call('POST', `/v1/calendarSubscriptions/${accountId}`, { body });
  expect(status).toBe(200);
  await fixture.GOOGLE.admin(
    "update synced_calendar set next_sync_at = now() + interval '1 hour' where end_user_account_id = $1",
    [accountId],
  );
  return { providerType, email, accountId, calendarId, before: await rowOf({ accountId }) };
}

/** Somebody adds an event, past the service. */
async function change({ providerType, email, calendarId }: Subscribed): Promise<void> {
  const { half, words } = fixture[providerType];
  const at = (hour: number) => ({ dateTime: `2033-01-12T${hour}:00:00`, timeZone: 'UTC' });
  const { status } = await half.act({
    ...{ email, methodId: words.methods.insertEvent },
    path: { [providerType === 'GOOGLE' ? 'calendarId' : 'calendar-id']: calendarId },
    body: { start: at(10), end: at(11) },
  });
  expect(status).toBe(words.created);
}

describe.each(OAUTH_PROVIDERS)('notifications of %s', (providerType) => {
  it('makes a sync due, each time that something changes', async () => {
    const subscribed = await calmCalendar(providerType);
    expect(subscribed.before.isDue).toBe(false);
    await change(subscribed);
    const { lastNotification, isDue } = await rowThat('a push', subscribed, isPushed(subscribed));
    expect(isDue).toBe(true);
    await change(subscribed);
    await rowThat('another push', subscribed, (row) => row.lastNotification > lastNotification);
  });

  it('F16 is repeated when the database was away, and taken then', async () => {
    const subscribed = await calmCalendar(providerType);
    const { service } = fixture;
    const database = { adminUrl: service.adminDatabaseUrl };
    const path = `/api/v1/providers/${providerType.toLowerCase()}/notifications`;
    const seen = service.program.stdout().length;
    await allowConnections(database, false);
    try {
      await change(subscribed);
      await eventually('a push is answered with 503', async () => {
        const lines = service.program.stdout().slice(seen).split('\n');
        return lines.find((line) => line.includes(`"route":"${path}","status":503`));
      });
    } finally {
      await allowConnections(database, true);
    }
    await rowThat('the push once more', subscribed, isPushed(subscribed));
  });
});

describe('what MICROSOFT says of a subscription', () => {
  const idOf = async ({ email }: Subscribed): Promise<string> => {
    const subscriptions = await fixture.sandbox.microsoft.subscriptions();
    const mine = subscriptions.find((one) => one.email === email);
    if (mine === undefined) throw new Error(`there is no subscription of ${email}`);
    return mine.id;
  };

  it('F32 is a sync when it missed something', async () => {
    const subscribed = await calmCalendar('MICROSOFT');
    await fixture.sandbox.microsoft.sendLifecycle(await idOf(subscribed), 'missed');
    expect(await rowThat('a push', subscribed, isPushed(subscribed))).toMatchObject({ isDue: true });
  });

  it('F32 is a renewal when it will end, and no sync', async () => {
    const subscribed = await calmCalendar('MICROSOFT');
    await fixture.GOOGLE.admin("update provider_channel set renewed_at = now() - interval '1 hour'");
    await fixture.sandbox.microsoft.sendLifecycle(await idOf(subscribed), 'reauthorizationRequired');
    const { asks, ...others } = subscribed.before;
    expect(await rowThat('a reason for upkeep', subscribed, (row) => row.asks > asks)).toMatchObject(others);
  });
});

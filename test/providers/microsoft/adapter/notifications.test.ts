import type { CalendarPush, KnownChannel } from '#domain/channels';
import type { AccountSession } from '#domain/providers';
import { readMicrosoftNotifications } from '#providers/microsoft';
import { PushReceiver } from '../../../support/notification-receiver.js';
import { IDA, PIA, startSandboxedAdapter, type SandboxedAdapter } from './sandboxed-adapter.js';

const CREATE = { methodId: 'createSubscription' };

let microsoft: SandboxedAdapter;
let receiver: PushReceiver;
let push: CalendarPush;
let ida: AccountSession;
beforeAll(async () => {
  microsoft = await startSandboxedAdapter();
  receiver = await PushReceiver.start();
  push = microsoft.provider().push!;
  ida = await microsoft.session(IDA);
});
afterAll(async () => {
  await receiver?.close();
  await microsoft?.stop();
});
afterEach(async () => {
  receiver.consents = true;
  await microsoft.sandbox.microsoft.clearFaults();
  await microsoft.sandbox.expectNoViolations();
});

const read = ({ body }: PushReceiver['received'][number]) => readMicrosoftNotifications(JSON.parse(body));

async function opened(session = ida, calendarId = 'primary') {
  const request = receiver.channel();
  const facts = await push.open(session, calendarId, request);
  if (facts === null) throw new Error('The calendar is not pushed');
  const channel: KnownChannel = { ...facts, token: request.token };
  return { channel, request, expiresAt: facts.expiresAt };
}

const live = async () => (await microsoft.sandbox.microsoft.subscriptions()).map(({ id }) => id);

describe('subscriptions of the sandbox (microsoft)', () => {
  it('are of work and of personal accounts, and of calendars with any name', async () => {
    const pia = await microsoft.session(PIA);
    const { channel } = await opened(pia);
    const { calendar } = await microsoft.provider().createCalendar(pia, { name: 'Boats' }, {});
    const { channel: another } = await opened(pia, calendar.id);
    expect(await live()).toEqual(expect.arrayContaining([channel.subscriptionId, another.subscriptionId]));
  });

  it('are renewed to a later end under their id', async () => {
    const { channel } = await opened();
    const soon = new Date(Date.now() + 3_600_000);
    await microsoft.sandbox.microsoft.act({
      ...{ email: IDA, methodId: 'updateSubscription', path: { 'subscription-id': channel.subscriptionId } },
      body: { expirationDateTime: soon.toISOString() },
    });
    const renewed = await push.renew(ida, channel);
    expect(renewed).toMatchObject({ subscriptionId: channel.subscriptionId, resourceId: channel.subscriptionId });
    expect(renewed!.expiresAt.getTime()).toBeGreaterThan(soon.getTime() + 6 * 86_400_000);
  });

  it('F32 tell that they have to be renewed, that changes were missed, and that they are gone', async () => {
    const { channel, request } = await opened();
    const { subscriptionId } = channel;
    const { channelId, token } = request;
    const reports = (kind: string) =>
      receiver.receives(
        kind,
        read,
        (notification) => notification.channelId === channelId && notification.kind === kind,
      );
    await microsoft.sandbox.microsoft.sendLifecycle(subscriptionId, 'reauthorizationRequired');
    expect(await reports('reauthorize')).toEqual({ channelId, token, subscriptionId, kind: 'reauthorize' });
    expect(await push.renew(ida, channel)).toMatchObject({ subscriptionId });
    await microsoft.sandbox.microsoft.sendLifecycle(subscriptionId, 'missed');
    await reports('missed');
    await microsoft.sandbox.microsoft.dropSubscription(subscriptionId, true);
    await reports('removed');
    expect(
      receiver.received.filter((one) => read(one).some(({ kind }) => kind !== 'change')).map(({ path }) => path),
    ).toEqual(['/lifecycle', '/lifecycle', '/lifecycle']);
    expect(await push.renew(ida, channel)).toBeNull();
    await push.stop(ida, channel);
  });

  it('W17 are not made when nobody answers for our addresses, and the operator is told', async () => {
    const before = await live();
    receiver.consents = false;
    await expect(push.open(ida, 'primary', receiver.channel())).rejects.toMatchObject({
      code: 'ProviderUnavailable',
      message: expect.stringContaining('PUBLIC_URL'),
    });
    expect(await live()).toEqual(before);
  });

  it('W17 that were made and not answered give way to the next one', async () => {
    await microsoft.sandbox.microsoft.fault(CREATE, { type: 'lose-response' }, { times: 1 });
    const { calendar } = await microsoft.provider().createCalendar(ida, { name: 'Lost' }, {});
    const before = await live();
    await expect(push.open(ida, calendar.id, receiver.channel())).rejects.toMatchObject({
      code: 'ProviderUnavailable',
    });
    const left = (await live()).filter((id) => !before.includes(id));
    expect(left).toHaveLength(1);
    const { channel } = await opened(ida, calendar.id);
    expect((await live()).filter((id) => !before.includes(id))).toEqual([channel.subscriptionId]);
  });

  it.each([undefined, '2020-01-01T00:00:00Z', '9999-12-31T00:00:00Z', 'soon'])(
    'are ended again when they end %j',
    async (expirationDateTime) => {
      const { channel } = await opened();
      const { subscriptionId: id } = channel;
      await microsoft.sandbox.microsoft.fault(
        CREATE,
        { type: 'replace', body: { id, expirationDateTime } },
        { times: 1 },
      );
      const { calendar } = await microsoft.provider().createCalendar(ida, { name: `Ends ${expirationDateTime}` }, {});
      await expect(push.open(ida, calendar.id, receiver.channel())).rejects.toMatchObject({
        code: 'ProviderUnavailable',
      });
      expect(await live()).not.toContain(id);
    },
  );

  it('are of calendars of the account alone', async () => {
    const owner = 'omar.diaz@fabrikam.example';
    await microsoft.sandbox.microsoft.addUser({ email: owner });
    const calendarId = await microsoft.sandbox.microsoft.share({ owner, with: IDA, canEdit: true });
    await expect(push.open(ida, calendarId, receiver.channel())).rejects.toMatchObject({
      code: 'NotSupportedByProvider',
    });
  });

  it('are not made nor ended with access that was taken away', async () => {
    const { channel } = await opened();
    const pia = await microsoft.session(PIA);
    await microsoft.sandbox.microsoft.revoke(PIA);
    await expect(push.open(pia, 'primary', receiver.channel())).rejects.toMatchObject({ code: 'CredentialsRejected' });
    await expect(push.renew(pia, channel)).rejects.toMatchObject({ code: 'CredentialsRejected' });
    await expect(push.stop(pia, channel)).rejects.toMatchObject({ code: 'CredentialsRejected' });
  });

  it('are asked for in one of the slots of the mailbox', async () => {
    const before = microsoft.slots.held.length;
    const { channel } = await opened();
    await push.renew(ida, channel);
    await push.stop(ida, channel);
    expect(microsoft.slots.held.length - before).toBeGreaterThanOrEqual(3);
    expect(microsoft.slots.now).toBe(0);
  });
});

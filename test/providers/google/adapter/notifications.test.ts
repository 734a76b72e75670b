import type { CalendarPush, KnownChannel } from '#domain/channels';
import type { AccountSession } from '#domain/providers';
import { readGooglePush } from '#providers/google';
import { PushReceiver } from '../../../support/notification-receiver.js';
import { MARA, RAVI, startSandboxedAdapter, type SandboxedAdapter } from './sandboxed-adapter.js';

const HOLIDAYS = 'en.uk#holiday@group.v.calendar.google.com';
const WATCH = { methodId: 'calendar.events.watch' };

let google: SandboxedAdapter;
let receiver: PushReceiver;
let push: CalendarPush;
let mara: AccountSession;
beforeAll(async () => {
  google = await startSandboxedAdapter();
  receiver = await PushReceiver.start();
  push = google.provider().push!;
  mara = await google.session(MARA);
});
afterAll(async () => {
  await receiver?.close();
  await google?.stop();
});
afterEach(async () => {
  await google.sandbox.clearFaults();
  await google.sandbox.expectNoViolations();
});

const read = ({ headers }: PushReceiver['received'][number]) => [readGooglePush(headers) ?? []].flat();

async function opened(calendarId = MARA): Promise<{ channel: KnownChannel; channelId: string }> {
  const request = receiver.channel();
  const facts = await push.open(mara, calendarId, request);
  if (facts === null) throw new Error('The calendar is not pushed');
  return { channel: { ...facts, token: request.token }, channelId: request.channelId };
}

const liveIds = async () => (await google.sandbox.channels()).map(({ id }) => id);

describe('channels of the sandbox (google)', () => {
  it('say that they are open, under our id and token', async () => {
    const { channel, channelId } = await opened('primary');
    expect(
      await receiver.receives('the first message', read, (notification) => notification.channelId === channelId),
    ).toEqual({
      channelId,
      token: channel.token,
      kind: 'sync',
    });
  });

  it('are for calendars that somebody fills, and for others there is none', async () => {
    const before = await liveIds();
    expect(await push.open(mara, HOLIDAYS, receiver.channel())).toBeNull();
    expect(await liveIds()).toEqual(before);
  });

  it('never have an id twice, whoever had it', async () => {
    const request = receiver.channel();
    await push.open(mara, MARA, request);
    const ravi = await google.session(RAVI);
    await expect(push.open(ravi, RAVI, request)).rejects.toMatchObject({ code: 'Conflict' });
  });

  it('F26 that were opened and not answered are replaced under another id', async () => {
    await google.sandbox.fault(WATCH, { type: 'lose-response' }, { times: 1 });
    const lost = receiver.channel();
    await expect(push.open(mara, MARA, lost)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(await liveIds()).toContain(lost.channelId);
    await expect(push.open(mara, MARA, lost)).rejects.toMatchObject({ code: 'Conflict' });
    const { channelId } = await opened();
    expect(await liveIds()).toContain(channelId);
  });

  it.each([undefined, '0', String(Date.UTC(2020, 0, 1)), '99999999999999999999', 'soon'])(
    'are stopped again when they end %j',
    async (expiration) => {
      const request = receiver.channel();
      const { body: real } = await google.sandbox.act({
        ...{ email: MARA, methodId: 'calendar.events.watch', path: { calendarId: MARA } },
        body: { id: receiver.channel().channelId, type: 'web_hook', address: request.notificationUrl },
      });
      const notification = { kind: 'api#channel', id: request.channelId, resourceId: real.resourceId, expiration };
      await google.sandbox.fault(WATCH, { type: 'replace', body: notification }, { times: 1 });
      await expect(push.open(mara, MARA, request)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
      expect(await liveIds()).not.toContain(request.channelId);
    },
  );

  it('are stopped by the account alone that opened them', async () => {
    const { channel, channelId } = await opened();
    await push.stop(await google.session(RAVI), channel);
    expect(await liveIds()).toContain(channelId);
    await push.stop(mara, channel);
    expect(await liveIds()).not.toContain(channelId);
  });

  it('F30 that are silently dead count as stopped', async () => {
    const { channel, channelId } = await opened();
    await google.sandbox.dropChannel(channelId);
    await push.stop(mara, channel);
  });

  it('are not opened nor stopped with access that was taken away', async () => {
    const { channel } = await opened();
    const ravi = await google.session(RAVI);
    await google.sandbox.revoke(RAVI);
    await expect(push.open(ravi, RAVI, receiver.channel())).rejects.toMatchObject({ code: 'CredentialsRejected' });
    await expect(push.stop(ravi, channel)).rejects.toMatchObject({ code: 'CredentialsRejected' });
  });
});

import type { ChannelRequest, KnownChannel } from '#domain/channels';
import { PushReceiver } from '../support/notification-receiver.js';
import type { OpenPush, PushSubject, ReadNotification } from './notification-subject.js';
import type { Fixture } from './subject.js';

/** Of providers that tell of changes by themselves. */
export function pushConforms(fixture: () => Fixture): void {
  let subject: PushSubject;
  let opened: OpenPush;
  let receiver: PushReceiver;
  let eventId: string;
  let titles = 0;

  const open = async (request: ChannelRequest): Promise<KnownChannel & { expiresAt: Date }> => {
    const facts = await opened.push.open(opened.session, fixture().calendarId, request);
    if (facts === null) throw new Error('The calendar is not pushed');
    return { ...facts, token: request.token };
  };
  const stop = (channel: KnownChannel) => opened.push.stop(opened.session, channel);
  const changeElsewhere = () => fixture().subject.elsewhere.retitle(fixture().calendarId, eventId, `Title ${++titles}`);
  const isChangeOf =
    ({ channelId, token }: ChannelRequest) =>
    (notification: ReadNotification) =>
      notification.channelId === channelId && notification.token === token && notification.kind === 'change';
  const changesOf = (request: ChannelRequest) =>
    receiver.received.flatMap((push) => subject.read(push)).filter(isChangeOf(request)).length;
  /** Changes something, and waits until it is told. */
  const reports = async (request: ChannelRequest, change: () => Promise<unknown> = changeElsewhere) => {
    await change();
    await receiver.receives('a change', subject.read, isChangeOf(request));
  };

  describe('push', () => {
    beforeAll(async () => {
      const { push } = fixture().subject;
      if (push === null) throw new Error('The provider does not push');
      subject = push;
      opened = await subject.open();
      receiver = await PushReceiver.start();
      eventId = (await fixture().create({ title: 'Watched', start: { dateTime: '2034-01-05T09:00:00Z' } })).id;
    });

    afterAll(async () => {
      await receiver?.close();
      await opened?.close();
    });

    it('tells of what others change, under our id and token, until it ends some days later', async () => {
      const request = receiver.channel();
      const channel = await open(request);
      expect(channel.expiresAt.getTime()).toBeGreaterThan(Date.now() + 86_400_000);
      await reports(request);
      await stop(channel);
    });

    it('tells of what is written through the service, too', async () => {
      const request = receiver.channel();
      const channel = await open(request);
      const { call, calendarId } = fixture();
      await reports(request, () => call('PUT', 'events', `/${calendarId}/${eventId}`, { body: { title: 'Ours' } }));
      await stop(channel);
    });

    it('W18 lasts as long or longer when it is renewed, or has to be replaced', async () => {
      const request = receiver.channel();
      const channel = await open(request);
      const renewed = await opened.push.renew(opened.session, channel);
      const current = renewed ?? (await open(receiver.channel()));
      expect(current.expiresAt.getTime()).toBeGreaterThanOrEqual(channel.expiresAt.getTime());
      if (renewed !== null) expect(renewed.subscriptionId).toBe(channel.subscriptionId);
      await reports(request);
      await stop(channel);
    });

    it('tells nothing more once it is stopped, which may be done again', async () => {
      const request = receiver.channel();
      const channel = await open(request);
      await reports(request);
      await stop(channel);
      await stop(channel);
      const reportedBefore = changesOf(request);
      const next = receiver.channel();
      const nextChannel = await open(next);
      await reports(next);
      expect(changesOf(request)).toBe(reportedBefore);
      await stop(nextChannel);
    });

    it('W17 takes the place of one that was left behind by an answer that was lost', async () => {
      await open(receiver.channel());
      const request = receiver.channel();
      const channel = await open(request);
      await reports(request);
      await stop(channel);
    });

    it('needs a calendar that is there', async () => {
      const { push, session } = opened;
      for (const calendarId of ['no-such-calendar', '..']) {
        await expect(push.open(session, calendarId, receiver.channel())).rejects.toMatchObject({ code: 'NotFound' });
      }
    });
  });
}

import type { ChannelRequest, KnownChannel } from '#domain';
import { PushReceiver } from '../support/push-receiver.js';
import type { OpenPush, PushSubject, ToldPush } from './push-subject.js';
import type { World } from './subject.js';

/** Of providers that tell of changes by themselves. */
export function pushConforms(world: () => World): void {
  let subject: PushSubject;
  let opened: OpenPush;
  let receiver: PushReceiver;
  let eventId: string;
  let titles = 0;

  const open = async (request: ChannelRequest): Promise<KnownChannel & { expiresAt: Date }> => {
    const facts = await opened.push.open(opened.session, world().calendarId, request);
    if (facts === null) throw new Error('The calendar is not pushed');
    return { ...facts, token: request.token };
  };
  const changeElsewhere = () => world().subject.elsewhere.retitle(world().calendarId, eventId, `Title ${++titles}`);
  const isChangeOf =
    ({ channelId, token }: ChannelRequest) =>
    (told: ToldPush) =>
      told.channelId === channelId && told.token === token && told.kind === 'change';
  const changesOf = (request: ChannelRequest) =>
    receiver.received.flatMap((push) => subject.read(push)).filter(isChangeOf(request)).length;
  const tells = (request: ChannelRequest) => receiver.receives('a change', subject.read, isChangeOf(request));

  describe('push', () => {
    beforeAll(async () => {
      if (world().subject.push === null) throw new Error('The provider does not push');
      subject = world().subject.push!;
      opened = await subject.open();
      receiver = await PushReceiver.start();
      eventId = (await world().create({ title: 'Watched', start: { dateTime: '2034-01-05T09:00:00Z' } })).id;
    });

    afterAll(async () => {
      await receiver?.close();
      await opened?.close();
    });

    it('tells of what others change, under our id and token, until it ends some days later', async () => {
      const request = receiver.channel();
      const channel = await open(request);
      expect(channel.expiresAt.getTime()).toBeGreaterThan(Date.now() + 86_400_000);
      await changeElsewhere();
      await tells(request);
      await opened.push.stop(opened.session, channel);
    });

    it('tells of what is written through the service, too', async () => {
      const request = receiver.channel();
      const channel = await open(request);
      const { call, calendarId } = world();
      await call('PUT', 'events', `/${calendarId}/${eventId}`, { body: { title: 'Ours' } });
      await tells(request);
      await opened.push.stop(opened.session, channel);
    });

    it('W18 lasts as long or longer when it is renewed, or has to be replaced', async () => {
      const request = receiver.channel();
      const channel = await open(request);
      const renewed = await opened.push.renew(opened.session, channel);
      const endMs = (renewed ?? (await open(receiver.channel()))).expiresAt.getTime();
      expect(endMs).toBeGreaterThanOrEqual(channel.expiresAt.getTime());
      expect(renewed).toEqual(renewed && { ...renewed, subscriptionId: channel.subscriptionId });
      await changeElsewhere();
      await tells(request);
      await opened.push.stop(opened.session, channel);
    });

    it('tells nothing more once it is stopped, which may be done again', async () => {
      const request = receiver.channel();
      const channel = await open(request);
      await changeElsewhere();
      await tells(request);
      await opened.push.stop(opened.session, channel);
      await opened.push.stop(opened.session, channel);
      const toldBefore = changesOf(request);
      const next = receiver.channel();
      const nextChannel = await open(next);
      await changeElsewhere();
      await tells(next);
      expect(changesOf(request)).toBe(toldBefore);
      await opened.push.stop(opened.session, nextChannel);
    });

    it('W17 takes the place of one that was left behind by an answer that was lost', async () => {
      await open(receiver.channel());
      const request = receiver.channel();
      const channel = await open(request);
      await changeElsewhere();
      await tells(request);
      await opened.push.stop(opened.session, channel);
    });

    it('needs a calendar that is there', async () => {
      const { push, session } = opened;
      for (const calendarId of ['no-such-calendar', '..']) {
        await expect(push.open(session, calendarId, receiver.channel())).rejects.toMatchObject({ code: 'NotFound' });
      }
    });
  });
}

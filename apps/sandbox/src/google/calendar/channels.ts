import type { calendar_v3 } from '@googleapis/calendar';
import type { Memory } from '../../state/memory.js';
import type { CalendarApiResponse, CalendarApiHost, CalendarApiRequest } from '../contract.js';
import { requireRole } from './access.js';
import { compact } from './event-view.js';
import { resourceIdOf } from './ids.js';
import { badCalendarRequest, badChannel, invalid, notFound, required } from './errors.js';
import type { Store } from './store.js';

export interface Channel {
  id: string;
  address: string;
  token: string | undefined;
  email: string;
  calendarId: string;
  resourceId: string;
  resourceUri: string;
  expirationMs: number;
  messages: number;
}

const ROOT = 'https://www.googleapis.com/calendar/v3';
const MAX_ID = 64;
const MAX_TOKEN = 256;
const USUAL_TTL_MS = 604_800_000;
const MAX_TTL_MS = 2_592_000_000;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Push channels (https://developers.google.com/workspace/calendar/api/guides/push). */
export class Channels {
  private readonly live: Map<string, Channel>;
  private readonly usedIds: Map<string, true>;

  constructor(
    memory: Memory,
    private readonly store: Store,
    private readonly host: CalendarApiHost,
  ) {
    this.live = memory.collection('channels');
    this.usedIds = memory.collection('usedChannelIds');
  }

  watchEvents(request: CalendarApiRequest): CalendarApiResponse {
    const calendar = this.store.calendarFor(request.user, request.path.calendarId!);
    requireRole(calendar, request.user, 'freeBusyReader');
    if (calendar.kind === 'holidays') {
      throw badCalendarRequest(
        'pushNotSupportedForRequestedResource',
        'Push notifications are not supported by this resource.',
      );
    }
    const { id: calendarId } = calendar;
    const body: calendar_v3.Schema$Channel = request.body ?? {};
    const { id, type, address, token } = body;
    if (id == null || id === '') throw required('Missing channel id.');
    if (id.length > MAX_ID) throw invalid('Invalid value for: id.');
    if (type !== 'web_hook' && type !== 'webhook') throw invalid('Unknown channel type.');
    if (token != null && token.length > MAX_TOKEN) throw invalid('Invalid value for: token.');
    checkAddress(address);
    const expirationMs = this.expirationOf(body);
    if (this.usedIds.has(id)) throw badChannel('channelIdNotUnique', `Channel id ${id} not unique`);
    this.usedIds.set(id, true);
    const channel: Channel = {
      id,
      address: address!,
      token: token ?? undefined,
      email: request.user.email,
      calendarId,
      resourceId: resourceIdOf(`events ${calendarId}`),
      resourceUri: `${ROOT}/calendars/${encodeURIComponent(calendarId).replace('%40', '@')}/events?alt=json`,
      expirationMs,
      messages: 0,
    };
    this.live.set(id, channel);
    this.send(channel, 'sync');
    return {
      status: 200,
      body: compact({
        kind: 'api#channel',
        id,
        resourceId: channel.resourceId,
        resourceUri: channel.resourceUri,
        token: channel.token,
        expiration: String(expirationMs),
      }),
    };
  }

  stop({ user, body }: CalendarApiRequest): CalendarApiResponse {
    const { id, resourceId }: calendar_v3.Schema$Channel = body ?? {};
    if (id == null || resourceId == null) throw required('Missing channel id or resource id.');
    const channel = this.live.get(id);
    if (
      channel === undefined ||
      channel.resourceId !== resourceId ||
      channel.email !== user.email ||
      this.isOver(channel)
    ) {
      throw notFound(`Channel '${id}' not found`);
    }
    this.live.delete(id);
    return { status: 204, body: null };
  }

  /** Notifies the channels of calendars whose events have changed. */
  announce(calendarIds: ReadonlySet<string>): void {
    for (const channel of this.list()) if (calendarIds.has(channel.calendarId)) this.send(channel, 'exists');
  }

  list(): Channel[] {
    return [...this.live.values()].filter((channel) => !this.isOver(channel));
  }

  drop(id: string): boolean {
    return this.live.delete(id);
  }

  /** Returns the earlier of the requested and the maximum expiration. */
  private expirationOf({ expiration, params }: calendar_v3.Schema$Channel): number {
    const nowMs = this.host.nowMs();
    const ttl = params?.ttl;
    if (ttl !== undefined && !/^[1-9]\d{0,9}$/.test(ttl)) throw invalid('Invalid value for: params.ttl.');
    if (expiration != null && !/^\d{1,16}$/.test(expiration)) throw invalid('Invalid value for: expiration.');
    const asked = [
      ...(ttl === undefined ? [] : [nowMs + Number(ttl) * 1_000]),
      ...(expiration == null ? [] : [Number(expiration)]),
    ];
    const expirationMs = Math.min(...(asked.length === 0 ? [nowMs + USUAL_TTL_MS] : asked), nowMs + MAX_TTL_MS);
    if (expirationMs <= nowMs) throw invalid('Invalid value for: expiration.');
    return expirationMs;
  }

  private send(channel: Channel, state: 'sync' | 'exists'): void {
    // Message numbers rise, but not by one.
    channel.messages += state === 'sync' ? 1 : 1 + (channel.messages % 3);
    this.host.notify({
      address: channel.address,
      headers: {
        'content-length': '0',
        'user-agent': 'APIs-Google; (+https://developers.google.com/webmasters/APIs-Google.html)',
        'x-goog-channel-id': channel.id,
        ...(channel.token === undefined ? {} : { 'x-goog-channel-token': channel.token }),
        'x-goog-channel-expiration': new Date(channel.expirationMs).toUTCString(),
        'x-goog-resource-id': channel.resourceId,
        'x-goog-resource-uri': channel.resourceUri,
        'x-goog-resource-state': state,
        'x-goog-message-number': String(channel.messages),
      },
    });
  }

  private isOver({ expirationMs }: Channel): boolean {
    return expirationMs <= this.host.nowMs();
  }
}

function checkAddress(address: string | null | undefined): void {
  if (address == null || !URL.canParse(address)) throw required('Missing or invalid WebHook callback.');
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) return;
  throw badChannel('push.webhookUrlNotHttps', `WebHook callback must be HTTPS: ${address}`);
}

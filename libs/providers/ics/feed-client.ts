import type { Calendar } from '#domain/calendars';
import type { AccountSession } from '#domain/providers';
import { DomainError } from '#domain/system';
import { paletteColor } from '#providers/caldav';
import { calendarNotFound } from '#providers/kit/calls';
import { readProviderState, toProviderState, type FeedAccount } from './account-state.js';
import { feedIdOf, feedUrlOf } from './feed-url.js';
import type { Feed } from './feed.js';
import type { CurrentFeed, FeedRequest, Feeds } from './feeds.js';

export interface OpenFeed {
  feed: Feed;
  calendar: Calendar;
  scope: { applicationId: string; accountId: string; calendarId: string };
}

export class FeedAccountClient {
  private readonly account: FeedAccount;
  private readonly url: URL;
  private readonly id: string;

  /** @throws DomainError CredentialsRejected */
  constructor(
    private readonly feeds: Feeds,
    private readonly session: AccountSession,
  ) {
    this.account = readProviderState(session.providerState);
    this.url = feedUrlOf(session.credentials);
    this.id = feedIdOf(session.applicationId, this.url);
  }

  /** @throws DomainError NotFound without a request; as {@link Feeds.current} */
  async calendar(calendarId: string): Promise<OpenFeed> {
    if (calendarId !== this.id) throw calendarNotFound();
    return this.only();
  }

  /** @throws DomainError as {@link Feeds.current} */
  async only(): Promise<OpenFeed> {
    const { applicationId, accountId } = this.session;
    const { feed } = await this.current();
    const calendar = calendarOf(this.id, this.account.name ?? feed.facts.name ?? this.url.hostname, feed);
    return { feed, calendar, scope: { applicationId, accountId, calendarId: this.id } };
  }

  /** @throws DomainError ReadOnlyCalendar; NotFound for any other calendar */
  rejectWrite(calendarId: string): never {
    if (calendarId !== this.id) throw calendarNotFound();
    throw readOnly();
  }

  private async current(): Promise<CurrentFeed> {
    const { identity, sample, staleSinceMs } = this.account;
    const { signal } = this.session;
    const request: FeedRequest = { id: this.id, url: this.url, identity, sample, staleSinceMs, signal };
    try {
      return await this.feeds.current(request);
    } finally {
      await this.remember(request);
    }
  }

  /** Stores facts of a download for other processes, and for this one after a restart. */
  private async remember(request: FeedRequest): Promise<void> {
    const news = this.feeds.takeNews(request);
    if (news === null) return;
    const before = JSON.stringify(toProviderState(this.account));
    const state = toProviderState({ ...this.account, ...news });
    if (JSON.stringify(state) !== before) await this.session.saveProviderState(state);
  }
}

export function readOnly(): DomainError {
  return new DomainError('ReadOnlyCalendar', 'A calendar feed can be read alone: nothing in it can be changed.');
}

function calendarOf(id: string, name: string, { facts }: Feed): Calendar {
  return {
    id,
    name,
    hexColor: facts.hexColor ?? paletteColor(id),
    readOnly: true,
    isPrimary: false,
    isShared: false,
    timeZone: facts.timeZone ?? 'UTC',
    inviteEmail: '',
    allowedOnlineMeetingProviders: [],
  };
}

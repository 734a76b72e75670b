import type { ProviderType } from '../accounts/account.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Milliseconds. A random value between both spreads the reads of different calendars. */
export interface Interval {
  min: number;
  max: number;
}

/** Reads of calendars with a live channel, which find lost notifications. */
export const READS = {
  /** Finds one within ten minutes, and proves the credentials often enough. */
  near: { min: 8 * MINUTE_MS, max: 8.75 * MINUTE_MS },
  /** For an hour after notifications were missing. */
  hurried: { min: 19 * MINUTE_MS, max: 23 * MINUTE_MS },
  far: { min: 25 * MINUTE_MS, max: 30 * MINUTE_MS },
  /** No calendar is read less often. */
  limit: { min: 55 * MINUTE_MS, max: 60 * MINUTE_MS },
} as const satisfies Record<string, Interval>;

/** Reads of calendars without a live channel. */
export const POLLED: Interval = { min: 45 * SECOND_MS, max: 55 * SECOND_MS };
const MAX_POLLED_MS = 15 * MINUTE_MS;

/** Two notifications, each followed by a read, and a new channel every 5.4 days. */
const PUSHED_PER_DAY = 2.4;
const CALLERS_SHARE = 0.1;
/** Part of the remaining requests that reads plan with: intervals and hours of the ledger are not exact. */
const MARGIN = 0.97;

export interface QuotaUse {
  /** null without a daily limit. */
  requestsPerDay: number | null;
  /** Requests for callers in the last 24 hours. */
  calls: number;
  /** Calendars with a live channel, and without. */
  pushed: number;
  polled: number;
  isHurried?: boolean;
}

export interface ReadingPlan {
  /** Calendars that are read at {@link READS.near}. */
  near: number;
  others: Interval;
  /** Of calendars without a live channel; null for the usual interval. */
  polled: Interval | null;
}

/**
 * Plans the reads of a project's calendars so that they stay within the requests that callers leave of a day. Polled
 * calendars have half of them, and what pushed ones do not need; pushed ones are read once an hour before that.
 */
export function planReads(use: QuotaUse): ReadingPlan {
  const plan = planByRequests(use);
  return use.isHurried === true && plan.others.max > READS.hurried.max ? { ...plan, others: READS.hurried } : plan;
}

function planByRequests({ requestsPerDay, calls, pushed, polled: polledCalendars }: QuotaUse): ReadingPlan {
  if (requestsPerDay === null) return { near: pushed, others: READS.near, polled: null };
  const [near, far] = [perDay(READS.near), perDay(READS.far)];
  const left = MARGIN * (requestsPerDay - Math.max(calls, CALLERS_SHARE * requestsPerDay)) - pushed * PUSHED_PER_DAY;
  const forPolled = Math.max(Math.min(left / 2, left - pushed * perDay(READS.limit)), left - pushed * near);
  const polled = planPolled(forPolled, polledCalendars);
  const forReads = left - polledCalendars * perDay(polled ?? POLLED);
  if (forReads >= pushed * near) return { near: pushed, others: READS.far, polled };
  if (forReads >= pushed * far)
    return { near: Math.floor((forReads - pushed * far) / (near - far)), others: READS.far, polled };
  const meanMs = Math.min((DAY_MS * Math.max(pushed, 1)) / Math.max(forReads, 1), meanOf(READS.limit));
  const spreadMs = 2.5 * MINUTE_MS;
  return { near: 0, others: { min: meanMs - spreadMs, max: meanMs + spreadMs }, polled };
}

/** @param requests of all polled calendars in a day */
function planPolled(requests: number, calendars: number): Interval | null {
  const factor = (calendars * perDay(POLLED)) / Math.max(requests, 1);
  return factor <= 1 ? null : stretched(factor);
}

/** Plans the reads of the calendars on one server. @param requestsPerMinute that all of them may send */
export function planServer(requestsPerMinute: number, calendars: number): Interval {
  return stretched((calendars / requestsPerMinute) * (MINUTE_MS / meanOf(POLLED)));
}

/** The interval of polled calendars, times `factor`: from once up to 15 minutes. */
function stretched(factor: number): Interval {
  const bounded = Math.min(Math.max(1, factor), MAX_POLLED_MS / POLLED.max);
  return { min: Math.round(POLLED.min * bounded), max: Math.round(POLLED.max * bounded) };
}

/** Place of a pushed calendar in the order in which calendars become near. */
export interface ReadingPriority {
  /** 0: its channel is silent or younger than an hour. 1: an application used the account within 15 minutes. 2: other. */
  priority: number;
  /** Last change, else when the calendar was first synced. */
  changedAt: Date;
}

/** The plan of one project or server, as stored. */
export interface StoredPlan extends ReadingPlan, QuotaOwnerRef {
  plannedAt: Date;
  requestsPerDay: number | null;
  /** In the last 24 hours. */
  requestsUsed: number;
  calendars: number;
  /** The last near one. null when all or none are near. */
  lastNear: ReadingPriority | null;
}

/** `calendars` of a server's plan counts those that are polled there; that of a project's plan those with a channel. */
export function isOfServer({ quotaOwner }: Pick<StoredPlan, 'quotaOwner'>): boolean {
  return quotaOwner.includes('://');
}

export function isNear(plan: Pick<StoredPlan, 'calendars' | 'near' | 'lastNear'>, own: ReadingPriority): boolean {
  const { calendars, near, lastNear } = plan;
  if (lastNear === null) return near > 0 && near >= calendars;
  if (own.priority !== lastNear.priority) return own.priority < lastNear.priority;
  return own.changedAt >= lastNear.changedAt;
}

export interface QuotaOwnerRef {
  providerType: ProviderType;
  /** Project, or origin of a server. */
  quotaOwner: string;
}

/** Calendars of a project or server, in ACTIVE accounts. */
export interface QuotaOwner extends QuotaOwnerRef {
  pushed: number;
  polled: number;
  /** Pushed calendars whose last notification is from the last ten minutes, and from the hour before. */
  notifiedLately: number;
  notifiedBefore: number;
  /** Requests of the last 24 hours: for callers, and all. */
  calls: number;
  requests: number;
  /** The server has answered 429 or 503 within ten minutes. */
  isStrained: boolean;
  /** Its calendars were made due within the last hour because notifications were missing. */
  isHurried: boolean;
}

/** Notifications that ten minutes have to bring before their absence counts. */
const MIN_EXPECTED = 20;
const LOST_BELOW = 1 / 5;

/** Whether a provider seems to have stopped sending notifications. */
export function areNotificationsMissing({
  notifiedLately,
  notifiedBefore,
}: Pick<QuotaOwner, 'notifiedLately' | 'notifiedBefore'>): boolean {
  const expected = notifiedBefore / 6;
  return expected >= MIN_EXPECTED && notifiedLately < expected * LOST_BELOW;
}

/** Plans of projects and servers, over all processes, on the database clock. */
export abstract class ReadingPlanRepository {
  abstract owners(): Promise<QuotaOwner[]>;
  /** Returns the `count`th pushed calendar in the order of {@link ReadingPriority}. null when there are fewer. */
  abstract priorityOf(owner: QuotaOwnerRef, count: number): Promise<ReadingPriority | null>;
  /** Replaces all plans. */
  abstract replace(plans: readonly Omit<StoredPlan, 'plannedAt'>[]): Promise<void>;
  abstract all(): Promise<StoredPlan[]>;
  /** Notes that a server has answered 429 or 503. No-op without a plan. */
  abstract strain(owner: QuotaOwnerRef): Promise<void>;
  /** Makes all pushed calendars due within one to ten minutes, at most once an hour. Returns how many. */
  abstract hurry(owner: QuotaOwnerRef): Promise<number>;
  /** Brings reads of pushed calendars forward that are later from now than `interval` allows. Returns how many. */
  abstract bringForward(owner: QuotaOwnerRef, interval: Interval): Promise<number>;
}

function perDay(interval: Interval): number {
  return DAY_MS / meanOf(interval);
}

function meanOf({ min, max }: Interval): number {
  return (min + max) / 2;
}

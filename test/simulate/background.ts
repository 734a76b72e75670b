import {
  areNotificationsMissing,
  isNear,
  planReads,
  READS,
  type Interval,
  type ReadingPlan,
  type ReadingPriority,
} from '#domain/usage';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const CHECK_MS = 480 * SECOND_MS;
const ACCEPTED_FOR_MS = 1.1 * CHECK_MS;
const CHANNEL_LIFE_MS = 5.4 * DAY_MS;
/** Callers hold a change back that long. */
const COALESCE_MS = 2 * SECOND_MS;
const CHANGES_PER_DAY = 2;

export interface Day {
  /** Accounts with one subscribed calendar each. */
  accounts: number;
  requestsPerDay: number;
  /** Part of the notifications that get lost, 0 to 1. */
  lost?: number;
  /** Hours of the day in which all notifications get lost. */
  outage?: { from: number; to: number };
  /** Grants that users revoke in the day. */
  revoked?: number;
}

export interface Outcome {
  requests: number;
  /** Calendars that are read near at the end of the day. */
  near: number;
  /** Longest times until a lost change was found, in minutes: of calendars whose next read was near, and of the others. */
  nearMinutes: number;
  otherMinutes: number;
  lost: number;
  /** Longest time until dead credentials were found, in minutes. */
  revokedMinutes: number;
  revokedFound: number;
}

interface Account {
  nextReadMs: number;
  wasNear: boolean;
  nextCheckMs: number;
  provenMs: number;
  changedMs: number;
  notifiedMs: number;
  channelMs: number;
  /** Changes that no read has found, oldest first. */
  missed: number[];
  revokedMs: number;
  isFound: boolean;
}

/** Same numbers in every run. */
function randomOf(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Runs the policies of `#domain/usage` through a day with accounts that nobody calls, in steps of a second. The day
 * before settles intervals and counts; it is left out of the outcome.
 */
export function simulateDay({ accounts: count, requestsPerDay, lost = 0, outage, revoked = 0 }: Day): Outcome {
  const random = randomOf(count);
  const within = ({ min, max }: Interval) => min + random() * (max - min);
  const accounts = Array.from({ length: count }, (_, index): Account => {
    const revokedMs = index < revoked ? DAY_MS + random() * (DAY_MS - HOUR_MS) : Number.POSITIVE_INFINITY;
    return {
      nextReadMs: random() * READS.limit.max,
      wasNear: false,
      nextCheckMs: random() * CHECK_MS,
      provenMs: 0,
      changedMs: -random() * DAY_MS,
      notifiedMs: Number.NEGATIVE_INFINITY,
      channelMs: -random() * CHANNEL_LIFE_MS,
      missed: [],
      revokedMs,
      isFound: false,
    };
  });
  const due = new Seconds(2 * DAY_MS);
  accounts.forEach((account, index) => {
    due.add(account.nextReadMs, index);
    due.add(account.nextCheckMs, index);
  });
  const changes = new Seconds(2 * DAY_MS);
  for (let index = 0; index < count; index += 1) {
    for (let day = 0; day < 2; day += 1) {
      // People change meetings between 7 and 21 h.
      for (let n = 0; n < CHANGES_PER_DAY; n += 1) changes.add(day * DAY_MS + (7 + random() * 14) * HOUR_MS, index);
    }
  }

  let plan: ReadingPlan = { near: 0, others: READS.far, polled: null };
  let lastNear: ReadingPriority | null = null;
  let hurriedMs = Number.NEGATIVE_INFINITY;
  const outcome: Outcome = {
    ...{ requests: 0, near: 0, nearMinutes: 0, otherMinutes: 0, lost: 0, revokedMinutes: 0, revokedFound: 0 },
  };

  const priorityOf = ({ channelMs, changedMs }: Account, nowMs: number): ReadingPriority => ({
    priority: nowMs - channelMs < HOUR_MS ? 0 : 2,
    changedAt: new Date(changedMs),
  });
  const request = (nowMs: number, requests = 1) => {
    if (nowMs >= DAY_MS) outcome.requests += requests;
  };
  const find = (account: Account, nowMs: number) => {
    if (account.isFound || nowMs < account.revokedMs) return;
    account.isFound = true;
    outcome.revokedFound += 1;
    outcome.revokedMinutes = Math.max(outcome.revokedMinutes, (nowMs - account.revokedMs) / MINUTE_MS);
  };
  const read = (account: Account, index: number, nowMs: number) => {
    request(nowMs);
    if (nowMs >= account.revokedMs) return find(account, nowMs);
    account.provenMs = nowMs;
    for (const changedMs of account.missed) {
      if (changedMs < DAY_MS) continue;
      outcome.lost += 1;
      const kind = account.wasNear ? 'nearMinutes' : 'otherMinutes';
      outcome[kind] = Math.max(outcome[kind], (nowMs - changedMs) / MINUTE_MS);
    }
    if (account.missed.length > 0) account.changedMs = nowMs;
    account.missed = [];
    if (nowMs - account.channelMs > CHANNEL_LIFE_MS) {
      account.channelMs = nowMs;
      request(nowMs, 2);
    }
    account.wasNear = isNear({ calendars: count, near: plan.near, lastNear }, priorityOf(account, nowMs));
    account.nextReadMs = nowMs + within(account.wasNear ? READS.near : plan.others);
    due.add(account.nextReadMs, index);
  };
  const check = (account: Account, index: number, nowMs: number) => {
    const acceptedUntilMs = account.provenMs + ACCEPTED_FOR_MS;
    // OpenID's userinfo is no Calendar request.
    if (acceptedUntilMs <= nowMs) find(account, nowMs);
    account.nextCheckMs = acceptedUntilMs > nowMs ? acceptedUntilMs : nowMs + CHECK_MS * (0.9 + 0.2 * random());
    due.add(account.nextCheckMs, index);
  };
  const change = (account: Account, index: number, nowMs: number) => {
    const hour = (nowMs - DAY_MS) / HOUR_MS;
    const isLost = (outage !== undefined && hour >= outage.from && hour < outage.to) || random() < lost;
    if (isLost) return void account.missed.push(nowMs);
    account.notifiedMs = nowMs;
    account.changedMs = nowMs;
    account.nextReadMs = Math.min(account.nextReadMs, nowMs + COALESCE_MS);
    due.add(account.nextReadMs, index);
  };
  const bringForward = (nowMs: number) => {
    accounts.forEach((account, index) => {
      if (account.nextReadMs <= nowMs + READS.hurried.max) return;
      account.nextReadMs = nowMs + within(READS.hurried);
      due.add(account.nextReadMs, index);
    });
  };
  const replan = (nowMs: number) => {
    const isHurried = nowMs - hurriedMs < HOUR_MS;
    if (isHurried) bringForward(nowMs);
    plan = planReads({ requestsPerDay, calls: 0, pushed: count, polled: 0, isHurried });
    const ranks = new Float64Array(count);
    accounts.forEach((account, index) => {
      const { priority, changedAt } = priorityOf(account, nowMs);
      ranks[index] = priority * 1e15 - changedAt.getTime();
    });
    ranks.sort();
    const rank = plan.near > 0 && plan.near < count ? (ranks[plan.near - 1] as number) : null;
    const priority = rank !== null && rank < 1e15 ? 0 : 2;
    lastNear = rank === null ? null : { priority, changedAt: new Date(priority * 1e15 - rank) };
    const notified = (from: number, to: number) =>
      accounts.filter(({ notifiedMs }) => notifiedMs > nowMs - from && notifiedMs <= nowMs - to).length;
    const counts = {
      notifiedLately: notified(10 * MINUTE_MS, 0),
      notifiedBefore: notified(70 * MINUTE_MS, 10 * MINUTE_MS),
    };
    if (!areNotificationsMissing(counts) || isHurried) return;
    hurriedMs = nowMs;
    accounts.forEach((account, index) => {
      account.nextReadMs = Math.min(account.nextReadMs, nowMs + (1 + 9 * random()) * MINUTE_MS);
      due.add(account.nextReadMs, index);
    });
  };

  for (let nowMs = 0; nowMs < 2 * DAY_MS; nowMs += SECOND_MS) {
    if (nowMs % MINUTE_MS === 0) replan(nowMs);
    for (const index of changes.take(nowMs)) change(accounts[index] as Account, index, nowMs);
    for (const index of due.take(nowMs)) {
      const account = accounts[index] as Account;
      if (account.isFound) continue;
      if (account.nextReadMs <= nowMs) read(account, index, nowMs);
      if (account.nextCheckMs <= nowMs) check(account, index, nowMs);
    }
  }
  outcome.near = accounts.filter(({ wasNear }) => wasNear).length;
  return outcome;
}

/** Indexes by the second in which something of them is due. */
class Seconds {
  private readonly slots: (number[] | undefined)[];

  constructor(lengthMs: number) {
    this.slots = new Array<number[] | undefined>(lengthMs / SECOND_MS + 1);
  }

  add(atMs: number, index: number): void {
    const slot = Math.ceil(atMs / SECOND_MS);
    if (slot < this.slots.length) (this.slots[slot] ??= []).push(index);
  }

  take(atMs: number): number[] {
    const slot = atMs / SECOND_MS;
    const found = this.slots[slot] ?? [];
    this.slots[slot] = undefined;
    return found;
  }
}

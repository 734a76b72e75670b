import type { MicrosoftUser } from '../contract.js';
import { addressOf } from '../users.js';
import type { Attendee, Content, EventRecord, Response } from './model.js';
import { itemOf } from './series.js';

/** Attendees whose replies are reset: all, those of one instance, or none (null). */
export type Reset = { kind: 'all' } | { kind: 'instance'; date: string } | null;

export const NO_RESPONSE: Response = { response: 'none', atMs: null };
const UNANSWERED: Response = { response: 'notResponded', atMs: null };
const CANCELED = 'Canceled: ';

export function isAskedAgain(reset: Reset, date: string): boolean {
  return reset?.kind === 'all' || (reset?.kind === 'instance' && reset.date === date);
}

/** Original days of instances that differ from the series in either copy. */
export function touchedDates(meeting: EventRecord, mine: EventRecord | undefined): Set<string> {
  const own = mine === undefined ? [] : [...Object.keys(mine.exceptions), ...mine.cancelled];
  return new Set([...Object.keys(meeting.exceptions), ...meeting.cancelled, ...own]);
}

/** Returns an attendee's copy of one instance; null without one. */
export function copiedInstance(
  meeting: EventRecord,
  mine: EventRecord | undefined,
  user: MicrosoftUser,
  date: string,
  reset: Reset,
): Content | null {
  if (mine?.cancelled.includes(date) === true && !isAskedAgain(reset, date)) return null;
  const own = mine?.exceptions[date]?.content;
  if (meeting.cancelled.includes(date)) {
    if (mine === undefined) return null;
    return calledOff(own ?? itemOf(mine, date).content);
  }
  const theirs = itemOf(meeting, date).content;
  const copied = received(theirs, own ?? mine?.content, isAskedAgain(reset, date));
  return theirs.attendees.some((attendee) => isSame(attendee, user)) ? copied : calledOff(copied);
}

/** Returns an attendee's copy of a meeting, with the attendee's own fields. */
export function received(from: Content, mine: Content | undefined, isReset: boolean): Content {
  const isReply = mine !== undefined && !isReset && !mine.isCancelled;
  return {
    ...from,
    categories: mine?.categories ?? [],
    isReminderOn: mine?.isReminderOn ?? true,
    reminderMinutesBeforeStart: mine?.reminderMinutesBeforeStart ?? 15,
    properties: mine?.properties ?? {},
    showAs: isReply ? mine.showAs : 'tentative',
    response: isReply ? mine.response : UNANSWERED,
    attendees: from.attendees.map((attendee) => ({ ...attendee, status: NO_RESPONSE })),
    isCancelled: false,
  };
}

export function calledOff(content: Content): Content {
  if (content.isCancelled) return content;
  return { ...content, subject: `${CANCELED}${content.subject}`, isCancelled: true, showAs: 'free' };
}

export function isSame({ emailAddress }: Attendee, user: MicrosoftUser | undefined): boolean {
  const address = emailAddress.address.toLowerCase();
  return user !== undefined && [addressOf(user), user.userPrincipalName].some((own) => own.toLowerCase() === address);
}

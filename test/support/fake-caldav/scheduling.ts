/** A scheduling message that the server sends of a write (RFC 6638 §3.2). */
export interface SchedulingMessage {
  method: 'REQUEST' | 'CANCEL' | 'REPLY';
  /** Calendar user address, lower-case. */
  to: string;
}

interface Line {
  /** Lower-case. */
  address: string;
  agent: string;
  answer: string;
}

interface Version {
  organizer: Line | null;
  /** Of all components, by the instance and the address. */
  attendees: Map<string, Line>;
  exclusions: string;
}

const NOTHING: Version = { organizer: null, attendees: new Map(), exclusions: '' };

/** The messages of a write by the tables of RFC 6638 §3.2.1 and §3.2.2. Kept apart from the product's own reading of them. */
export function messagesOf(
  before: string | undefined,
  after: string | undefined,
  own: readonly string[],
  scheduleReply: string | undefined,
): SchedulingMessage[] {
  const old = before === undefined ? NOTHING : versionOf(before);
  const now = after === undefined ? NOTHING : versionOf(after);
  const organizer = now.organizer ?? old.organizer;
  if (organizer === null) return [];
  return own.includes(organizer.address)
    ? toGuests(old, now, own)
    : toOrganizer(old, now, own, organizer, scheduleReply);
}

function toGuests(old: Version, now: Version, own: readonly string[]): SchedulingMessage[] {
  const messages = new Map<string, SchedulingMessage>();
  for (const key of new Set([...old.attendees.keys(), ...now.attendees.keys()])) {
    const address = (now.attendees.get(key) ?? old.attendees.get(key))!.address;
    if (own.includes(address)) continue;
    if (now.attendees.get(key)?.agent === 'SERVER') messages.set(key, { method: 'REQUEST', to: address });
    else if (old.attendees.get(key)?.agent === 'SERVER') messages.set(key, { method: 'CANCEL', to: address });
  }
  return [...messages.values()];
}

function toOrganizer(
  old: Version,
  now: Version,
  own: readonly string[],
  { address, agent }: Line,
  scheduleReply: string | undefined,
): SchedulingMessage[] {
  const responses = ({ attendees, exclusions }: Version) =>
    JSON.stringify([
      [...attendees].filter(([, line]) => own.includes(line.address)).map(([key, { answer }]) => [key, answer]),
      exclusions,
    ]);
  const isMissingNotifications = agent !== 'SERVER' || (now === NOTHING && scheduleReply === 'F') || old === NOTHING;
  return isMissingNotifications || responses(old) === responses(now) ? [] : [{ method: 'REPLY', to: address }];
}

function versionOf(body: string): Version {
  const events = body
    .replaceAll(/\r?\n[ \t]/g, '')
    .split('BEGIN:VEVENT')
    .slice(1)
    .map((event) => event.split(/\r?\n/));
  const named = (lines: string[], name: string) => lines.filter((line) => new RegExp(`^${name}[;:]`, 'i').test(line));
  const attendees = new Map<string, Line>();
  for (const lines of events) {
    const instance = named(lines, 'RECURRENCE-ID')[0] ?? '';
    for (const line of named(lines, 'ATTENDEE').map(read)) attendees.set(`${instance} ${line.address}`, line);
  }
  const all = events.flat();
  const organizer = named(all, 'ORGANIZER')[0];
  return {
    organizer: organizer === undefined ? null : read(organizer),
    attendees,
    exclusions: named(all, 'EXDATE').join(),
  };
}

function read(line: string): Line {
  const [, parameters = '', value = ''] = /^[^;:]+((?:;[^=]+=(?:"[^"]*"|[^;:"]*)+)*):(.*)$/.exec(line) ?? [];
  const parameter = (name: string) => new RegExp(`;${name}=([^;]*)`, 'i').exec(parameters)?.[1]?.toUpperCase();
  return {
    address: value.trim().toLowerCase(),
    agent: parameter('SCHEDULE-AGENT') ?? 'SERVER',
    answer: parameter('PARTSTAT') ?? 'NEEDS-ACTION',
  };
}

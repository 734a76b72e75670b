import type { WireEvent } from './model.js';

/** What only the service writes (events reference, "Read-only" and "Immutable"). */
const READ_ONLY = ['created', 'updated', 'creator', 'organizer', 'hangoutLink', 'htmlLink', 'locked', 'etag'] as const;
const IMMUTABLE = ['recurringEventId', 'originalStartTime'] as const;
/** Decided when the event is made. */
const FIXED = ['privateCopy', 'birthdayProperties'] as const;

/** Tells of fields that the service ignores; a correct client does not send them. */
export function noteIgnoredFields(
  body: WireEvent,
  write: 'insert' | 'import' | 'patch' | 'update',
  violation: (message: string) => void,
): void {
  const isNew = write === 'insert' || write === 'import';
  const ignored = [...READ_ONLY, ...IMMUTABLE, ...(isNew ? [] : FIXED)].filter(
    (name) => body[name] !== undefined && !(write === 'import' && name === 'organizer'),
  );
  for (const name of ignored) violation(`events.${write}: ${name} is read-only`);
  if (body.conferenceData?.createRequest?.status !== undefined) {
    violation(`events.${write}: conferenceData.createRequest.status is read-only`);
  }
  if (body.attachments?.some(({ fileId }) => fileId !== undefined)) {
    violation(`events.${write}: attachments[].fileId is read-only`);
  }
  if (write === 'insert' && body.id != null && body.iCalUID != null) {
    violation('events.insert: only one of id and iCalUID should be given');
  }
}

/** Alias for the id of an account's primary calendar, where the provider has one. */
export const PRIMARY = 'primary';

/** A calendar, section 2.3 of the interface specification. */
export interface Calendar {
  id: string;
  name: string;
  /** `#RRGGBB`, upper case. */
  hexColor: string;
  readOnly: boolean;
  /** undefined is omitted from the response (GOOGLE, MICROSOFT when not primary). */
  isPrimary?: boolean;
  isShared: boolean;
  timeZone: string;
  /** Empty when the provider knows no address. */
  inviteEmail: string;
  allowedOnlineMeetingProviders: string[];
  defaultOnlineMeetingProvider?: string;
}

/** A calendar deleted since the sync token was issued. */
export interface DeletedCalendar {
  id: string;
  isDeleted: true;
}

/** undefined keeps the current value. */
export interface CalendarInput {
  name?: string;
  hexColor?: string;
  timeZone?: string;
}

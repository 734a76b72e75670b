/** Stands for the id of an account's primary calendar wherever a provider knows which one that is. */
export const PRIMARY = 'primary';

/** A calendar, section 2.3 of the interface specification. */
export interface Calendar {
  id: string;
  name: string;
  /** `#RRGGBB`, upper case. */
  hexColor: string;
  readOnly: boolean;
  /** undefined: omitted from the answer (GOOGLE, MICROSOFT when not primary). */
  isPrimary?: boolean;
  isShared: boolean;
  /** IANA id. */
  timeZone: string;
  /** Empty when the provider knows no address. */
  inviteEmail: string;
  allowedOnlineMeetingProviders: string[];
  defaultOnlineMeetingProvider?: string;
}

/** A calendar that is gone since the sync token was issued. */
export interface DeletedCalendar {
  id: string;
  isDeleted: true;
}

/** What a caller may write. undefined: leave as it is. */
export interface CalendarInput {
  name?: string;
  /** `#RRGGBB`, upper case. */
  hexColor?: string;
  timeZone?: string;
}

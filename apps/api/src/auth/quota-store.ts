/** What all processes together have used of a quota in the window that is open. */
export interface UsedQuota {
  /** With what was just asked for. More than the quota: not all of that was there. */
  used: number;
  /** Until the window ends, milliseconds; the next one begins with the next use. */
  endsInMs: number;
}

/** Where processes share quotas. */
export interface QuotaStore {
  /** Takes `count` from the quota of `subject`. @throws Error when there is no answer soon */
  take(subject: string, count: number): Promise<UsedQuota>;
  close(): void;
}

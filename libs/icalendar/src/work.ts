import { IcsSyntaxError, RecurrenceError } from './errors.js';

/** Each limit takes some milliseconds. Real objects need a hundredth of it. */
const MAX_RECURRENCE_STEPS = 25_000;
const MAX_ZONE_STEPS = 10_000;

/** Limits the cost of reading one object, because limits per rule, series or zone do not bound many of them. */
export class Work {
  private steps = 0;
  /** Reused, because creating an error is expensive. */
  private exceeded: Error | null = null;

  private constructor(
    private readonly maxSteps: number,
    private readonly errorOf: () => Error,
  ) {}

  /** Counts periods and wall-clock times. Throws `too-large` beyond the limit. */
  static ofRecurrence(maxSteps = MAX_RECURRENCE_STEPS): Work {
    const message = `needs more than ${maxSteps} iterations`;
    return new Work(maxSteps, () => new RecurrenceError('too-large', 'RRULE', message));
  }

  /** Counts offset changes of VTIMEZONEs. Throws IcsSyntaxError beyond the limit. */
  static ofZones(): Work {
    return new Work(
      MAX_ZONE_STEPS,
      () => new IcsSyntaxError(`iCalendar object has time zones that need more than ${MAX_ZONE_STEPS} steps`),
    );
  }

  spend(steps: number): void {
    this.steps += steps;
    if (this.steps > this.maxSteps) throw (this.exceeded ??= this.errorOf());
  }
}

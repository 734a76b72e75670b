import { IcsSyntaxError, RecurrenceError } from './errors.js';

/** Some milliseconds of each. Real objects need a hundredth of it. */
const MAX_RECURRENCE_STEPS = 25_000;
const MAX_ZONE_STEPS = 10_000;

/**
 * What a part of reading one object may cost, whatever it is made of: of many rules, series, lookups or zones each alone
 * would be within its bounds.
 */
export class Work {
  private steps = 0;
  /** One for all who come later: making an error costs more than what they would have done. */
  private refused: Error | null = null;

  private constructor(
    private readonly maxSteps: number,
    private readonly refusal: () => Error,
  ) {}

  /** Periods of rules looked at, and wall-clock times weighed; beyond it `too-large`. */
  static ofRecurrence(maxSteps = MAX_RECURRENCE_STEPS): Work {
    const message = `needs more than ${maxSteps} iterations`;
    return new Work(maxSteps, () => new RecurrenceError('too-large', 'RRULE', message));
  }

  /** Changes of offset that VTIMEZONEs were asked for; beyond it the object cannot be read. */
  static ofZones(): Work {
    return new Work(
      MAX_ZONE_STEPS,
      () => new IcsSyntaxError(`iCalendar object has time zones that need more than ${MAX_ZONE_STEPS} steps`),
    );
  }

  spend(steps: number): void {
    this.steps += steps;
    if (this.steps > this.maxSteps) throw (this.refused ??= this.refusal());
  }
}

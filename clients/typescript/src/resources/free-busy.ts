import type { FreeBusyCalendar } from '../generated/types.gen.js';
import type { Body, Call, Options, Params } from '../operation.js';

/** When calendars are busy. */
export class FreeBusy {
  constructor(private readonly call: Call) {}

  /** One element for each calendar, in the order asked. */
  query(
    params: Params<'queryFreeBusy'>,
    body: Body<'queryFreeBusy'>,
    options?: Options<'queryFreeBusy'>,
  ): Promise<FreeBusyCalendar[]> {
    return this.call('queryFreeBusy', { params, body }, options);
  }
}

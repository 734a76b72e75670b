import type { Usage } from '../generated/types.gen.js';
import type { Call, Options, Params } from '../operation.js';

/** Requests that the service sent to providers for the application. */
export class UsageReports {
  constructor(private readonly call: Call) {}

  /** By day, provider and cause, newest day first. */
  get(params: Params<'getUsage'> = {}, options?: Options<'getUsage'>): Promise<Usage> {
    return this.call('getUsage', { params }, options);
  }
}

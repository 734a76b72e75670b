import { DomainError, type DomainErrorOptions, type ErrorCode } from '#domain';

/** A failure whose status says more than its code: HTTP's own affairs (401 of a session, 415), which only this layer knows. */
export class HttpFailure extends DomainError {
  constructor(
    code: ErrorCode,
    message: string,
    readonly status: number,
    options: DomainErrorOptions = {},
  ) {
    super(code, message, options);
  }
}

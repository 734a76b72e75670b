import { Injectable } from '@nestjs/common';
import { DomainError, invalid } from '#domain/system';
import { Egress, EgressError } from '#egress';

const MAX_LENGTH = 2_048;

@Injectable()
export class EndpointUrlPolicy {
  constructor(private readonly egress: Egress) {}

  /**
   * Requires a public https URL without user information and fragment. Every attempt checks again.
   * @param field name of the URL in the request: `webhookUrl`, `url`
   * @throws DomainError ValidationFailed for an invalid URL; ServerNotAllowed for a blocked address or an unknown name
   */
  async assertAllowed(url: string, field: string): Promise<void> {
    if (url.length > MAX_LENGTH) throw invalid(field, `must have at most ${MAX_LENGTH} characters`);
    try {
      await this.egress.check(url);
    } catch (error) {
      if (!(error instanceof EgressError) || error.failure === 'aborted') throw error;
      throw error.failure === 'bad-url'
        ? invalid(
            field,
            'must be an https URL without user information and fragment, on port 443 or a free one from 1024',
          )
        : new DomainError('ServerNotAllowed', `${field} is not allowed: it must be a public address.`, {
            cause: error,
          });
    }
  }
}

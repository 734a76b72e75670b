import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { OperatorInvitations } from '#application';

/**
 * The way in before there is an operator: whoever reads this log may be the first one. Every start makes a new link, so
 * that an old log opens nothing.
 */
@Injectable()
export class SetupLink implements OnApplicationBootstrap {
  private readonly logger = new Logger(SetupLink.name);

  constructor(private readonly invitations: OperatorInvitations) {}

  async onApplicationBootstrap(): Promise<void> {
    const setupLink = await this.invitations.renewSetupLink();
    if (setupLink !== null)
      this.logger.warn({ msg: 'there is no operator yet: this link makes the first one', setupLink });
  }
}

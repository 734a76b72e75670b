import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { OperatorInvitations, OperatorSettings, OperatorsService } from '#application';

/**
 * The way in before there is an operator: whoever reads this log may be the first one. Every start makes a new link, so
 * that an old log opens nothing.
 */
@Injectable()
export class SetupLink implements OnApplicationBootstrap {
  private readonly logger = new Logger(SetupLink.name);

  constructor(
    private readonly invitations: OperatorInvitations,
    private readonly operators: OperatorsService,
    private readonly settings: OperatorSettings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // A link sets a password.
    if (!this.settings.hasPasswords) return this.sayHowToInvite();
    const setupLink = await this.invitations.renewSetupLink();
    if (setupLink !== null)
      this.logger.warn({ msg: 'there is no operator yet: this link makes the first one', setupLink });
  }

  private async sayHowToInvite(): Promise<void> {
    if (!(await this.operators.isEmpty())) return;
    this.logger.warn({
      msg: 'there is no operator yet: invite the first one, who then comes by single sign-on',
      command: 'operator create --email <email>',
    });
  }
}

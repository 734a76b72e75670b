import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { OperatorInvitations, OperatorSettings, OperatorsService } from '#application';
import { CONFIG, type Config } from '#platform';

/** In the folder of the service, of an image or of a checkout. */
const SETUP_COMMAND = 'node dist/apps/ops/src/main.js operator create --email <address>';

/**
 * The way in before there is an operator. Logs of production are read by more people than may become the first one: what
 * they say is of use to nobody who cannot run commands there. Elsewhere whoever reads the log may be the first operator.
 */
@Injectable()
export class SetupLink implements OnApplicationBootstrap {
  private readonly logger = new Logger(SetupLink.name);

  constructor(
    private readonly invitations: OperatorInvitations,
    private readonly operators: OperatorsService,
    private readonly settings: OperatorSettings,
    @Inject(CONFIG) private readonly config: Pick<Config, 'nodeEnv'>,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // A link sets a password.
    if (!this.settings.hasPasswords) return this.nameCommand();
    if (this.config.nodeEnv === 'production') {
      // An earlier start may have logged one, when this was not production yet.
      await this.invitations.withdrawSetupLink();
      return this.nameCommand();
    }
    const setupLink = await this.invitations.renewSetupLink();
    if (setupLink !== null)
      this.logger.warn({ msg: 'there is no operator yet: this link makes the first one', setupLink });
  }

  private async nameCommand(): Promise<void> {
    if (!(await this.operators.isEmpty())) return;
    if (this.settings.hasPasswords) {
      this.logger.warn({
        msg: 'there is no operator yet: this command makes a link for the first one',
        setupCommand: SETUP_COMMAND,
      });
    } else {
      this.logger.warn({
        msg: 'there is no operator yet: invite the first one, who then comes by single sign-on',
        command: 'operator create --email <email>',
      });
    }
  }
}

import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { OperatorInvitations, OperatorSettings, OperatorsService } from '#application/operator';
import { CONFIG, type Config } from '#platform';

/** Relative to the root of the image or checkout. */
const SETUP_COMMAND = 'node dist/apps/ops/src/main.js operator create --email <address>';

/** Production logs have many readers, so they name a command that requires access to the machine, not the link. */
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
    // The link sets a password.
    if (!this.settings.hasPasswords) return this.nameCommand();
    if (this.config.nodeEnv === 'production') {
      // An earlier start outside production may have logged a link.
      await this.invitations.withdrawSetupLink();
      return this.nameCommand();
    }
    const setupLink = await this.invitations.renewSetupLink();
    if (setupLink !== null) this.logger.warn({ msg: 'no operator yet: this link creates the first one', setupLink });
  }

  private async nameCommand(): Promise<void> {
    if (!(await this.operators.isEmpty())) return;
    if (this.settings.hasPasswords) {
      this.logger.warn({
        msg: 'no operator yet: this command creates a link for the first one',
        setupCommand: SETUP_COMMAND,
      });
    } else {
      this.logger.warn({
        msg: 'no operator yet: invite the first one, who signs in by single sign-on',
        command: 'operator create --email <email>',
      });
    }
  }
}

import { Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorSettings, OperatorsService, SingleSignOn } from '#application';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { WithoutSession } from '../operator.decorators.js';
import { WelcomeDto } from './session.dto.js';

@ApiTags('Session')
@OperatorController('welcome')
export class WelcomeController {
  constructor(
    private readonly operators: OperatorsService,
    private readonly singleSignOn: SingleSignOn,
    private readonly settings: OperatorSettings,
  ) {}

  /** Read how to get in. */
  @Get()
  @WithoutSession()
  async welcome(@Query() _: NoQuery): Promise<WelcomeDto> {
    const { label } = this.singleSignOn;
    return {
      needsSetup: await this.operators.isEmpty(),
      hasPasswords: this.settings.hasPasswords,
      singleSignOn: label === null ? null : { label },
    };
  }
}

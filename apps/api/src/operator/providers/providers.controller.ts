import { Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { ForTokens } from '../operator.decorators.js';
import { ProviderListDto } from './provider.dto.js';

@ApiTags('Providers')
@OperatorController('providers')
@ForTokens('applications')
export class ProvidersController {
  /** List the providers that accounts are connected with, and what an OAuth client of each one needs. */
  @Get()
  listProviders(@Query() _: NoQuery): ProviderListDto {
    return ProviderListDto.ofAll();
  }
}

import { Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OverviewService } from '#application';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { OverviewDto } from './overview.dto.js';

@ApiTags('Overview')
@OperatorController('overview')
export class OverviewController {
  constructor(private readonly overview: OverviewService) {}

  /** Read how the installation does. A part that cannot be read in time is null. */
  @Get()
  getOverview(@Query() _: NoQuery): Promise<OverviewDto> {
    return this.overview.read();
  }
}

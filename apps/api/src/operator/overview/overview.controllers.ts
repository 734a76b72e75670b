import { Get, Query, Body, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OverviewService, FailedJobsService } from '#application/operator';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { ForTokens } from '../operator.decorators.js';
import { OverviewDto } from './overview.dto.js';
import { Fails } from '../../openapi/operation.decorators.js';
import { FailedJobListDto, RedriveDto, RedrivenDto } from './failed-job.dto.js';

@ApiTags('Overview')
@OperatorController('overview')
@ForTokens('installation')
export class OverviewController {
  constructor(private readonly overview: OverviewService) {}

  /** Read how the installation does. A part that cannot be read in time is null. */
  @Get()
  getOverview(@Query() _: NoQuery): Promise<OverviewDto> {
    return this.overview.read();
  }
}

@ApiTags('Overview')
@OperatorController('failedJobs')
@ForTokens('installation')
export class FailedJobsController {
  constructor(private readonly jobs: FailedJobsService) {}

  /** List the jobs that failed for good, newest first, at most 100 of each queue. */
  @Get()
  @Fails('ProviderUnavailable')
  async listFailedJobs(@Query() _: NoQuery): Promise<FailedJobListDto> {
    return { data: await this.jobs.list() };
  }

  /** Let a failed job run again, or all of a queue. */
  @Post('redrive')
  @HttpCode(200)
  @Fails('NotFound', 'ProviderUnavailable')
  redriveFailedJobs(@Body() { queue, jobId }: RedriveDto, @Query() _: NoQuery): Promise<RedrivenDto> {
    return this.jobs.redrive(queue, jobId);
  }
}

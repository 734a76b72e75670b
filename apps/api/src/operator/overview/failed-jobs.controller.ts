import { Body, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { FailedJobsService } from '#application';
import { Fails } from '../../openapi/fails.decorator.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { FailedJobListDto, RedriveDto, RedrivenDto } from './failed-job.dto.js';

@ApiTags('Overview')
@OperatorController('failedJobs')
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

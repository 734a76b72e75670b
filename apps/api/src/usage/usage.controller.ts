import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UsageService } from '#application/usage';
import type { ApplicationRef } from '#domain/applications';
import { CurrentApplication } from '../http/request.decorators.js';
import { Fails } from '../openapi/operation.decorators.js';
import { UsageDto, UsageQueryDto } from './usage.dto.js';

const DEFAULT_DAYS = 30;

@ApiTags('Usage')
@Controller('v1/usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  /** Read how many requests were sent to providers for this application. The last minute may be missing. */
  @Get()
  @Fails('ValidationFailed')
  async getUsage(
    @CurrentApplication() application: ApplicationRef,
    @Query() { days = DEFAULT_DAYS }: UsageQueryDto,
  ): Promise<UsageDto> {
    return { data: await this.usage.ofApplication(application, days) };
  }
}

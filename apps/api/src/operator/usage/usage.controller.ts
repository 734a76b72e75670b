import { Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UsageService } from '#application/usage';
import { Fails } from '../../openapi/operation.decorators.js';
import { UsageQueryDto } from '../../usage/usage.dto.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { ForTokens } from '../operator.decorators.js';
import { InstallationUsageDto } from './usage.dto.js';

const DEFAULT_DAYS = 7;

@ApiTags('Usage')
@OperatorController('usage')
@ForTokens('installation')
export class OperatorUsageController {
  constructor(private readonly usage: UsageService) {}

  /** Read where the requests to providers go, and how often unchanged calendars are read. */
  @Get()
  @Fails('ValidationFailed')
  async getInstallationUsage(@Query() { days = DEFAULT_DAYS }: UsageQueryDto): Promise<InstallationUsageDto> {
    const { plans, requests } = await this.usage.ofInstallation(days);
    return {
      plans: plans.map(({ others, polled, lastNear: _, ...plan }) => ({
        ...plan,
        othersEverySeconds: Math.round(others.max / 1_000),
        polledEverySeconds: polled === null ? null : Math.round(polled.max / 1_000),
      })),
      requests,
    };
  }
}

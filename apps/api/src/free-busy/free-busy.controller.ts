import { Body, Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { FreeBusyService } from '#application/free-busy';
import type { ApplicationRef } from '#domain/applications';
import { CurrentApplication, RequiredScope, RequestSignal } from '../http/request.decorators.js';
import { Fails } from '../openapi/operation.decorators.js';
import { NoQuery } from '../validation/request-validation.pipe.js';
import { FreeBusyCalendarDto, FreeBusyQueryDto } from './free-busy.dto.js';

@ApiTags('Free/busy')
@Controller('v1/freeBusy')
export class FreeBusyController {
  constructor(private readonly freeBusy: FreeBusyService) {}

  /** Find out when calendars are busy: one element for each calendar asked, in that order. */
  @Post(':endUserAccountId')
  @HttpCode(200)
  @RequiredScope('read')
  @Fails('ValidationFailed')
  queryFreeBusy(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Body() body: FreeBusyQueryDto,
    @Query() _: NoQuery,
    @RequestSignal() signal: AbortSignal,
  ): Promise<FreeBusyCalendarDto[]> {
    return this.freeBusy.query(application, accountId, body, signal);
  }
}

import { Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorSettings, RequestHistoryService } from '#application/operator';
import { mapPage } from '#application/webhooks';
import { Fails } from '../../openapi/operation.decorators.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { ForTokens } from '../operator.decorators.js';
import { RequestDto, RequestPageDto, ListRequestsQueryDto } from './request.dto.js';

@ApiTags('Requests')
@OperatorController('requests')
@ForTokens('installation')
export class RequestsController {
  constructor(
    private readonly requests: RequestHistoryService,
    private readonly settings: OperatorSettings,
  ) {}

  /** Search what was asked of the API, newest first: metadata alone, kept for `REQUEST_HISTORY_DAYS`. */
  @Get()
  @Fails('PageTokenInvalid')
  async listRequests(@Query() query: ListRequestsQueryDto): Promise<RequestPageDto> {
    return mapPage(await this.requests.search(query), (request) => RequestDto.from(request, this.settings.traceUrl));
  }
}

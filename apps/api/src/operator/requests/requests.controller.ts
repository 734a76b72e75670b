import { Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { mapPage, RequestSearch } from '#application';
import { Fails } from '../../openapi/operation.decorators.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { RequestDto, RequestPageDto, SearchRequestsQueryDto } from './request.dto.js';

@ApiTags('Requests')
@OperatorController('requests')
export class RequestsController {
  constructor(private readonly requests: RequestSearch) {}

  /** Search what was asked of the API, newest first: metadata alone, kept for `REQUEST_LOG_DAYS`. */
  @Get()
  @Fails('PageTokenInvalid')
  async searchRequests(@Query() query: SearchRequestsQueryDto): Promise<RequestPageDto> {
    return mapPage(await this.requests.search(query), (request) => RequestDto.from(request));
  }
}

import { Get, Header, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { OpenApiDocument } from '../openapi/openapi-document.js';
import { NoQuery } from '../validation/request-validation.pipe.js';
import { OperatorController } from './operator-controller.decorator.js';

/** What the API of operators is. For operators: how an installation is run is nobody else's business. */
@ApiExcludeController()
@OperatorController()
export class OperatorOpenApiController {
  constructor(private readonly document: OpenApiDocument) {}

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  openApi(@Query() _: NoQuery): string {
    return this.document.text();
  }
}

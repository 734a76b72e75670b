import { Controller, Get, Header, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { PublicRoute } from '../auth/public-route.decorator.js';
import { NoQuery } from '../validation/request-validation.pipe.js';
import { DOCS_PAGE, DOCS_POLICY, DOCS_START, docsBundle } from './docs-page.js';
import { OpenApiDocument } from './openapi-document.js';

/** The interactive documentation and the document it shows. Public: they hold nothing that is not in the repository. */
@ApiExcludeController()
@PublicRoute()
@Controller()
export class DocsController {
  constructor(private readonly document: OpenApiDocument) {}

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  @Header('cache-control', 'public, max-age=300')
  openApi(@Query() _: NoQuery): string {
    return this.document.text();
  }

  @Get('docs')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', DOCS_POLICY)
  page(): string {
    return DOCS_PAGE;
  }

  @Get('docs/start.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  start(): string {
    return DOCS_START;
  }

  @Get('docs/scalar.js')
  async bundle(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { source, zipped } = await docsBundle();
    const isZipped = request.acceptsEncodings('gzip') === 'gzip';
    response.setHeader('content-type', 'text/javascript; charset=utf-8');
    response.setHeader('cache-control', 'public, max-age=86400');
    response.setHeader('vary', 'accept-encoding');
    if (isZipped) response.setHeader('content-encoding', 'gzip');
    response.send(isZipped ? zipped : source);
  }
}

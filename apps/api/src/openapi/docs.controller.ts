import { Controller, Get, Header, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { PUBLIC_URL } from '#application/system';
import { PublicRoute } from '../http/request.decorators.js';
import { NoQuery } from '../validation/request-validation.pipe.js';
import { DOCS_PAGE, DOCS_START, docsBundle, docsPolicy } from './docs-page.js';
import { OpenApiDocument } from './openapi-document.js';

/** The document of the API. Public: it holds nothing that is not in the repository. */
@ApiExcludeController()
@PublicRoute()
@Controller()
export class OpenApiController {
  constructor(private readonly document: OpenApiDocument) {}

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  @Header('cache-control', 'public, max-age=300')
  openApi(@Query() _: NoQuery): string {
    return this.document.text();
  }
}

/** The interactive documentation. As public as what it shows. */
@ApiExcludeController()
@PublicRoute()
@Controller()
export class DocsController {
  constructor(@Inject(PUBLIC_URL) private readonly publicUrl: string) {}

  @Get('docs')
  @Header('content-type', 'text/html; charset=utf-8')
  page(@Req() request: Request, @Res({ passthrough: true }) response: Response): string {
    const policy = docsPolicy([request.headers.host, new URL(this.publicUrl).host]);
    response.setHeader('content-security-policy', policy);
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

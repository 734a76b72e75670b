import { Controller, Get, Post, Query, Req, Res, UseFilters, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ConnectLinksService } from '#application/connect-links';
import { ConnectLinkGone } from '#domain/connect-links';
import { DomainError, invalid } from '#domain/system';
import { PROVIDERS, type ConnectBody, type ProviderDefinition } from '#providers';
import { RateLimits } from '../auth/rate-limits.js';
import { beginFailure, failureOf } from '../errors/envelope.js';
import { pageLanguageOf, sendPage } from '../http/html-page.js';
import { PublicRoute, RequestSignal } from '../http/request.decorators.js';
import { BrowserCookie } from '../oauth/browser-cookie.js';
import { BrowserFailureFilter } from '../oauth/failure-page.js';
import { NavigationGuard, SEE_OTHER, sendTo } from '../oauth/navigation.js';
import { RequestValidationPipe } from '../validation/request-validation.pipe.js';
import { ConnectPageQueryDto } from './connect-links.dto.js';
import { choicePage, formPage, isShownInForm, type ConnectableDefinition, type PageView } from './connect-page.js';
import { FormBodyInterceptor } from './form-body.interceptor.js';

/** The page that a connect link leads to. */
@ApiExcludeController()
@PublicRoute()
@UseFilters(BrowserFailureFilter)
@Controller('v1/connect')
export class ConnectPageController {
  private readonly validation = new RequestValidationPipe();

  constructor(
    private readonly links: ConnectLinksService,
    private readonly browsers: BrowserCookie,
    private readonly limits: RateLimits,
  ) {}

  /** Shows the providers to choose from, the form of one, or goes on to the sign-in page of one. */
  @Get()
  @UseGuards(NavigationGuard)
  async show(@Query() query: ConnectPageQueryDto, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { view, definition, choices } = await this.open(query, request, response);
    if (definition === undefined) return sendPage(response, choicePage(view, choices));
    if (isConnectable(definition)) {
      return sendPage(response, formPage(view, definition, { entered: {}, error: null, status: 200 }));
    }
    const browser = this.browsers.readOrMake(request);
    const location = await this.links.beginSignIn(view.opened, definition.type, browser);
    this.browsers.write(response, browser);
    sendTo(response, location);
  }

  @Post()
  @UseInterceptors(FormBodyInterceptor)
  async submit(
    @Query() query: ConnectPageQueryDto,
    @Req() request: Request,
    @Res() response: Response,
    @RequestSignal() signal: AbortSignal,
  ): Promise<void> {
    const { view, definition } = await this.open(query, request, response);
    if (definition === undefined || !isConnectable(definition)) throw invalid('provider', 'is not connected by a form');
    const entered = (request.body ?? {}) as Record<string, string>;
    try {
      const fields = (await this.validation.transform(entered, {
        type: 'body',
        metatype: definition.connect.body,
      })) as ConnectBody;
      sendTo(response, await this.links.connect(view.opened, definition.type, fields, signal), SEE_OTHER);
    } catch (error) {
      if (!(error instanceof DomainError) || error instanceof ConnectLinkGone) throw error;
      if (!isShownInForm(error, definition)) throw error;
      const failure = failureOf(error);
      beginFailure(response, failure);
      sendPage(response, formPage(view, definition, { entered, error, status: failure.status }));
    }
  }

  private async open({ link, provider }: ConnectPageQueryDto, request: Request, response: Response) {
    await this.limits.takeSignIn(response, request.ip ?? '');
    const opened = await this.links.open(link);
    const choices = PROVIDERS.filter(({ type }) => opened.providerTypes.includes(type));
    const slug = provider ?? (choices.length === 1 ? choices[0]?.slug : undefined);
    const definition = choices.find((choice) => choice.slug === slug);
    if (slug !== undefined && definition === undefined) throw invalid('provider', 'is not one of this link');
    const language = pageLanguageOf(request, response);
    const view: PageView = { opened, language, linkQuery: `?link=${encodeURIComponent(link)}` };
    return { view, definition, choices };
  }
}

function isConnectable(definition: ProviderDefinition): definition is ConnectableDefinition {
  return definition.connect !== undefined;
}

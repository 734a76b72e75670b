import {
  Controller,
  Injectable,
  Post,
  Req,
  Res,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { DomainError } from '#domain/system';
import { PROVIDERS, providerBySlug, type NotificationsDefinition, type ProviderDefinition } from '#providers';
import { PublicRoute } from '../http/request.decorators.js';
import { hasBody, ReadBodyInterceptor } from '../http/read-body.interceptor.js';
import { NotificationReceiver } from './notification-receiver.js';

const OK = 200;
const MAX_BODY_BYTES = 1_048_576;
/** More than a hundred notifications. */
const MAX_DOUBTED_BODY_BYTES = 131_072;

interface NotifyingProvider {
  type: ProviderDefinition['type'];
  notifications: NotificationsDefinition;
}

/** Where providers that report changes do so, below `v1/providers`: traces and metrics tell them apart by their routes. */
const ADDRESSES = PROVIDERS.flatMap(({ slug, notifications }) => {
  if (notifications === undefined) return [];
  return [`${slug}/notifications`, ...(notifications.hasLifecycle ? [`${slug}/lifecycle`] : [])];
});

/** Which provider a request comes from, by its path; case does not matter there. @throws DomainError NotFound */
function providerOf({ path }: Request): NotifyingProvider {
  const { type, notifications } = providerBySlug(/\/providers\/([^/]+)/i.exec(path)?.[1]?.toLowerCase() ?? '') ?? {};
  if (type !== undefined && notifications !== undefined) return { type, notifications };
  throw new DomainError('NotFound', 'There is no such provider.');
}

/**
 * Reads the body of notifications where they are in it. A request for consent has none, and of a source that has sent many
 * that are not genuine no long body is read.
 */
@Injectable()
export class NotificationBodyInterceptor implements NestInterceptor {
  private readonly body = new ReadBodyInterceptor(MAX_BODY_BYTES);
  private readonly doubtedBody = new ReadBodyInterceptor(MAX_DOUBTED_BODY_BYTES);

  constructor(private readonly intake: NotificationReceiver) {}

  async intercept(execution: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = execution.switchToHttp().getRequest<Request>();
    const { type, notifications } = providerOf(request);
    if (!notifications.readsBody) {
      // Else Node would read it to its end after the answer.
      if (hasBody(request)) execution.switchToHttp().getResponse<Response>().setHeader('connection', 'close');
      return next.handle();
    }
    if (consentTextOf(notifications, request) !== null) return next.handle();
    const source = request.ip ?? '';
    const isDoubted = this.intake.isDoubted(source);
    try {
      return await (isDoubted ? this.doubtedBody : this.body).intercept(execution, next);
    } catch (error) {
      if (isDoubted) this.intake.assertAllowed(source);
      this.intake.recordInvalid(type, source);
      throw error;
    }
  }
}

/** Where providers report changes, and what happens to the channels themselves: as their definitions say. */
@ApiExcludeController()
@PublicRoute()
@Controller('v1/providers')
export class NotificationsController {
  constructor(private readonly intake: NotificationReceiver) {}

  /** Consent is given to anybody: a provider may ask for it before its answer has named the channel. */
  @Post(ADDRESSES)
  @UseInterceptors(NotificationBodyInterceptor)
  async receive(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string | undefined> {
    const { type, notifications } = providerOf(request);
    const consent = consentTextOf(notifications, request);
    if (consent !== null) {
      response.status(OK).setHeader('content-type', 'text/plain; charset=utf-8');
      return consent;
    }
    const source = request.ip ?? '';
    const received = notifications.read(request);
    if (received.length === 0) {
      this.intake.assertAllowed(source);
      this.intake.recordInvalid(type, source);
    }
    const areGenuine = received.length > 0 && (await this.intake.take(type, source, received));
    if (!areGenuine && notifications.rejectsForged) throw new DomainError('NotFound', 'There is no such channel.');
    response.status(notifications.acceptedStatus);
    return undefined;
  }
}

function consentTextOf(notifications: NotificationsDefinition, { query }: Request): string | null {
  return notifications.consentText?.(query) ?? null;
}

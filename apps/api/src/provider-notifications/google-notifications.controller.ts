import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { DomainError } from '#domain';
import { readGooglePush } from '#providers';
import { PublicRoute } from '../auth/public-route.decorator.js';
import { hasBody } from '../http/read-body.interceptor.js';
import { PushesIntake } from './pushes-intake.js';

const NO_CONTENT = 204;

/** Where channels of Google Calendar push to. A push is in its headers; a body is left unread. */
@ApiExcludeController()
@PublicRoute()
@Controller('v1/providers/google')
export class GoogleNotificationsController {
  constructor(private readonly intake: PushesIntake) {}

  @Post('notifications')
  @HttpCode(NO_CONTENT)
  async takePush(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    // Else Node would read it to its end after the answer.
    if (hasBody(request)) response.setHeader('connection', 'close');
    const source = request.ip ?? '';
    const push = readGooglePush(request.headers);
    if (push === null) {
      this.intake.assertTrusted(source);
      this.intake.noteForged('GOOGLE', source);
    } else if (await this.intake.take('GOOGLE', source, [push])) {
      return;
    }
    throw new DomainError('NotFound', 'There is no such channel.');
  }
}
